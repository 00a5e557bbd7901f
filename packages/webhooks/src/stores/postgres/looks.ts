import type { ClaimRequest } from '../../interfaces/store.ts'
import type { PostgresQueries } from '../../storage/postgres-queries.ts'
import { arrayOf } from './with-values.ts'

/** How many events one statement looks up. */
const MAX_AT_ONCE = 100

interface Waiting {
  readonly request: ClaimRequest
  readonly resolve: (known: string) => void
  readonly reject: (error: unknown) => void
}

/**
 * Looks events up. Those that arrive while a look is running share the next one, because the round trip costs more than what it asks for.
 */
export class Looks {
  readonly #queries: PostgresQueries
  readonly #waiting: Waiting[] = []
  #isRunning = false

  constructor(queries: PostgresQueries) {
    this.#queries = queries
  }

  /** Returns what the tables contain of an event and of its note, as one text. */
  look(request: ClaimRequest): Promise<string> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ request, resolve, reject })
      if (!this.#isRunning) void this.#run()
    })
  }

  async #run(): Promise<void> {
    this.#isRunning = true
    while (this.#waiting.length > 0) {
      const batch = this.#waiting.splice(0, MAX_AT_ONCE)
      try {
        const known = await this.#lookUp(batch.map(({ request }) => request))
        for (const [index, { resolve }] of batch.entries()) resolve(known[index] ?? '')
      } catch (error) {
        for (const { reject } of batch) reject(error)
      }
    }
    this.#isRunning = false
  }

  async #lookUp(requests: readonly ClaimRequest[]): Promise<readonly string[]> {
    const columns = [
      requests.map(({ integration }) => integration),
      requests.map(({ eventId }) => eventId),
      requests.map(({ note }) => note?.noteId),
      requests.map(({ leaseMs }) => String(leaseMs)),
    ]
    const rows = await this.#queries.run<LookRow>('look', LOOK, columns.map(arrayOf))
    const known: string[] = []
    for (const { position, result } of rows) known[Number(position) - 1] = result
    return known
  }
}

interface LookRow {
  readonly position: unknown
  readonly result: string
}

// A query promises no order of its rows.
const LOOK = `SELECT position, notewire_look_1(integration, event_id, note_id, lease_ms) AS result
  FROM unnest($1::text[], $2::text[], $3::text[], $4::float8[])
    WITH ORDINALITY AS looks (integration, event_id, note_id, lease_ms, position)`
