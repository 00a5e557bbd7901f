import type { NotesClient } from '@notewire/client'
import type { Clock } from '@notewire/protocol'
import type { LocalListeners } from '../concurrency/local-listeners.ts'
import type { LocalWork } from '../concurrency/local-work.ts'
import type { MirrorHooks } from '../hooks.ts'
import type { KeptParts } from '../notes/note-write.ts'
import type { MirrorLog } from '../reporting/mirror-log.ts'
import type { MirrorStore } from '../stores/mirror-store.ts'
import type { Integrations } from './integrations.ts'

/** What all work on the integrations of `createMirror` and `createMirrors` needs. */
export interface WorkSettings {
  readonly store: MirrorStore
  /** Changes the integrations of the store. */
  readonly integrations: Integrations
  /** That of the store, or of a slice. */
  readonly clock: Clock
  /** Returns the client of an integration, and the print of its key. */
  readonly connect: (integration: string, during: During) => Promise<Connection>
  readonly keep: KeptParts
  readonly pollEveryMs: number
  readonly fullListingEveryMs: number
  readonly policy: Policy
  readonly hooks: MirrorHooks
  readonly log: MirrorLog
  /** The name of this process, for the people who find it in an error. */
  readonly worker: string
  /** What this process works on. */
  readonly work: LocalWork
  /** Notified when this process has committed changes. */
  readonly changes: LocalListeners
  /** Notified when this process has stored a hint that makes a note due. */
  readonly hints: LocalListeners
}

/** The access to the service for one integration. */
export interface Connection {
  readonly client: NotesClient
  readonly baseUrl: string
  /** Identifies the key among those of the other integrations; `null` if integrations may share a key. */
  readonly keyPrint: string | null
}

interface During {
  readonly clock: Clock
  readonly signal: AbortSignal
}

/** What differs between the mirror of one integration and the mirrors of many. */
export interface Policy {
  /** Whether this is `createMirror`: its integration has a row of its own kind, which it makes itself. */
  readonly isSingle: boolean
  /** The maximum number of notes of one integration that are read concurrently. */
  readonly noteConcurrency: number
  /** Shortens a time between two listings, so that integrations that were added together do not poll together. */
  readonly spread: (ms: number, integration: string) => number
  /** The longest time between two polls, while events arrive and polls find only announced changes, in milliseconds. */
  readonly longestPollEveryMs: number
  /** The longest pause that a service can request, in milliseconds. */
  readonly longestPauseMs: number
  /** The longest time between two checks for work that other processes have made due, in milliseconds. */
  readonly checkEveryMs: number
  /** The longest time between two checks of an idle consumer for changes of other processes, in milliseconds. */
  readonly consumersIdleMs: number
  /** Whether an integration whose key is refused, changed or shared is parked. Otherwise its work is retried, or ends. */
  readonly parks: boolean
}
