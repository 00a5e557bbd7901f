import type { DifferenceCode, DifferenceSubject } from './readings/difference.ts'

/** What a finding is: a difference that makes the signature right, or something that was seen beside it. */
type FindingCode =
  | DifferenceCode
  | 'header_missing'
  | 'secret_malformed'
  | 'clock_too_old'
  | 'clock_too_new'
  | 'clock_milliseconds'
  | 'timestamp_unreadable'
  | 'body_empty'
  | 'body_cut_off'
  | 'body_replacement_characters'
  | 'body_not_json'
  | 'signature_unreadable'
  | 'method_not_post'
  | 'other_secret_or_altered'

/** Something that is not as the contract has it, and what to do about it. Never a secret, a signature or the body. */
export interface Finding {
  readonly code: FindingCode
  readonly subject: DifferenceSubject | 'clock' | 'capture'
  /** What happened, as a clause. */
  readonly what: string
  /** What to do about it, as a sentence. */
  readonly fix: string
}
