import { setTimeout as sleep } from 'node:timers/promises'
import { isNoteEvent, type NoteEvent, type WebhookEvent } from '@notewire/protocol'
import type { ProcessOutcome } from '@notewire/webhooks'
import type { Random } from '../simulation/random.ts'
import type { ChronicleEntry, openChronicle } from './chronicle.ts'
import type { Effect } from './databases/worker-database.ts'
import type { Integration } from './integrations.ts'
import { handlerMs, isSlowNote } from './slow-notes.ts'
import type { WorkerReport } from './worker-settings.ts'

/** The parts of a worker that its application uses. */
interface Tools {
  readonly worker: string
  readonly random: Random
  readonly write: ReturnType<typeof openChronicle>
  readonly report: (report: WorkerReport) => void
}

/** A user's code: the handler of one integration. It writes its begin, its effect and its outcome to the chronicle. */
export class Application {
  readonly #integration: Integration
  readonly #tools: Tools
  readonly #latestRuns = new Map<string, string>()
  #runs = 0

  constructor(integration: Integration, tools: Tools) {
    this.#integration = integration
    this.#tools = tools
  }

  async prepare(event: WebhookEvent): Promise<void> {
    if (isNoteEvent(event)) await this.#takeTime(event)
  }

  /** Handles an event in a transaction of the receiver, after `prepare`. */
  handleInTransaction(
    event: NoteEvent,
    writeEffect: (effect: Effect) => Promise<unknown> | undefined,
  ): Promise<void> | undefined {
    const { worker, write } = this.#tools
    const effect = this.#begin(event)
    const end = () => write({ ...effect, worker, what: 'ends' })
    write({ ...effect, worker, what: 'begins', inTransaction: true })
    const written = writeEffect(effect)
    if (written !== undefined) return this.#endLater(written, end)
    end()
    return undefined
  }

  async handle(event: NoteEvent): Promise<void> {
    const { worker, random, write } = this.#tools
    const effect = this.#begin(event)
    const log = (what: ChronicleEntry['what']) => write({ ...effect, worker, what })
    log('begins')
    try {
      await sleep(random.integer(0, 20))
      log('effect')
      await this.#takeTime(event)
    } finally {
      log('ends')
    }
  }

  logOutcome({ event, status, ...rest }: ProcessOutcome): void {
    const { worker, write } = this.#tools
    const { event_id: eventId } = event
    const run = ENDS_OF_RUNS.has(status) ? this.#latestRuns.get(eventId) : undefined
    if (run !== undefined) this.#latestRuns.delete(eventId)
    const problem = 'error' in rest ? String(rest.error) : undefined
    write({ integration: this.#integration, eventId, run, worker, what: status, problem })
  }

  async #endLater(written: Promise<unknown>, end: () => void): Promise<void> {
    try {
      await written
      await sleep(this.#tools.random.integer(0, 20))
    } finally {
      end()
    }
  }

  #begin({ event_id: eventId }: NoteEvent): Effect {
    this.#runs += 1
    const run = `${this.#tools.worker} ${this.#integration} ${this.#runs}`
    this.#latestRuns.set(eventId, run)
    return { integration: this.#integration, eventId, run }
  }

  /** Simulates calls of other services. */
  async #takeTime({ data: { note_id } }: NoteEvent): Promise<void> {
    const { random, report } = this.#tools
    if (isSlowNote(note_id)) report({ what: 'begins', note: note_id, integration: this.#integration })
    await sleep(handlerMs(note_id) ?? random.integer(0, random.pick([20, 60, 300])))
  }
}

const ENDS_OF_RUNS: ReadonlySet<ProcessOutcome['status']> = new Set(['applied', 'failed', 'store-failed', 'claim-lost'])
