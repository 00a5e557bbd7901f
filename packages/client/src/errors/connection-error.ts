import { NotesClientError } from './notes-client-error.ts'

/** No complete answer came: code `network_error` or `timeout`. */
export class ConnectionError extends NotesClientError {
  /** The runtime's code for the failure, when there is one: `ECONNREFUSED`, `ENOTFOUND`, `CERT_HAS_EXPIRED`. */
  readonly networkCode: string | undefined

  constructor(code: 'network_error' | 'timeout', operation: string, message: string, networkCode?: string | undefined) {
    super(code, operation, message)
    this.networkCode = networkCode
  }
}
