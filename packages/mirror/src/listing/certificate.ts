declare const brand: unique symbol

/**
 * Proof that a listing of all notes reached its last page, without which nothing can be called missing. Only `certify` makes
 * one, of a scan whose last page was applied.
 */
export interface CompletionCertificate {
  readonly [brand]: true
  readonly scanId: string
  /** The sequence number before page one. */
  readonly startedAt: number
}
