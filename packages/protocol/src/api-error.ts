/** The usual body of a REST error (open point 22). The service may send any other body. */
export interface ApiErrorBody {
  readonly error: {
    readonly code: string
    readonly message: string
    /** The scope that the key lacks, on a 403. */
    readonly scope?: string | null | undefined
  }
}
