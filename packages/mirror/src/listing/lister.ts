import type { NotesClient } from '@notewire/client'
import { isTombstone, type Note } from '@notewire/protocol'
import { isAhead } from '../clocks.ts'
import { KeyChangedError } from '../errors.ts'
import type { Ledger } from '../ledger.ts'
import { type MirrorHooks, tell } from '../mirror-hooks.ts'
import type { EvidenceSource } from '../rules/note-state.ts'
import { applyRead, type Reading } from '../rules/read-rule.ts'
import type { LoadedNotes, LoadedProgress, MirrorStore, NoteWrite } from '../stores/store.ts'
import type { MirrorProgress } from './progress.ts'

/** How long a lister may be silent before another takes its place. */
const LEASE_MS = 30_000

/** What a listing is made with. */
export interface ListingTools {
  readonly client: NotesClient
  readonly store: MirrorStore
  readonly scope: string
  readonly ledger: Ledger
  readonly hooks: MirrorHooks
  readonly signal: AbortSignal
  /** Tells that there may be notes to settle. */
  readonly onPage: () => void
}

/** Somebody else lists now: what this process listed is not applied. */
export class Replaced extends Error {}

/**
 * The one that lists for a scope. It writes its progress with the notes of each page in one step, provided that the progress is
 * as it left it: two of them cannot both go on.
 */
export class Lister {
  readonly #tools: ListingTools
  readonly #holder: string
  #version: number
  #sequence: number
  progress: MirrorProgress

  private constructor(tools: ListingTools, holder: string, loaded: LoadedProgress) {
    this.#tools = tools
    this.#holder = holder
    this.#version = loaded.progressVersion
    this.#sequence = loaded.sequence
    this.progress = loaded.progress
  }

  /**
   * Becomes the lister; `undefined` while somebody else is.
   *
   * @throws KeyChangedError when the notes were listed with another key
   */
  static async begin(tools: ListingTools, holder: string): Promise<Lister | undefined> {
    const { client, store, scope, ledger } = tools
    const loaded = await store.readProgress(scope)
    const { keyId, lister: lease } = loaded.progress
    refuseOtherKey(scope, keyId, client)
    if (takenUntil(lease, holder, ledger.clock.now()) !== undefined) return undefined
    const lister = new Lister(tools, holder, loaded)
    try {
      await lister.advance({ keyId: client.keyId ?? null })
      return lister
    } catch (error) {
      if (error instanceof Replaced) return undefined
      throw error
    }
  }

  /** The sequence number that dates the next request. */
  get sequence(): number {
    return this.#sequence
  }

  /** Writes progress that no page brought. */
  async advance(progress: Partial<MirrorProgress>): Promise<void> {
    await this.#write(
      [],
      () => undefined,
      () => progress,
    )
  }

  /** Applies a page, and the progress behind it, in one step. */
  async applyPage(
    listed: readonly Note[],
    source: EvidenceSource,
    progressBehind: (found: PageFindings) => Partial<MirrorProgress>,
  ): Promise<void> {
    const notes = latestById(listed)
    const { keep, clock } = this.#tools.ledger
    const live = [...notes.values()].filter((note) => !isTombstone(note)).length
    const start = this.#sequence
    await this.#write(
      [...notes.keys()],
      (state, end) => {
        const reading: Reading = { start, end, source, at: clock.now() }
        return applyRead(state, notes.get(state.noteId), reading, { keep })
      },
      (before, writes) =>
        progressBehind({ live, unannounced: countUnannounced(before, writes), heardAt: before.heardAt }),
    )
    this.#tools.onPage()
  }

  /** Lets others list. */
  async end(): Promise<void> {
    await this.#write(
      [],
      () => undefined,
      () => ({}),
      null,
    )
  }

  tellProgress(phase: 'backfill' | 'poll' | 'scan' | 'confirming', done: number, total?: number): void {
    tell(this.#tools.hooks.onProgress, { phase, done, total })
  }

  async #write(
    noteIds: readonly string[],
    decide: Parameters<Ledger['revise']>[1],
    progressBehind: (before: LoadedNotes, writes: readonly NoteWrite[]) => Partial<MirrorProgress>,
    lease: MirrorProgress['lister'] = { holder: this.#holder, until: this.#tools.ledger.clock.now() + LEASE_MS },
  ): Promise<void> {
    let next = this.progress
    const outcome = await this.#tools.ledger.revise(noteIds, decide, (before, writes) => {
      if (before.progressVersion !== this.#version) return 'fenced'
      next = { ...this.progress, ...progressBehind(before, writes), lister: lease }
      return { progress: { expectedVersion: this.#version, next } }
    })
    if (outcome === 'fenced') throw new Replaced()
    this.progress = next
    this.#version += 1
    this.#sequence = outcome.before.sequence
  }
}

/** Until when at most somebody else lists; `undefined` while nobody does. */
export function takenUntil(lease: MirrorProgress['lister'], holder: string, now: number): number | undefined {
  if (lease === null || lease.holder === holder || lease.until <= now) return undefined
  return isAhead(lease.until - LEASE_MS, now) ? undefined : lease.until
}

/** @throws KeyChangedError when the notes were read with another key */
export function refuseOtherKey(scope: string, keyId: string | null, client: NotesClient): void {
  if (keyId !== null && keyId !== client.keyId) throw new KeyChangedError(scope, keyId, client.keyId)
}

/** What a page brought. */
export interface PageFindings {
  readonly live: number
  /** How many of its notes changed without an event that said so. */
  readonly unannounced: number
  /** When the last event came. */
  readonly heardAt: number | null
}

/** How many notes changed of which no event had said so. */
function countUnannounced({ notes }: LoadedNotes, writes: readonly NoteWrite[]): number {
  return writes.filter(({ state: { noteId }, announce }) => {
    const before = notes.get(noteId)?.state
    return announce !== undefined && (before?.dirty ?? null) === null && (before?.hintedRevision ?? null) === null
  }).length
}

/** A page may hold a note twice, when it moved while the page was made. */
function latestById(listed: readonly Note[]): ReadonlyMap<string, Note> {
  const notes = new Map<string, Note>()
  for (const note of listed) {
    const known = notes.get(note.note_id)
    if (known === undefined || known.revision <= note.revision) notes.set(note.note_id, note)
  }
  return notes
}
