/** The body of a REST error, where the service sends one (open point 22). Any other body is possible. */
export interface ApiErrorBody {
  readonly error: {
    readonly code: string
    readonly message: string
    /** The scope that the key lacks, on a 403. */
    readonly scope?: string | null | undefined
  }
}
