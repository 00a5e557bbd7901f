import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { memoryMirror } from '../../fixtures/memory-mirror/memory-mirror.ts'
import { aGoneNote, aLiveNote } from '../../fixtures/note-states.ts'
import type { NoteState } from '../notes/note-state.ts'
import type { NoteWrite } from '../notes/note-write.ts'
import type { MirrorStore } from '../stores/mirror-store.ts'
import { type ChangesOptions, type MirrorChange, readChanges } from './changes.ts'

/** A store, and operations on its notes. */
function aFeed() {
  const store = memoryMirror()
  const named: MirrorStore = {
    ...store,
    readFeed: async (...values) => ({ ...(await store.readFeed(...values)), generation: 'copy-1' }),
  }
  const clock = { now: () => 0, sleep: () => new Promise<void>((resolve) => setImmediate(resolve)) }
  async function write(noteId: string, state: NoteState, announce: NoteWrite['announce']): Promise<void> {
    const { notes } = await store.load('s', [noteId])
    const expectedVersion = notes.get(noteId)?.version ?? 0
    await store.commit('s', { notes: [{ state: { ...state, noteId }, expectedVersion, announce }] })
  }
  return {
    appear: (noteId: string) => write(noteId, aLiveNote(), 'appeared'),
    change: (noteId: string) => write(noteId, aLiveNote(), 'changed'),
    hide: (noteId: string) => write(noteId, aLiveNote({ presence: 'hidden' }), 'vanished'),
    remove: (noteId: string) => write(noteId, aGoneNote(), 'vanished'),
    read: (options: ChangesOptions = {}) => readChanges({ store: named, integration: 's', clock }, options),
  }
}

async function toldOf(changes: AsyncIterable<MirrorChange>): Promise<string[]> {
  const told: string[] = []
  for await (const { kind, noteId } of changes) told.push(`${kind} ${noteId}`)
  return told
}

async function lastOf(changes: AsyncIterable<MirrorChange>): Promise<string> {
  let last = ''
  for await (const { position } of changes) last = position
  return last
}

describe('the feed', () => {
  it('yields each note once, at its latest change', async () => {
    const feed = aFeed()
    await feed.appear('a')
    await feed.appear('b')
    await feed.change('a')
    expect(await toldOf(feed.read())).toEqual(['added b', 'added a'])
  })

  it('continues after a position', async () => {
    const feed = aFeed()
    await feed.appear('a')
    await feed.appear('b')
    const after = await lastOf(feed.read())
    await feed.change('b')
    await feed.hide('a')
    expect(await toldOf(feed.read({ after }))).toEqual(['content b', 'hidden a'])
    await feed.remove('a')
    expect(await toldOf(feed.read({ after }))).toEqual(['content b', 'removed a'])
    await feed.appear('a')
    expect(await toldOf(feed.read({ after }))).toEqual(['content b', 'restored a'])
    expect(await toldOf(feed.read({ after: await lastOf(feed.read()) }))).toEqual([])
  })

  it('yields nothing for a note that appeared and vanished since', async () => {
    const feed = aFeed()
    await feed.appear('a')
    await feed.remove('a')
    expect(await toldOf(feed.read())).toEqual([])
  })

  it('yields the removal of a note that it has yielded in the same loop', async () => {
    const feed = aFeed()
    await feed.appear('a')
    const told: string[] = []
    for await (const { kind, noteId } of feed.read()) {
      told.push(`${kind} ${noteId}`)
      if (told.length === 1) await feed.remove('a')
    }
    expect(told).toEqual(['added a', 'removed a'])
  })

  it('never yields content for a note that it has not yielded as added', async () => {
    const feed = aFeed()
    for (let count = 0; count < 150; count += 1) await feed.appear(`n${count}`)
    const told: string[] = []
    for await (const { kind, noteId } of feed.read()) {
      told.push(`${kind} ${noteId}`)
      if (told.length === 1) await feed.change('n140')
    }
    expect(told.at(-1)).toBe('added n140')
    expect(told.filter((line) => line.startsWith('content'))).toEqual([])
  })

  it('waits for more changes with follow, until its signal fires', async () => {
    const feed = aFeed()
    const end = new AbortController()
    const told: string[] = []
    const following = (async () => {
      for await (const { kind, noteId } of feed.read({ follow: true, signal: end.signal })) {
        told.push(`${kind} ${noteId}`)
        if (told.length === 2) end.abort(new Error('enough'))
      }
    })()
    await feed.appear('a')
    await feed.appear('b')
    await expect(following).rejects.toThrow('enough')
    expect(told).toEqual(['added a', 'added b'])
  })

  it.each(['', 'x', '7', 'copy-1:', 'copy-1:1.5', 'copy-1:-1', `copy-1:${'1'.repeat(20)}`])(
    'rejects %j, which is not a position',
    async (after) => {
      await expect(toldOf(aFeed().read({ after }))).rejects.toMatchObject({ code: 'position_malformed' })
    },
  )

  it('rejects a position of a copy that was deleted since', async () => {
    await expect(toldOf(aFeed().read({ after: 'copy-0:7' }))).rejects.toMatchObject({ code: 'position_foreign' })
  })

  it('leads a reader that stops and resumes at any position to the current notes', async () => {
    const acts = fc.array(
      fc.record({
        act: fc.constantFrom('appear', 'change', 'hide', 'remove', 'read', 'read some'),
        noteId: fc.constantFrom('a', 'b', 'c', 'd'),
        some: fc.integer({ min: 1, max: 3 }),
      }),
      { maxLength: 60 },
    )
    await fc.assert(
      fc.asyncProperty(acts, async (plan) => {
        const feed = aFeed()
        const truth = new Set<string>()
        const index = new Set<string>()
        let after: string | undefined
        const read = async (most: number) => {
          let left = most
          for await (const change of feed.read({ after })) {
            if (change.kind === 'hidden' || change.kind === 'removed') index.delete(change.noteId)
            else index.add(change.noteId)
            after = change.position
            left -= 1
            if (left === 0) return
          }
        }
        for (const { act, noteId, some } of plan) {
          if (act === 'read') await read(Number.POSITIVE_INFINITY)
          else if (act === 'read some') await read(some)
          else if (act === 'appear' || truth.has(noteId)) {
            await feed[act](noteId)
            if (act === 'hide' || act === 'remove') truth.delete(noteId)
            else truth.add(noteId)
          }
        }
        await read(Number.POSITIVE_INFINITY)
        expect(index).toEqual(truth)
      }),
      { numRuns: 300 },
    )
  })
})
