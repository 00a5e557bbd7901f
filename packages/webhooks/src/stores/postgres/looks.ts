import type { ClaimRequest } from '../../interfaces/store.ts'
import type { PostgresQueries } from '../../storage/postgres-queries.ts'

/** How many events one statement looks up. */
const MAX_AT_ONCE = 100

interface Waiting {
  readonly request: ClaimRequest
  readonly resolve: (known: string) => void
  readonly reject: (error: unknown) => void
}

/**
 * Looks events up. Those that arrive in the same turn of the event loop, or while a look is running, share one statement, because a statement
 * costs more than what it asks for.
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
      await new Promise((resolve) => setImmediate(resolve))
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
    const wanted = requests.map(({ integration, eventId, note }) => ({ integration, eventId, noteId: note?.noteId }))
    const leaseMs = Math.max(...requests.map((request) => request.leaseMs))
    const rows = await this.#queries.run<LookRow>('look', LOOK, [leaseMs, JSON.stringify(wanted)])
    return rows.map(({ result }) => result)
  }
}

interface LookRow {
  readonly result: string
}

const LOOK = `SELECT notewire_look(wanted->>'integration', wanted->>'eventId', wanted->>'noteId', $1::float8) AS result
  FROM json_array_elements($2::json) WITH ORDINALITY AS looks (wanted, position)
  ORDER BY position`
