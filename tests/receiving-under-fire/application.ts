import { setTimeout as sleep } from 'node:timers/promises'
import type { NoteEvent } from '@notewire/protocol'
import type { HandlerContext, ProcessOutcome } from '@notewire/webhooks'
import type { Random } from '../simulation/random.ts'
import type { Moment, openChronicle } from './chronicle.ts'
import type { WorkerDatabase } from './databases/worker-database.ts'
import { type Integration, marksItself } from './integrations.ts'
import { isOrdeal, ordealMs } from './ordeals.ts'
import type { WorkerReport } from './worker-settings.ts'

/** What an application has of its worker. */
interface Tools {
  readonly worker: string
  readonly random: Random
  readonly write: ReturnType<typeof openChronicle>
  readonly report: (report: WorkerReport) => void
}

/** What a user would write: the handler of one integration. It writes down when it began, what it did, and what became of it. */
export class Application<Transaction> {
  readonly #integration: Integration
  readonly #writeWithMark: WorkerDatabase<Transaction>['writeWithMark']
  readonly #tools: Tools
  readonly #latestRuns = new Map<string, string>()
  #runs = 0

  constructor(integration: Integration, { writeWithMark }: WorkerDatabase<Transaction>, tools: Tools) {
    this.#integration = integration
    this.#writeWithMark = marksItself(integration, writeWithMark !== undefined) ? writeWithMark : undefined
    this.#tools = tools
  }

  async handle(event: NoteEvent, context: HandlerContext<Transaction>): Promise<void> {
    const { worker, random, write } = this.#tools
    this.#runs += 1
    const effect = {
      integration: this.#integration,
      eventId: event.event_id,
      run: `${worker} ${this.#integration} ${this.#runs}`,
    }
    this.#latestRuns.set(event.event_id, effect.run)
    const tell = (what: Moment['what']) => write({ ...effect, worker, what })
    tell('begins')
    try {
      if (this.#writeWithMark !== undefined) {
        await this.#takeTime(event)
        await this.#writeWithMark(effect, context.commit, () => tell('leaves'))
      } else {
        await sleep(random.integer(0, 20))
        tell('effect')
        await this.#takeTime(event)
      }
    } finally {
      tell('leaves')
    }
  }

  hear({ event, status, ...rest }: ProcessOutcome): void {
    const { worker, write } = this.#tools
    const { event_id: eventId } = event
    const run = ENDS_OF_RUNS.has(status) ? this.#latestRuns.get(eventId) : undefined
    if (run !== undefined) this.#latestRuns.delete(eventId)
    const problem = 'error' in rest ? String(rest.error) : undefined
    write({ integration: this.#integration, eventId, run, worker, what: status, problem })
  }

  /** What a handler waits for: other services. */
  async #takeTime({ data: { note_id } }: NoteEvent): Promise<void> {
    const { random, report } = this.#tools
    if (isOrdeal(note_id)) report({ what: 'begins', ordeal: note_id, integration: this.#integration })
    await sleep(ordealMs(note_id) ?? random.integer(0, random.pick([20, 60, 300])))
  }
}

const ENDS_OF_RUNS: ReadonlySet<ProcessOutcome['status']> = new Set(['applied', 'failed', 'store-failed', 'claim-lost'])
