/** The settings of a worker, as JSON in `WORKER_SETTINGS`. */
export interface ManySettings {
  /** The URL of the database. */
  readonly place: string
  readonly baseUrl: string
  /** The API keys, by integration. */
  readonly keys: Readonly<Record<string, string>>
  /** How far its clock is ahead, so that the leases of killed workers expire soon. */
  readonly aheadMs: number
}
