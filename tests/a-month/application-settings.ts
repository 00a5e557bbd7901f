import type { Customer } from './customers.ts'

/** The settings of a process of the application, as JSON in `WORKER_SETTINGS`. */
export interface ApplicationSettings {
  /** The URL of the database of the mirror and its consumer. */
  readonly mirrorUrl: string
  /** The URL of the database of the customers, the receiver and its effects. */
  readonly applicationUrl: string
  /** The base URL of the service. */
  readonly baseUrl: string
  /** The URL at which the service reaches the application. */
  readonly publicUrl: string
  /** The name of a planted bug. */
  readonly bug?: string | undefined
}

/** The header with the time, in milliseconds since the Unix epoch: each request sets the clock of the application. */
export const TIME_HEADER = 'test-time'

/** What is asked of the application, as JSON, at `/do`. */
export type Command =
  | {
      readonly act: 'connect' | 'replace key' | 'disconnect' | 'rotate secret' | 'work on one'
      readonly customer: Customer
    }
  | { readonly act: 'work' | 'tend' | 'correct after restoring' | 'nothing' }

/** A command, with what the application knows then. */
export type GivenCommand = Command & {
  /** The latest key that the customer has told; empty if the command concerns no customer. */
  readonly apiKey: string
  /** How long a request to the service may take, by the clock of the machine. */
  readonly timeoutMs: number
}

/** The tables of the application. The receiver makes its own. */
export const APPLICATION_TABLES = `
  CREATE TABLE customers (id text PRIMARY KEY, api_key text NOT NULL, signing_secret text, old_secret text,
    rotated_at bigint NOT NULL DEFAULT 0, secret_generation bigint NOT NULL DEFAULT 0);
  CREATE TABLE effects (place bigserial PRIMARY KEY, integration text NOT NULL, event_id text NOT NULL)`
