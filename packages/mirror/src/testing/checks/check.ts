import assert from 'node:assert/strict'
import type { MirrorStore, NoteWrite } from '../../stores/store.ts'

/** One thing that every store of a mirror must do. */
export interface MirrorStoreCheck {
  readonly name: string
  /** Rejects with an `AssertionError` when the store does not. Works in a scope of its own. */
  readonly run: (store: MirrorStore) => Promise<void>
}

/** What a check works with. */
export interface Stage {
  readonly store: MirrorStore
  readonly scope: string
  /** Writes notes at the versions that they have, in one commit. */
  readonly write: (...writes: readonly Omit<NoteWrite, 'expectedVersion'>[]) => Promise<void>
}

export function check(name: string, body: (stage: Stage) => Promise<void>): MirrorStoreCheck {
  return {
    name,
    run: async (store) => {
      const scope = `check-${crypto.randomUUID()}`
      await body({
        store,
        scope,
        write: async (...writes) => {
          const noteIds = writes.map(({ state }) => state.noteId)
          const { notes } = await store.load(scope, noteIds)
          const versioned = writes.map((write) => ({
            ...write,
            expectedVersion: notes.get(write.state.noteId)?.version ?? 0,
          }))
          assert.equal(await store.commit(scope, { notes: versioned }), 'committed')
        },
      })
    },
  }
}
