import { eachNote } from '../ledger/ledger.ts'
import type { NoteState } from '../notes/note-state.ts'
import { postpone } from '../rules/backoff.ts'
import { failsForEveryNote } from '../service/failures.ts'
import { requestListing } from '../service/full-listing.ts'
import type { SyncContext } from './sync.ts'

/** After this many failed notes in a row, a listing is requested: it fails if the service is down. */
const FAILURES_BEFORE_LISTING = 5

/** What came of the due notes of a call. */
export class Outcomes {
  readonly #context: SyncContext
  #settled = 0
  #postponed = 0
  #failuresInARow = 0

  constructor(context: SyncContext) {
    this.#context = context
  }

  /** How many notes were fetched and written, and how many are fetched again later. */
  get counts(): { readonly settled: number; readonly postponed: number } {
    return { settled: this.#settled, postponed: this.#postponed }
  }

  /** Counts a note whose requests have succeeded. It may not be written yet. */
  succeed(): void {
    this.#failuresInARow = 0
  }

  settle(): void {
    this.#settled += 1
    this.#context.hooks.onProgress({ phase: 'content', done: this.#settled })
  }

  /** Postpones a note that could not be fetched or written. Stops the work if other notes would fail, too. */
  async postpone({ noteId, failures }: NoteState, error: unknown): Promise<void> {
    const { client, clock, hooks, ledger, signal, stop } = this.#context
    if (signal.aborted) return
    hooks.onProblem({ error, noteId, isRepeated: failures > 0 })
    this.#postponed += 1
    this.#failuresInARow += 1
    if (failsForEveryNote(error)) stop(error)
    else if (this.#failuresInARow % FAILURES_BEFORE_LISTING === 0) await requestListing(client, signal).catch(stop)
    await ledger.commit(eachNote([noteId], (state) => postpone(state, clock.now())))
  }
}
