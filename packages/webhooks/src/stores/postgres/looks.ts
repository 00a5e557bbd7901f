import type { PostgresQueries } from '@notewire/storage'
import type { ClaimRequest } from '../../interfaces/store.ts'

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
    const values = requests.flatMap(({ integration, eventId, note, leaseMs }) => [
      integration,
      eventId,
      note?.noteId ?? null,
      leaseMs,
    ])
    const rows = await this.#queries.run<LookRow>('look', lookOf(requests.length), values)
    return rows.map(({ column1 }) => column1)
  }
}

interface LookRow {
  /** The name that PostgreSQL gives the column of VALUES. */
  readonly column1: string
}

/** A statement that looks up `count` events. PostgreSQL returns the rows of VALUES in their order. */
function lookOf(count: number): string {
  const rows = Array.from({ length: count }, (_, index) => {
    const first = 4 * index
    return `(notewire_look($${first + 1}, $${first + 2}, $${first + 3}, $${first + 4}::float8))`
  })
  return `VALUES ${rows.join(', ')}`
}
