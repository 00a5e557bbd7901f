import { describe, expect, it } from 'vitest'
import { aLiveState, aNote, aState, aSummary, aTranscript } from '../../fixtures/store-checks/builders.ts'
import { type ConsumableNote, NEW_CONSUMER } from '../consumers/consumer-store.ts'
import { eachPart } from '../notes/note-parts.ts'
import { changedParts, changeOf, deliveryOf } from './delivery.ts'

function aConsumable(traits: Partial<ConsumableNote> = {}): ConsumableNote {
  return {
    state: aLiveState('n1'),
    note: aNote('n1'),
    transcript: null,
    summary: null,
    position: 50,
    visiblePosition: 10,
    vanishedPosition: 0,
    changedPositions: eachPart(() => 10),
    kept: null,
    ...traits,
  }
}

const keptSince = (since: number) => ({ since, attempts: 1, dueAt: 0, parkedAt: null, error: null })
const at = (base: number, startPosition = 0) => ({ ...NEW_CONSUMER, base, startPosition })
const gone = { state: aState('n1', { presence: 'gone' }), note: null, vanishedPosition: 50 } as const

describe('the change that a consumer gets', () => {
  it.each([
    ['content after the base', aConsumable(), at(49), 'content'],
    ['nothing at the base', aConsumable(), at(50), 'nothing'],
    ['content of a note that waits, after what was applied', aConsumable({ kept: keptSince(40) }), at(60), 'content'],
    ['nothing of a note that was applied after the base', aConsumable({ kept: keptSince(50) }), at(20), 'nothing'],
    ['a removal after the base', aConsumable(gone), at(49), 'removed'],
    [
      'one removal of a note that was hidden and is gone then',
      aConsumable({ ...gone, position: 55 }),
      at(52),
      'nothing',
    ],
    [
      'a removal of a note that appeared after the base: apply may have had it',
      aConsumable({ ...gone, visiblePosition: 45 }),
      at(40),
      'removed',
    ],
    ['no removal from before the consumer began', aConsumable(gone), at(0, 60), 'nothing'],
    ['no removal of a note that was never shown', aConsumable({ ...gone, vanishedPosition: 0 }), at(0), 'nothing'],
  ] as const)('%s', (_, note, state, kind) => {
    expect(deliveryOf(note, state).kind).toBe(kind)
  })
})

describe('the parts of a change', () => {
  const changedPositions = { ...eachPart(() => 10), title: 50, summary: 30 }

  it('are those that changed after the last applied change', () => {
    expect(changedParts(deliveryOf(aConsumable({ changedPositions }), at(30)))).toEqual(['title'])
    expect(changedParts(deliveryOf(aConsumable({ changedPositions, kept: keptSince(20) }), at(30)))).toEqual([
      'title',
      'summary',
    ])
    expect(changedParts(deliveryOf(aConsumable(), at(30)))).toEqual([])
  })

  it('are all parts for a new or restored note', () => {
    const all = ['title', 'content', 'transcript', 'summary', 'statuses']
    expect(changedParts(deliveryOf(aConsumable({ visiblePosition: 31 }), at(30)))).toEqual(all)
  })

  it('have hashes that depend on their values, and not on revisions', async () => {
    const hashes = async (traits: Partial<ConsumableNote>) => {
      const change = await changeOf(deliveryOf(aConsumable(traits), at(0)))
      return change?.kind === 'content' ? change.hashes : undefined
    }
    const [transcript, summary] = [aTranscript('n1'), aSummary('n1')]
    const one = await hashes({ transcript, summary })
    expect(one?.summary).toMatch(/^[\da-f]{64}$/)
    expect(await hashes({ transcript: { ...transcript, revision: 9 }, summary: { ...summary, revision: 9 } })).toEqual(
      one,
    )
    expect(await hashes({ transcript: { ...transcript, segments: [] }, summary: null })).toEqual({
      ...one,
      transcript: expect.not.stringMatching(String(one?.transcript)),
      summary: null,
    })
  })

  it('say whether transcript and summary belong to the revision, even while the note must be read again', async () => {
    const settled = async (state: ConsumableNote['state']) => changeOf(deliveryOf(aConsumable({ state }), at(0)))
    expect(await settled(aLiveState('n1', { readAfterSequence: 4 }))).toMatchObject({ isSettled: true })
    expect(await settled(aLiveState('n1', { settledRevision: null }))).toMatchObject({ isSettled: false })
  })
})
