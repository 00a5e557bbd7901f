import assert from 'node:assert/strict'
import type { ChangedNote } from '../../stores/store.ts'
import { aLiveState, aState } from './builders.ts'
import { check, type MirrorStoreCheck, type Stage } from './check.ts'

export const feedChecks: readonly MirrorStoreCheck[] = [
  check('tells of a note that is announced, and of no other', async (stage) => {
    await stage.write({ state: aState('silent') }, { state: aLiveState('loud'), announce: 'appeared' })
    const [change, ...others] = await changesAfter(stage, 0)
    assert.deepEqual(others, [])
    assert.deepEqual(change?.state, aLiveState('loud'))
  }),

  check('gives the notes of one commit positions in the order in which it names them', async (stage) => {
    const noteIds = ['c', 'a', 'd', 'b']
    await stage.write(...noteIds.map((noteId) => ({ state: aLiveState(noteId), announce: 'appeared' as const })))
    await stage.write({ state: aLiveState('d'), announce: 'changed' }, { state: aLiveState('e'), announce: 'appeared' })
    const changes = await changesAfter(stage, 0)
    assert.deepEqual(
      changes.map(({ state }) => state.noteId),
      ['c', 'a', 'b', 'd', 'e'],
    )
    assertStrictlyGrowing(changes.map(({ position }) => position))
  }),

  check('shows a note once, at its latest change, where its latest state is', async (stage) => {
    await stage.write({ state: aLiveState('note_1'), announce: 'appeared' })
    const [first] = await changesAfter(stage, 0)
    for (const revision of [2, 3]) {
      await stage.write({ state: aLiveState('note_1', { revision }), announce: 'changed' })
    }
    const changes = await changesAfter(stage, 0)
    assert.deepEqual(
      changes.map(({ state }) => state.revision),
      [3],
    )
    assert.ok((changes[0]?.position ?? 0) > (first?.position ?? 0), 'a later change must have a greater position')
    assert.deepEqual(await changesAfter(stage, changes[0]?.position ?? 0), [])
  }),

  check('shows the state of now, also where it was written without being announced', async (stage) => {
    await stage.write({ state: aLiveState('note_1'), announce: 'appeared' })
    const [before] = await changesAfter(stage, 0)
    await stage.write({ state: aLiveState('note_1', { attempts: 5 }) })
    assert.deepEqual(await changesAfter(stage, 0), [{ ...before, state: aLiveState('note_1', { attempts: 5 }) }])
  }),

  check('tells since when a note is visible, and since when it was for the first time', async (stage) => {
    const steps = [
      { announce: 'appeared', since: 'now', first: 'now' },
      { announce: 'changed', since: 'before', first: 'before' },
      { announce: 'vanished', since: 'before', first: 'before' },
      { announce: 'appeared', since: 'now', first: 'before' },
      { announce: undefined, since: 'before', first: 'before' },
      { announce: 'changed', since: 'before', first: 'before' },
    ] as const
    let before: ChangedNote | undefined
    for (const { announce, since, first } of steps) {
      await stage.write({ state: aLiveState('note_1'), announce })
      const change: ChangedNote | undefined = (await changesAfter(stage, 0))[0]
      assert.ok(change !== undefined)
      assert.equal(change.visibleSince, since === 'now' ? change.position : before?.visibleSince)
      assert.equal(change.firstVisible, first === 'now' ? change.position : before?.firstVisible)
      before = change
    }
  }),

  check('tells the position of the latest change, also when its note has changed again', async (stage) => {
    const { store, scope } = stage
    assert.equal(await store.latestPosition(scope), 0)
    await stage.write(
      { state: aLiveState('note_1'), announce: 'appeared' },
      { state: aLiveState('note_2'), announce: 'appeared' },
    )
    for (const noteId of ['note_1', 'note_2', 'note_1']) {
      const before = await store.latestPosition(scope)
      await stage.write({ state: aLiveState(noteId) })
      assert.equal(await store.latestPosition(scope), before)
      await stage.write({ state: aLiveState(noteId), announce: 'changed' })
      assert.equal(await store.latestPosition(scope), (await changesAfter(stage, 0)).at(-1)?.position)
    }
  }),

  check('tells that a note was never visible', async (stage) => {
    await stage.write({ state: aState('note_1', { presence: 'gone' }), announce: 'vanished' })
    const [change] = await changesAfter(stage, 0)
    assert.equal(change?.firstVisible, null)
  }),

  check('goes through changes page by page, each note once, while notes change', async (stage) => {
    const noteIds = Array.from({ length: 25 }, (_, index) => `note_${index}`)
    await stage.write(...noteIds.map((noteId) => ({ state: aLiveState(noteId), announce: 'appeared' as const })))
    const seen: string[] = []
    const positions: number[] = []
    for (let after = 0; ; ) {
      const page = await stage.store.listChanges(stage.scope, after, 10)
      if (page.length === 0) break
      assert.ok(page.length <= 10, 'a page must not be longer than asked for')
      seen.push(...page.map(({ state }) => state.noteId))
      positions.push(...page.map(({ position }) => position))
      after = positions.at(-1) ?? 0
      if (seen.length === 10) await stage.write({ state: aLiveState('note_3'), announce: 'changed' })
    }
    assert.deepEqual(seen, [...noteIds, 'note_3'])
    assertStrictlyGrowing(positions)
  }),

  check('shows no position before all lower ones, however many write at once', async (stage) => {
    const { store, scope } = stage
    const noteIds = Array.from({ length: 30 }, (_, index) => `note_${index}`)
    const writing = Promise.all(
      noteIds.map((noteId) =>
        store.commit(scope, { notes: [{ state: aLiveState(noteId), expectedVersion: 0, announce: 'appeared' }] }),
      ),
    )
    let isOver = false
    void writing.then(() => {
      isOver = true
    })
    const seen: string[] = []
    for (let after = 0, wasOver = false; !wasOver; ) {
      wasOver = isOver
      const page = await changesAfter(stage, after)
      seen.push(...page.map(({ state }) => state.noteId))
      after = page.at(-1)?.position ?? after
    }
    assert.deepEqual(await writing, Array(30).fill('committed'))
    assert.deepEqual(seen.sort(), noteIds.sort())
  }),
]

async function changesAfter({ store, scope }: Stage, after: number): Promise<readonly ChangedNote[]> {
  const changes = await store.listChanges(scope, after, 1_000)
  // A store may know more of a row than it was asked for.
  return changes.map(({ state, position, visibleSince, firstVisible }) => ({
    state,
    position,
    visibleSince,
    firstVisible,
  }))
}

function assertStrictlyGrowing(positions: readonly number[]): void {
  for (const [index, position] of positions.entries()) {
    assert.ok(position > (positions[index - 1] ?? 0), `positions must grow: ${positions.join(', ')}`)
  }
}
