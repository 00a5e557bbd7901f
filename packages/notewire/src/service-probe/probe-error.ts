import { NotewireError } from '@notewire/protocol'

/**
 * Why a service cannot be probed at all.
 *
 * - `unauthorized`: it does not accept the key
 * - `redirect_refused`: it answers with a redirect, which is not followed, because the key goes to the base URL alone
 * - `not_supported`: nothing there lists notes
 * - `server_error`: it fails
 */
export type ProbeErrorCode = 'unauthorized' | 'redirect_refused' | 'not_supported' | 'server_error'

/** A service that cannot be probed: its list of notes, on which everything rests, cannot be read. */
export class ProbeError extends NotewireError<ProbeErrorCode> {
  /** The status of the answer. */
  readonly status: number

  constructor(code: ProbeErrorCode, status: number, message: string) {
    super(code, message)
    this.status = status
  }
}
