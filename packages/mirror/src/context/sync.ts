import type { KeyIdentity } from '@notewire/client'
import type { OverdueErasure } from '../ledger/erasure.ts'
import type { Ledger } from '../ledger/ledger.ts'
import type { ReadNote } from '../service/note-reader.ts'
import type { MirrorSettings } from './mirror-options.ts'

/** Options of `mirror.sync`. */
export interface SyncOptions {
  /** Ends the sync, which then rejects with the signal's reason. Committed work is kept. */
  readonly signal?: AbortSignal | undefined
  /**
   * Whether to scan, which finds unannounced deletions and lost access: `'when-due'` (once a day), `'now'`, or `'never'`.
   *
   * @default 'when-due'
   */
  readonly scan?: 'when-due' | 'now' | 'never' | undefined
}

/** Result of a sync. */
export interface SyncReport {
  /** `false` if another process was listing, so that this call only read the notes that were due. */
  readonly listed: boolean
  /** How many notes were read, or had their content read. */
  readonly settled: number
  /** How many notes could not be read. They are retried later. */
  readonly postponed: number
  /**
   * When the next work is due, in milliseconds since the Unix epoch: the retry of a note, the next poll, or the end of another process's
   * lease.
   */
  readonly nextAt: number
}

export interface SyncContext extends MirrorSettings {
  readonly ledger: Ledger
  readonly erasure: OverdueErasure
  /** The client's key. */
  readonly key: KeyIdentity
  readonly readNote: ReadNote
  /** Fires when the caller's signal does, or after `stop`. */
  readonly signal: AbortSignal
  /** Whether to stop after the current page or read. The next sync continues. */
  readonly shouldYield: () => boolean
  /** Ends the whole sync: for errors that would affect every other request. */
  readonly stop: (reason: unknown) => void
}
