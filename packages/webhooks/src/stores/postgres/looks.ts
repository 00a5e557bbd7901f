import type { PostgresQueries } from '@notewire/storage'
import type { ClaimRequest } from '../../interfaces/store.ts'
import type { KnownEvent } from '../look-result.ts'
import { type KnownRow, knownEvent } from './look-function.ts'

/** How many events one statement looks up. */
const MAX_AT_ONCE = 100

interface Waiting {
  readonly request: ClaimRequest
  readonly resolve: (known: KnownEvent) => void
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

  /** Returns what the tables contain of an event and of its note. */
  look(request: ClaimRequest): Promise<KnownEvent> {
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
        for (const [index, { resolve, reject }] of batch.entries()) {
          const found = known[index]
          // Otherwise an event without a row would wait for ever.
          if (found === undefined) reject(new Error('PostgreSQL returned fewer rows than events were looked up'))
          else resolve(found)
        }
      } catch (error) {
        for (const { reject } of batch) reject(error)
      }
    }
    this.#isRunning = false
  }

  async #lookUp(requests: readonly ClaimRequest[]): Promise<readonly KnownEvent[]> {
    const values = requests.flatMap(({ integration, eventId, note, leaseMs }) => [
      integration,
      eventId,
      note?.noteId ?? null,
      leaseMs,
    ])
    const rows = await this.#queries.run<LookRow>('look', lookOf(requests.length), values)
    return rows.map(knownIn)
  }
}

interface LookRow extends KnownRow {
  readonly event_version: string | null
  readonly note_version: string | null
}

function knownIn(row: LookRow): KnownEvent {
  const { event_version, note_version } = row
  return { ...knownEvent(row), eventVersion: event_version ?? undefined, noteVersion: note_version ?? undefined }
}

/** A statement that looks up `count` events, and returns them in their order. */
function lookOf(count: number): string {
  const rows = Array.from({ length: count }, (_, index) => {
    const [integration, event, note, leaseMs] = [1, 2, 3, 4].map((place) => 4 * index + place)
    return `(${index}, $${integration}::text, $${event}::text, $${note}::text, $${leaseMs}::float8)`
  })
  return `SELECT known.* FROM (VALUES ${rows.join(', ')}) AS asked (place, integration, event_id, note_id, lease_ms)
    CROSS JOIN LATERAL notewire_look_event(asked.integration, asked.event_id, asked.note_id, asked.lease_ms) AS known
    ORDER BY asked.place`
}
