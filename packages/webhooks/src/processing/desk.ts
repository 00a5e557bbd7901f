import type { WebhookEvent } from '@notewire/protocol'
import { waitAtMost } from '../timing/timers.ts'
import { type AttemptContext, EventRun, type RunTools } from './event-run.ts'
import type { ProcessOutcome, ProcessTiming } from './outcome.ts'

/** After its grace, `close` waits this long for claims to be released and transactions to be rolled back, in milliseconds. */
const UNDO_WITHIN_MS = 5_000

/** How events are worked on: under a lease, in a transaction, or by a sink. */
export interface Mode {
  /** Works on an event. Never rejects: a failure is an outcome. */
  run(run: EventRun): Promise<ProcessOutcome>
  /** Whether an event that is given up is undone, so that another instance can process it. */
  readonly undoes: boolean
}

export interface DeskTools extends RunTools {
  /** Called with each outcome. Never throws. */
  readonly reportOutcome: (outcome: ProcessOutcome, timing: ProcessTiming, integration: string) => void
}

/** Processes events: knows which are being processed, reports what came of them, and closes. */
export class Desk {
  readonly #mode: Mode
  readonly #tools: DeskTools
  /** The events without an outcome, or for which a function of the user still runs. */
  readonly #runs = new Map<EventRun, Promise<ProcessOutcome>>()
  #isClosing = false
  #closed: Promise<number> | undefined

  constructor(mode: Mode, tools: DeskTools) {
    this.#mode = mode
    this.#tools = tools
  }

  /** Never rejects: a failure is an outcome. */
  async process(event: WebhookEvent, attempt: AttemptContext): Promise<ProcessOutcome> {
    const run = new EventRun(event, attempt, this.#tools)
    const work = this.#isClosing ? closing(event) : this.#mode.run(run)
    this.#runs.set(run, work)
    const outcome = await work
    run.finish()
    if (run.isRunning) void run.ended().then(() => this.#runs.delete(run))
    else this.#runs.delete(run)
    this.#tools.reportOutcome(outcome, run.timing, attempt.integration)
    return outcome
  }

  /**
   * Aborts the signals of functions of the user, calls no more of them, and waits up to `graceMs` for those that run. Then gives up the events of
   * those that still run. A second call resolves with the first.
   *
   * @returns how many still ran
   */
  close(graceMs: number): Promise<number> {
    this.#closed ??= this.#shutDown(graceMs)
    return this.#closed
  }

  async #shutDown(graceMs: number): Promise<number> {
    const { clock } = this.#tools
    this.#isClosing = true
    for (const run of this.#runs.keys()) run.close()
    const outcomes = Promise.all(this.#runs.values())
    const ends = [...this.#runs.keys()].map((run) => run.ended())
    await waitAtMost(clock, graceMs, Promise.all([outcomes, ...ends]))
    const stillRunning = [...this.#runs.keys()].filter(({ isRunning }) => isRunning).length
    if (!this.#mode.undoes) return stillRunning
    for (const run of this.#runs.keys()) run.giveUp('closing')
    await waitAtMost(clock, UNDO_WITHIN_MS, outcomes)
    return stillRunning
  }
}

async function closing(event: WebhookEvent): Promise<ProcessOutcome> {
  return { status: 'closing', event }
}
