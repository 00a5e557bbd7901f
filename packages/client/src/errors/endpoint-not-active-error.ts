import type { EndpointStatus } from '@notewire/protocol'
import { NotesClientError } from './notes-client-error.ts'

/** An endpoint did not become active in time: code `endpoint_not_active` (contract §3). */
export class EndpointNotActiveError extends NotesClientError {
  /** The endpoint's status when it was last read. */
  readonly lastStatus: EndpointStatus | null | undefined

  constructor(operation: string, message: string, lastStatus: EndpointStatus | null | undefined) {
    super('endpoint_not_active', operation, message)
    this.lastStatus = lastStatus
  }
}
