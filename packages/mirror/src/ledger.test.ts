import { systemClock } from '@notewire/protocol'
import { describe, expect, it } from 'vitest'
import { aLiveNote, KEEP_ALL } from './fixtures/note-states.ts'
import { Ledger } from './ledger.ts'
import { memoryMirror } from './stores/memory-store.ts'
import type { MirrorCommit } from './stores/store.ts'

/** A ledger over a store that counts commits. */
function aLedger() {
  const store = memoryMirror()
  const commits: MirrorCommit[] = []
  const counting = {
    ...store,
    async commit(scope: string, commit: MirrorCommit) {
      commits.push(commit)
      await new Promise((resolve) => setImmediate(resolve))
      return await store.commit(scope, commit)
    },
  }
  const ledger = new Ledger({ store: counting, scope: 's', keep: KEEP_ALL, clock: systemClock })
  const known = (noteId: string, version = 0) => ({ state: { ...aLiveNote(), noteId }, version })
  const versions = async () =>
    [...(await store.load('s', ['a', 'b', 'c'])).notes.values()].map(({ version }) => version)
  return { store, ledger, commits, known, versions }
}

describe('changes from what is known', () => {
  it('that come while one is being written are written together', async () => {
    const { ledger, commits, known, versions } = aLedger()
    const keep = (state: ReturnType<typeof aLiveNote>) => ({ state })
    const outcomes = await Promise.all(['a', 'b', 'c'].map((noteId) => ledger.writeFrom(known(noteId), keep)))
    expect(outcomes).toEqual([true, true, true])
    expect(commits.length).toBeLessThanOrEqual(2)
    expect(await versions()).toEqual([1, 1, 1])
  })

  it('are refused alone when one was overtaken', async () => {
    const { ledger, known, versions } = aLedger()
    const keep = (state: ReturnType<typeof aLiveNote>) => ({ state })
    await ledger.writeFrom(known('b'), keep)
    const outcomes = await Promise.all(['a', 'b', 'c'].map((noteId) => ledger.writeFrom(known(noteId), keep)))
    expect(outcomes).toEqual([true, false, true])
    expect(await versions()).toEqual([1, 1, 1])
  })

  it('of one note at the same time count once', async () => {
    const { ledger, known, versions } = aLedger()
    const keep = (state: ReturnType<typeof aLiveNote>) => ({ state })
    const outcomes = await Promise.all(['a', 'a', 'a'].map((noteId) => ledger.writeFrom(known(noteId), keep)))
    expect(outcomes.filter(Boolean)).toEqual([true])
    expect(await versions()).toEqual([1])
  })

  it('that decide nothing write nothing', async () => {
    const { ledger, commits, known } = aLedger()
    expect(await ledger.writeFrom(known('a'), () => undefined)).toBe(true)
    expect(commits).toEqual([])
  })
})

describe('a revision', () => {
  it('is decided again when somebody else was faster, by the number of its first try', async () => {
    const { store, ledger, versions } = aLedger()
    const sequences: number[] = []
    let overtaken = false
    await ledger.revise(
      ['a'],
      (state, sequence) => {
        sequences.push(sequence)
        return { state: { ...state, attempts: sequences.length } }
      },
      (before) => {
        if (!overtaken)
          void store.commit('s', {
            notes: [{ state: aLiveNote({ noteId: 'a' }), expectedVersion: before.notes.get('a')?.version ?? 0 }],
          })
        overtaken = true
        return {}
      },
    )
    expect(sequences).toEqual([1, 1])
    expect(await versions()).toEqual([2])
  })

  it('gives up when others are always faster', async () => {
    const { store } = aLedger()
    const busy = { ...store, commit: async () => 'conflict' as const }
    const ledger = new Ledger({ store: busy, scope: 's', keep: KEEP_ALL, clock: systemClock })
    await expect(ledger.revise(['a'], (state) => ({ state }))).rejects.toMatchObject({ code: 'mirror_busy' })
  })
})
