/** A problem that prevents a copy from being brought up to date. It is stored, so that each process reports only its beginning, changes and end. */
export interface StoredProblem {
  /** The code of the latest error: `unauthorized`, `rate_limited`, `ENOSPC`. */
  readonly code: string
  /** When the problem began, in milliseconds since the Unix epoch. A change of the code does not change it. */
  readonly since: number
  /** Whether it was logged. A call that rejects does not log. */
  readonly isLogged?: boolean | undefined
}

/** A problem that is not over: the copy is not brought up to date. */
export interface Problem {
  /** The code of the latest error. It is stable: `unauthorized`, `rate_limited`, `key_changed`. Errors of others have their own, such as `ENOSPC`. */
  readonly code: string
  /** When the problem began. */
  readonly since: Date
}
