import assert from 'node:assert/strict'
import { systemClock } from '@notewire/protocol'
import type { ChangedNote } from '../../interfaces/store.ts'
import { aLiveState, aState } from './builders.ts'
import { check, idsOf, type MirrorStoreCheck } from './check.ts'

export const feedChecks: readonly MirrorStoreCheck[] = [
  check('lists announced notes only', async ({ write, changesAfter }) => {
    await write(aState('silent'), { state: aLiveState('loud'), announce: 'appeared' })
    const [change, ...others] = await changesAfter(0)
    assert.deepEqual(others, [])
    assert.deepEqual(change?.state, aLiveState('loud'))
  }),

  check('assigns positions to the notes of one commit in their order', async ({ write, changesAfter }) => {
    const noteIds = ['c', 'a', 'd', 'b']
    await write(...noteIds.map((noteId) => ({ state: aLiveState(noteId), announce: 'appeared' as const })))
    await write({ state: aLiveState('d'), announce: 'changed' }, { state: aLiveState('e'), announce: 'appeared' })
    const changes = await changesAfter(0)
    assert.deepEqual(idsOf(changes), ['c', 'a', 'b', 'd', 'e'])
    assertStrictlyGrowing(changes.map(({ position }) => position))
  }),

  check('lists a note once, at its latest change', async ({ write, changesAfter }) => {
    await write({ state: aLiveState('note_1'), announce: 'appeared' })
    const [first] = await changesAfter(0)
    for (const revision of [2, 3]) {
      await write({ state: aLiveState('note_1', { revision }), announce: 'changed' })
    }
    const changes = await changesAfter(0)
    assert.deepEqual(
      changes.map(({ state }) => state.revision),
      [3],
    )
    assert.ok((changes[0]?.position ?? 0) > (first?.position ?? 0), 'a later change must have a greater position')
    assert.deepEqual(await changesAfter(changes[0]?.position ?? 0), [])
  }),

  check('lists the current state, even if it was written without an announcement', async ({ write, changesAfter }) => {
    await write({ state: aLiveState('note_1'), announce: 'appeared' })
    const [before] = await changesAfter(0)
    await write(aLiveState('note_1', { attempts: 5 }))
    assert.deepEqual(await changesAfter(0), [{ ...before, state: aLiveState('note_1', { attempts: 5 }) }])
  }),

  check('stores the positions at which a note last and first became visible', async ({ write, changesAfter }) => {
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
      await write({ state: aLiveState('note_1'), announce })
      const change: ChangedNote | undefined = (await changesAfter(0))[0]
      assert.ok(change !== undefined)
      assert.equal(change.visibleSince, since === 'now' ? change.position : before?.visibleSince)
      assert.equal(change.firstVisible, first === 'now' ? change.position : before?.firstVisible)
      before = change
    }
  }),

  check('returns the position of the latest change', async ({ store, integration, write, changesAfter }) => {
    assert.equal(await store.latestPosition(integration), 0)
    await write(
      { state: aLiveState('note_1'), announce: 'appeared' },
      { state: aLiveState('note_2'), announce: 'appeared' },
    )
    for (const noteId of ['note_1', 'note_2', 'note_1']) {
      const before = await store.latestPosition(integration)
      await write(aLiveState(noteId))
      assert.equal(await store.latestPosition(integration), before)
      await write({ state: aLiveState(noteId), announce: 'changed' })
      assert.equal(await store.latestPosition(integration), (await changesAfter(0)).at(-1)?.position)
    }
  }),

  check('returns that a note was never visible', async ({ write, changesAfter }) => {
    await write({ state: aState('note_1', { presence: 'gone' }), announce: 'vanished' })
    const [change] = await changesAfter(0)
    assert.equal(change?.firstVisible, null)
  }),

  check('lists changes by page, each note once, while notes change', async ({ store, integration, write }) => {
    const noteIds = Array.from({ length: 25 }, (_, index) => `note_${index}`)
    await write(...noteIds.map((noteId) => ({ state: aLiveState(noteId), announce: 'appeared' as const })))
    const seen: string[] = []
    const positions: number[] = []
    for (let after = 0; ; ) {
      const page = await store.listChanges(integration, after, 10)
      if (page.length === 0) break
      assert.ok(page.length <= 10, 'a page must not be longer than asked for')
      seen.push(...idsOf(page))
      positions.push(...page.map(({ position }) => position))
      after = positions.at(-1) ?? 0
      if (seen.length === 10) await write({ state: aLiveState('note_3'), announce: 'changed' })
    }
    assert.deepEqual(seen, [...noteIds, 'note_3'])
    assertStrictlyGrowing(positions)
  }),

  check(
    'lists no position before all lower positions, with concurrent writers',
    async ({ store, integration, changesAfter }) => {
      const noteIds = Array.from({ length: 30 }, (_, index) => `note_${index}`)
      const writing = Promise.all(
        noteIds.map((noteId) =>
          store.commit(integration, {
            notes: [{ state: aLiveState(noteId), expectedVersion: 0, announce: 'appeared' }],
          }),
        ),
      )
      let isOver = false
      void writing.then(() => {
        isOver = true
      })
      const seen: string[] = []
      for (let after = 0, wasOver = false; !wasOver; ) {
        wasOver = isOver
        const page = await changesAfter(after)
        seen.push(...idsOf(page))
        after = page.at(-1)?.position ?? after
        // A loop of reads that never waits would keep the commits of a synchronous database from resolving.
        await systemClock.sleep(0)
      }
      assert.deepEqual(await writing, Array(30).fill('committed'))
      assert.deepEqual(seen.sort(), noteIds.sort())
    },
  ),
]

function assertStrictlyGrowing(positions: readonly number[]): void {
  for (const [index, position] of positions.entries()) {
    assert.ok(position > (positions[index - 1] ?? 0), `positions must grow: ${positions.join(', ')}`)
  }
}
