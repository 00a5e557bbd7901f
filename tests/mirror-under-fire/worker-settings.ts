/** What a worker is started with, as JSON in `WORKER_SETTINGS`. */
export interface WorkerSettings {
  readonly engine: 'sqlite' | 'postgres'
  /** The path of the file, or the URL of the database. */
  readonly place: string
  readonly baseUrl: string
  readonly apiKey: string
  readonly secret: string
}

/** What a worker says. */
export interface WorkerReport {
  readonly port: number
}
