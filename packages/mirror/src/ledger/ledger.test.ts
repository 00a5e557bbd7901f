import { describe, expect, it, vi } from 'vitest'
import { memoryMirror } from '../../fixtures/memory-mirror/memory-mirror.ts'
import { aLiveNote } from '../../fixtures/note-states.ts'
import { NO_PROGRESS } from '../integrations/progress.ts'
import type { NoteState } from '../notes/note-state.ts'
import { newIntegration } from '../rules/schedule-rule.ts'
import type { LoadedNotes, MirrorCommit, MirrorStore } from '../stores/mirror-store.ts'
import { eachNote, Ledger, progressAlone } from './ledger.ts'

const FENCE = { generation: 'first', token: 0, lost: () => new Error('removed') }

function ledgerIn(store: MirrorStore): Ledger {
  void store.integrations.write(newIntegration('s', 'first', 0), undefined)
  return new Ledger({ store, integration: 's', fence: FENCE, onAnnounced: () => undefined })
}

/** A ledger over a store that counts commits. */
function aLedger() {
  const store = memoryMirror()
  const commits: MirrorCommit[] = []
  const counting = {
    ...store,
    async commit(integration: string, commit: MirrorCommit) {
      commits.push(commit)
      await new Promise((resolve) => setImmediate(resolve))
      return await store.commit(integration, commit)
    },
  }
  const ledger = ledgerIn(counting)
  const versions = async () =>
    [...(await store.load('s', ['a', 'b', 'c'])).notes.values()].map(({ version }) => version)
  return { store, loading: counting, ledger, commits, versions }
}

/** Revises each of the notes. */
const eachOf = (revise: (state: NoteState) => NoteState) => (loaded: Pick<LoadedNotes, 'notes'>) => ({
  notes: [...loaded.notes.values()].map(({ state }) => ({ state: revise(state) })),
})

describe('a revision', () => {
  it('is decided again after a conflict, with the sequence number of its first attempt', async () => {
    const { store, ledger, versions } = aLedger()
    const sequences: number[] = []
    await ledger.commit(
      eachNote(['a'], (state, { sequence }) => {
        sequences.push(sequence)
        if (sequences.length === 1) {
          void store.commit('s', { notes: [{ state: aLiveNote({ noteId: 'a' }), expectedVersion: 0 }] })
        }
        return { state: { ...state, attempts: sequences.length } }
      }),
    )
    expect(sequences).toEqual([1, 1])
    expect(await versions()).toEqual([2])
  })

  it('gives up if every attempt conflicts', async () => {
    const { store } = aLedger()
    const busy = { ...store, commit: async () => 'conflict' as const }
    const ledger = ledgerIn(busy)
    await expect(ledger.commit(eachNote(['a'], (state) => ({ state })))).rejects.toMatchObject({ code: 'mirror_busy' })
  })
})

describe('a revision for an event', () => {
  it.each([
    ['makes the integration due when the first of its notes is', 5, [20, 10], 10],
    ['makes no integration due if it makes no note due', 5, [null, null], undefined],
    ['is the only one that makes an integration due', undefined, [20, 10], undefined],
  ])('%s', async (_, heardAt, dueTimes, hintDueAt) => {
    const { ledger, commits } = aLedger()
    const decide = (state: NoteState) => ({
      state: { ...state, dueAt: dueTimes[state.noteId === 'a' ? 0 : 1] ?? null },
    })
    await ledger.commit(eachNote(['a', 'b'], decide, heardAt))
    expect(commits.map((commit) => commit.hintDueAt)).toEqual([hintDueAt])
  })
})

describe('a revision of known notes', () => {
  async function withTwoNotes() {
    const world = aLedger()
    await world.ledger.commit(eachNote(['a', 'b'], (state) => ({ state })))
    const known = [...(await world.store.load('s', ['a', 'b'])).notes.values()]
    const load = vi.spyOn(world.loading, 'load')
    return { ...world, known, load }
  }

  it('is committed without loading the notes again', async () => {
    const { ledger, known, load, versions } = await withTwoNotes()
    await ledger.commitKnown({ known, decide: eachOf((state) => ({ ...state, attempts: 7 })) })
    expect(load).not.toHaveBeenCalled()
    expect(await versions()).toEqual([2, 2])
  })

  it('is decided again with the stored states if another process has written one of them', async () => {
    const { store, ledger, known, versions } = await withTwoNotes()
    const later = aLiveNote({ noteId: 'a', attempts: 3 })
    await store.commit('s', { notes: [{ state: later, expectedVersion: 1 }] })
    await ledger.commitKnown({ known, decide: eachOf((state) => ({ ...state, failures: state.attempts })) })
    expect(await versions()).toEqual([3, 2])
    const { notes } = await store.load('s', ['a'])
    expect(notes.get('a')?.state).toMatchObject({ attempts: 3, failures: 3 })
  })

  it('writes nothing if nothing is decided', async () => {
    const { ledger, known, commits } = await withTwoNotes()
    commits.splice(0)
    await ledger.commitKnown({ known, decide: () => ({}) })
    expect(commits).toEqual([])
  })
})

describe('a page', () => {
  const notes = ['a', 'b'].map((noteId) => ({ state: aLiveNote({ noteId }) }))
  const page = {
    noteIds: ['a', 'b'],
    decide: ({ progress }: LoadedNotes) => ({ notes, progress: { ...progress, baseUrl: 'https://notes.example' } }),
  }

  it('is committed with the progress, or not at all', async () => {
    const { store, ledger, commits } = aLedger()
    const written = await ledger.commit(page)
    expect(written.copy).toMatchObject({ sequence: 1, progress: { baseUrl: 'https://notes.example' } })
    expect([...written.writes.keys()]).toEqual(['a', 'b'])
    expect(commits).toHaveLength(1)
    expect(await store.readProgress('s')).toMatchObject({ progress: { baseUrl: 'https://notes.example' } })
    expect((await store.load('s', ['a', 'b'])).notes.size).toBe(2)
  })

  it('is not written if another worker has taken the integration', async () => {
    const { store, ledger } = aLedger()
    await store.integrations.take({ now: 1, until: 2, worker: 'another', maxRank: 3 })
    await expect(ledger.commit(page)).rejects.toThrow('removed')
    expect((await store.load('s', ['a', 'b'])).notes.size).toBe(0)
  })
})

describe('the progress', () => {
  it('is not written without a fencing token', async () => {
    const { store, commits } = aLedger()
    const { token: _, ...fence } = FENCE
    const ledger = new Ledger({ store, integration: 's', fence, onAnnounced: () => undefined })
    await expect(ledger.commitKnown(progressAlone(NO_PROGRESS))).rejects.toThrow('removed')
    expect(commits).toEqual([])
  })
})
