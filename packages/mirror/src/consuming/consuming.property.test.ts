import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { plantedInConsumers } from '../../fixtures/consuming/dying-at-statements.ts'
import { anyConsumedHistory, playConsumed } from '../../fixtures/store-checks/consumed-history.ts'
import { reads } from '../../fixtures/store-reads.ts'
import type { MirrorStore } from '../index.ts'

describe('a consumer of two processes that die between any two calls of the store', () => {
  it.each(['exactly once', 'at least once'] as const)('applies the latest state of every note, %s', async (way) => {
    await fc.assert(
      fc.asyncProperty(anyConsumedHistory, (steps) => playConsumed(steps, way)),
      { numRuns: 300 },
    )
  })
})

/** Bugs of a store, or of its use. */
const planted: Readonly<Record<string, (store: MirrorStore) => MirrorStore>> = {
  ...plantedInConsumers,
  'a worker that lost its lease still commits': (store) => ({
    ...store,
    async commitConsumer(integration, name, commit) {
      if ('leaseUntil' in commit) return await store.commitConsumer(integration, name, commit)
      const { version } = await reads(store).readConsumer(integration, name)
      return await store.commitConsumer(integration, name, { ...commit, expectedVersion: version })
    },
  }),
  'a note that failed is forgotten': (store) => ({
    ...store,
    commitConsumer: (integration, name, commit) =>
      store.commitConsumer(integration, name, 'leaseUntil' in commit ? commit : { ...commit, notes: new Map() }),
  }),
  'parts of a retried note count from the cursor': (store) => ({
    ...store,
    async listConsumable(integration, name, request) {
      const { due, changes } = await store.listConsumable(integration, name, request)
      const moved = changes.map((note) => ({ ...note, kept: note.kept && { ...note.kept, since: request.after } }))
      return { due, changes: moved }
    },
  }),
  'parts count from the cursor, which passed changes of notes that moved ahead of it': (store) => ({
    ...store,
    async commitConsumer(integration, name, commit) {
      if ('leaseUntil' in commit) return await store.commitConsumer(integration, name, commit)
      const state = { ...commit.state, base: commit.state.cursor }
      return await store.commitConsumer(integration, name, { ...commit, state })
    },
  }),
  'a note that appeared after the cursor is not removed': (store) => ({
    ...store,
    async listConsumable(integration, name, request) {
      const { due, changes } = await store.listConsumable(integration, name, request)
      const skipped = changes.map((note) =>
        note.visiblePosition > request.after ? { ...note, vanishedPosition: 0 } : note,
      )
      return { due, changes: skipped }
    },
  }),
}

it('gets parts that changed before the cursor passed the note, if the note changed again', async () => {
  const show = (noteId: 'a' | 'b' | 'c', hasSummary: boolean) => ({ act: 'show', noteId, hasSummary }) as const
  const consume = { act: 'consume' as const, batchSize: 1, failing: [], stop: null }
  const steps = [show('b', false), consume, show('b', true), show('c', false), show('b', true), consume, consume]
  await playConsumed(steps, 'exactly once')
})

describe('a planted bug is found', () => {
  it.each(Object.entries(planted))('%s', async (_, plant) => {
    const histories = fc.asyncProperty(anyConsumedHistory, async (steps) => {
      await playConsumed(steps, 'exactly once', plant)
      await playConsumed(steps, 'at least once', plant)
    })
    const { failed } = await fc.check(histories, { numRuns: 400, seed: 14, endOnFailure: true })
    expect(failed).toBe(true)
  })
})
