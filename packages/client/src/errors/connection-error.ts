import { type CallAttempt, NotesClientError } from './notes-client-error.ts'

/** No complete answer came: code `network_error` or `timeout`. */
export class ConnectionError extends NotesClientError {
  /** The runtime's code for the failure, if there is one: `ECONNREFUSED`, `ENOTFOUND`, `CERT_HAS_EXPIRED`. */
  readonly networkCode: string | undefined

  constructor(
    code: 'network_error' | 'timeout',
    operation: string,
    message: string,
    attempts: readonly CallAttempt[] = [],
  ) {
    super(code, operation, message, attempts)
    this.networkCode = attempts.at(-1)?.networkCode
  }
}
