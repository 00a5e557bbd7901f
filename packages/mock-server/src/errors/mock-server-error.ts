import { NotewireError } from '@notewire/protocol'

/** The codes of {@link MockServerError}. */
export type MockServerErrorCode =
  | 'already_listening'
  | 'arguments_invalid'
  | 'base_url_taken'
  | 'channel_unknown'
  | 'clock_not_virtual'
  | 'console_refused'
  | 'delivery_unknown'
  | 'endpoint_missing'
  | 'endpoint_not_active'
  | 'endpoint_refused'
  | 'endpoint_unknown'
  | 'fault_unknown'
  | 'form_malformed'
  | 'integration_unknown'
  | 'json_invalid'
  | 'key_unknown'
  | 'listen_failed'
  | 'note_deleted'
  | 'note_unknown'
  | 'operation_unknown'
  | 'option_invalid'
  | 'owner_unknown'
  | 'request_unknown'
  | 'service_closed'
  | 'session_ended'
  | 'session_unknown'

/** What went wrong and what to do next, as separate texts. */
export interface Refusal {
  /** What went wrong, without a period at the end. */
  readonly problem: string
  /** What to do next: one or more sentences. */
  readonly remedy: string
}

/** Every error that the mock server throws. Its `message` consists of `problem` and `remedy`. */
export class MockServerError extends NotewireError<MockServerErrorCode> implements Refusal {
  readonly problem: string
  readonly remedy: string
  /** The option or field that is wrong, such as `contract.keyForm` or `faults[0].calls`, if the error is about one. */
  readonly option: string | undefined

  constructor(code: MockServerErrorCode, problem: string, remedy: string, option?: string) {
    super(code, `${problem}. ${remedy}`)
    this.problem = problem
    this.remedy = remedy
    this.option = option
  }
}
