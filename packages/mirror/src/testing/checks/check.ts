import assert from 'node:assert/strict'
import type { NoteState } from '../../interfaces/note-state.ts'
import type { NoteWrite } from '../../interfaces/note-write.ts'
import type { ChangedNote, DueNotes, MirrorStore } from '../../interfaces/store.ts'

/** One requirement of every store of a mirror. */
export interface MirrorStoreCheck {
  readonly name: string
  /** Rejects with an `AssertionError` if the store does not meet it. Uses an integration of its own. */
  readonly run: (store: MirrorStore) => Promise<void>
}

/** The store and the integration of a check, and operations that many checks use. */
export class CheckContext {
  readonly store: MirrorStore
  readonly integration = `check-${crypto.randomUUID()}`

  constructor(store: MirrorStore) {
    this.store = store
  }

  /** Writes notes with their current versions, in one commit. A state alone is a note without content and announcement. */
  readonly write = async (...notes: readonly (NoteState | Omit<NoteWrite, 'expectedVersion'>)[]): Promise<void> => {
    const writes = notes.map((note) => ('state' in note ? note : { state: note }))
    const { notes: known } = await this.store.load(this.integration, idsOf(writes))
    const versioned = writes.map((write) => ({
      ...write,
      expectedVersion: known.get(write.state.noteId)?.version ?? 0,
    }))
    assert.equal(await this.store.commit(this.integration, { notes: versioned }), 'committed')
  }

  readonly take = async (request: { now: number; until?: number; limit?: number }): Promise<DueNotes> => {
    return await this.store.takeDue(this.integration, { until: request.now + 60_000, limit: 100, ...request })
  }

  /** The changes after a position, without additional fields of the store. */
  readonly changesAfter = async (after: number): Promise<readonly ChangedNote[]> => {
    const changes = await this.store.listChanges(this.integration, after, 1_000)
    return changes.map(({ state, position, visibleSince, firstVisible }) => ({
      state,
      position,
      visibleSince,
      firstVisible,
    }))
  }

  /** The content of a note, without its state. */
  readonly contentOf = async (noteId: string): Promise<unknown> => {
    const stored = await this.store.getNote(this.integration, noteId)
    return stored && { note: stored.note, transcript: stored.transcript, summary: stored.summary }
  }

  /** The ids of the notes that a search finds, sorted. */
  readonly found = async (...words: readonly string[]): Promise<readonly string[]> => {
    return idsOf(await this.store.search(this.integration, words, 100)).sort()
  }
}

export function check(name: string, body: (context: CheckContext) => Promise<void>): MirrorStoreCheck {
  return { name, run: (store) => body(new CheckContext(store)) }
}

export function idsOf(notes: readonly { readonly state: NoteState }[]): string[] {
  return notes.map(({ state }) => state.noteId)
}
