import type { MirrorSettings } from '../context/mirror-options.ts'
import type { SyncReport } from '../context/sync.ts'
import type { Problem } from '../interfaces/problem.ts'
import type { MirrorStore } from '../interfaces/store.ts'
import { Ledger } from '../ledger/ledger.ts'
import { needsAction, type Occurrence, timesOf } from '../reporting/lines.ts'
import type { MirrorLog } from '../reporting/mirror-log.ts'
import { ProblemRecord } from '../reporting/problem-record.ts'
import { codeOf, type ProblemChange, problemOf } from '../rules/problem-rule.ts'
import { isSilent } from '../rules/silence-rule.ts'
import { isOfStore } from '../service/failures.ts'
import { reportOf, type WorkDone } from './engine.ts'

/** Records how the work of one mirror ends, and logs when a problem begins, changes and ends. */
export class Reporter {
  readonly #integration: string
  readonly #clock: MirrorSettings['clock']
  readonly #log: MirrorLog
  readonly #problem: ProblemRecord
  readonly #silence: ProblemRecord

  constructor(settings: MirrorSettings, log: MirrorLog, open: () => Promise<MirrorStore>) {
    const { integration, clock } = settings
    const store = {
      readProgress: async (...values: Parameters<MirrorStore['readProgress']>) =>
        await (await open()).readProgress(...values),
    }
    const parts = { store, integration, clock, ledger: new Ledger(settings) }
    this.#integration = integration
    this.#clock = clock
    this.#log = log
    this.#problem = new ProblemRecord('problem', parts)
    this.#silence = new ProblemRecord('silence', parts)
  }

  /** Makes a call of the user. Its error is stored for `status()`, and not logged, because the call rejects with it. */
  async call(work: () => Promise<WorkDone>, signal: AbortSignal | undefined): Promise<SyncReport> {
    const done = await work().catch(async (error) => {
      if (signal?.aborted !== true) await this.failed(error, false)
      throw error
    })
    await this.ended(done, false)
    return reportOf(done)
  }

  /** Records work that ended. Only a listing ends a problem: the reading of notes alone says nothing about listings. */
  async ended({ listed, listingError, progress }: WorkDone, isLogged: boolean): Promise<void> {
    if (listingError !== undefined) return await this.failed(listingError, isLogged)
    if (!listed) return
    this.#report(await this.#problem.record({ code: undefined, isLogged, progress }), undefined)
    const code = isSilent(progress.poll, this.#clock.now()) ? 'silent' : undefined
    if (code !== undefined && !isLogged) return
    const change = await this.#silence.record({ code, isLogged, progress })
    if (change !== undefined) this.#write(change.kind === 'over' ? 'events-over' : 'events-begun', change, undefined)
  }

  /** Records work that failed. */
  async failed(error: unknown, isLogged: boolean): Promise<void> {
    this.#report(await this.#problem.record({ code: codeOf(error), isLogged }), error)
  }

  /** The problem that could not be stored, for the status of this process; `null` if there is none. */
  get unstored(): Problem | null {
    const { unstored } = this.#problem
    return unstored && problemOf(unstored, this.#clock.now())
  }

  /** Writes the lines that waited because there is one a minute at most. */
  writeDue(): void {
    this.#log.writeDue()
  }

  #report(change: ProblemChange | undefined, error: unknown): void {
    if (change !== undefined) this.#write(occurrenceOf(change, error), change, error)
  }

  #write(occurrence: Occurrence, { kind, problem }: ProblemChange, error: unknown): void {
    const fields = kind === 'begun' ? {} : timesOf(problem.since, this.#clock.now())
    this.#log.report({ occurrence, code: problem.code, integration: this.#integration, error, fields })
  }
}

function occurrenceOf({ kind }: ProblemChange, error: unknown): Occurrence {
  if (kind === 'over') return 'sync-over'
  if (needsAction(error)) return 'key-begun'
  if (isOfStore(error)) return 'store-begun'
  return kind === 'begun' ? 'sync-begun' : 'sync-changed'
}
