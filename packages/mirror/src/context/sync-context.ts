import type { Ledger } from '../ledger/ledger.ts'
import type { OverdueErasure } from '../ledger/overdue-erasure.ts'
import type { ReadNote } from '../service/note-reader.ts'
import type { MirrorSettings } from './mirror-options.ts'

/** The dependencies of one sync. */
export interface SyncContext extends MirrorSettings {
  readonly ledger: Ledger
  readonly erasure: OverdueErasure
  readonly readNote: ReadNote
  /** Fires when the caller's signal does, or after `stop`. */
  readonly signal: AbortSignal
  /** Whether to stop after the current page or read. The next sync continues. */
  readonly shouldYield: () => boolean
  /** Ends the whole sync: for errors that would affect every other request. */
  readonly stop: (reason: unknown) => void
}
