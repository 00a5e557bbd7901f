/** What a worker is started with, as JSON in `WORKER_SETTINGS`. */
export interface ManySettings {
  /** The URL of the database. */
  readonly place: string
  readonly baseUrl: string
  /** The API keys, by integration. */
  readonly keys: Readonly<Record<string, string>>
  /** How far ahead its clock is, so that the leases of those that were killed end soon. */
  readonly aheadMs: number
}
