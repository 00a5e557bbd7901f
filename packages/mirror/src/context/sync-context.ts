import type { Ledger } from '../ledger/ledger.ts'
import type { OverdueErasure } from '../ledger/overdue-erasure.ts'
import type { ReadNote } from '../service/note-reader.ts'
import type { MirrorSettings } from './mirror-options.ts'

/** What one sync works with. */
export interface SyncContext extends MirrorSettings {
  readonly ledger: Ledger
  readonly erasure: OverdueErasure
  readonly readNote: ReadNote
  /** Fires when the caller's signal does, or after `stop`. */
  readonly signal: AbortSignal
  /** Whether to stop after the page, or the read, under way. What is left is done by the next sync. */
  readonly isEnough: () => boolean
  /** Ends the whole sync: for errors that every other request would meet too. */
  readonly stop: (reason: unknown) => void
}
