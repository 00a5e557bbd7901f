import type { KeyIdentity, NotesClient } from '@notewire/client'
import type { Clock } from '@notewire/protocol'
import type { LocalListeners } from '../concurrency/local-listeners.ts'
import type { CopyHooks } from '../hooks.ts'
import type { OverdueErasure } from '../ledger/erasure.ts'
import type { Ledger, LedgerFence } from '../ledger/ledger.ts'
import type { KeptParts } from '../notes/note-write.ts'
import type { MirrorStore } from '../stores/mirror-store.ts'

/** Options of `mirror.sync`. */
export interface SyncOptions {
  /** Ends the sync, which then rejects with the signal's reason. Committed work is kept. */
  readonly signal?: AbortSignal | undefined
  /**
   * Whether to list all notes, which finds unannounced deletions and lost access: `'when-due'` (once a day), `'now'`, or `'never'`.
   *
   * @default 'when-due'
   */
  readonly fullListing?: 'when-due' | 'now' | 'never' | undefined
}

/** Result of a sync. */
export interface SyncReport {
  /** Whether a listing ended. `false` if none was due, or if another process was listing, so that this call only read the notes that were due. */
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

/** What the work on one copy needs. */
export interface EngineSettings {
  readonly client: NotesClient
  readonly store: MirrorStore
  readonly integration: string
  /** The copy that each commit is for, and the lease under which it is made, if the work needs one. */
  readonly fence: LedgerFence
  readonly keep: KeptParts
  /** That of the store, or of a slice. */
  readonly clock: Clock
  readonly concurrency: number
  readonly pollEveryMs: number
  readonly fullListingEveryMs: number
  readonly hooks: CopyHooks
  /** Notified when this process has stored a hint that makes a note due. */
  readonly hints: LocalListeners
  /** Called after each commit that announces a change. */
  readonly onAnnounced: () => void
}

export interface SyncContext extends EngineSettings {
  readonly ledger: Ledger
  readonly erasure: OverdueErasure
  /** The client's key. */
  readonly key: KeyIdentity
  /** Fires when the caller's signal does, or after `stop`. */
  readonly signal: AbortSignal
  /** Whether to stop after the current page or read. The next slice continues. */
  readonly shouldYield: () => boolean
  /** Whether a slow listing ends the slice, so that the schedule slows it down. Otherwise the client does. */
  readonly isPacedBySchedule: boolean
  /** Ends the whole slice: for errors that would affect every other request. */
  readonly stop: (reason: unknown) => void
}
