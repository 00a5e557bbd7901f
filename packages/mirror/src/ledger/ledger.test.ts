import { systemClock } from '@notewire/protocol'
import { describe, expect, it } from 'vitest'
import { aLiveNote } from '../fixtures/note-states.ts'
import type { NoteState } from '../interfaces/note-state.ts'
import type { MirrorProgress } from '../interfaces/progress.ts'
import type { MirrorCommit, MirrorStore } from '../interfaces/store.ts'
import type { Decision } from '../rules/decision.ts'
import { memoryMirror } from '../stores/memory-store.ts'
import { type KnownNote, Ledger } from './ledger.ts'

/** A ledger over a store that counts commits. */
function aLedger(settings: Pick<MirrorStore, 'mostEditsPerCommit'> = {}) {
  const store = memoryMirror()
  const commits: MirrorCommit[] = []
  const counting = {
    ...store,
    ...settings,
    async commit(integration: string, commit: MirrorCommit) {
      commits.push(commit)
      await new Promise((resolve) => setImmediate(resolve))
      return await store.commit(integration, commit)
    },
  }
  const ledger = new Ledger({ store: counting, integration: 's', clock: systemClock })
  const known = (noteId: string, state: Partial<NoteState> = {}): KnownNote => ({
    state: { ...aLiveNote(), ...state, noteId },
    version: 0,
    decide: (before) => ({ state: before }),
  })
  const versions = async () =>
    [...(await store.load('s', ['a', 'b', 'c'])).notes.values()].map(({ version }) => version)
  return { store, ledger, commits, known, versions }
}

describe('a write is a stamp', () => {
  const evidence = { says: 'present', start: 8, end: 9, source: 'scan', at: 1 } as const
  const before: NoteState = { ...aLiveNote(), noteId: 'a' }

  async function isStamp(decision: Decision): Promise<boolean | undefined> {
    const { store, ledger, commits } = aLedger()
    await store.commit('s', { notes: [{ state: before, expectedVersion: 0 }] })
    await ledger.revise(['a'], () => decision)
    return commits.at(-1)?.notes[0]?.isStamp
  }

  it('if it changes only the evidence of a stored note', async () => {
    expect(await isStamp({ state: { ...before, evidence } })).toBe(true)
  })

  it('unless it changes the content or the feed', async () => {
    expect(await isStamp({ state: { ...before, evidence }, content: { summary: null } })).toBe(false)
    expect(await isStamp({ state: { ...before, evidence }, announce: 'changed' })).toBe(false)
  })

  it.each(Object.keys(before).filter((field) => field !== 'evidence' && field !== 'noteId'))(
    'unless it changes %s',
    async (field) => {
      expect(await isStamp({ state: { ...before, evidence, [field]: 'other' } })).toBe(false)
    },
  )

  it('unless the note is new', async () => {
    const { ledger, commits } = aLedger()
    await ledger.revise(['a'], (state) => ({ state: { ...state, evidence } }))
    expect(commits.at(-1)?.notes[0]?.isStamp).toBe(false)
  })
})

describe('revisions of known notes', () => {
  it('are written in one commit', async () => {
    const { ledger, commits, known, versions } = aLedger()
    expect(await ledger.reviseKnown(['a', 'b', 'c'].map((noteId) => known(noteId)))).toEqual([])
    expect(commits).toHaveLength(1)
    expect(await versions()).toEqual([1, 1, 1])
  })

  it('are rejected only for notes that another process has changed', async () => {
    const { ledger, known, versions } = aLedger()
    const notes = ['a', 'b', 'c'].map((noteId) => known(noteId))
    await ledger.reviseKnown([known('b')])
    expect(await ledger.reviseKnown(notes)).toEqual([notes[1]])
    expect(await versions()).toEqual([1, 1, 1])
  })

  it('are rejected for a note that the store rejects', async () => {
    const { store, known } = aLedger()
    const failing = { ...store, commit: () => Promise.reject(new Error('the disk is full')) }
    const notes = [known('a')]
    expect(await new Ledger({ store: failing, integration: 's', clock: systemClock }).reviseKnown(notes)).toEqual(notes)
  })

  it('of edited notes are divided as the store asks', async () => {
    const { ledger, commits, known } = aLedger({ mostEditsPerCommit: 2 })
    const edited = { transcriptHeld: 'ready' } as const
    await ledger.reviseKnown(['a', 'b', 'c'].map((noteId) => known(noteId, edited)))
    expect(commits.map(({ notes }) => notes.length)).toEqual([2, 1])
  })

  it('write nothing if they decide nothing', async () => {
    const { ledger, commits, known } = aLedger()
    expect(await ledger.reviseKnown([{ ...known('a'), decide: () => undefined }])).toEqual([])
    expect(commits).toEqual([])
  })
})

describe('a revision', () => {
  it('is decided again after a conflict, with the sequence number of its first attempt', async () => {
    const { store, ledger, versions } = aLedger()
    const sequences: number[] = []
    await ledger.revise(['a'], (state, sequence) => {
      sequences.push(sequence)
      if (sequences.length === 1) {
        void store.commit('s', { notes: [{ state: aLiveNote({ noteId: 'a' }), expectedVersion: 0 }] })
      }
      return { state: { ...state, attempts: sequences.length } }
    })
    expect(sequences).toEqual([1, 1])
    expect(await versions()).toEqual([2])
  })

  it('gives up if every attempt conflicts', async () => {
    const { store } = aLedger()
    const busy = { ...store, commit: async () => 'conflict' as const }
    const ledger = new Ledger({ store: busy, integration: 's', clock: systemClock })
    await expect(ledger.revise(['a'], (state) => ({ state }))).rejects.toMatchObject({ code: 'mirror_busy' })
  })
})

describe('an advance of the progress', () => {
  it('is committed with the notes of its page, or not at all', async () => {
    const { store, ledger, commits } = aLedger()
    const decide = (state: ReturnType<typeof aLiveNote>) => ({ state })
    const advance = ({ progress }: { progress: MirrorProgress }) => ({ ...progress, copyId: 'copy-1' })
    const { before, progress } = await ledger.advance(advance, ['a', 'b'], decide)
    expect([before.progressVersion, progress.copyId]).toEqual([0, 'copy-1'])
    expect(commits).toHaveLength(1)
    expect(await store.readProgress('s')).toMatchObject({ progress: { copyId: 'copy-1' }, progressVersion: 1 })
    expect((await store.load('s', ['a', 'b'])).notes.size).toBe(2)
  })

  it('writes nothing if it decides nothing', async () => {
    const { ledger, commits } = aLedger()
    await ledger.advance(() => undefined)
    expect(commits).toEqual([])
  })
})
