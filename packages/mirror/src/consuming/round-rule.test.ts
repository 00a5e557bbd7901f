import { describe, expect, it } from 'vitest'
import { aLiveState, aNote, aState } from '../../fixtures/store-checks/builders.ts'
import { type ConsumableNote, type ConsumerNote, NEW_CONSUMER } from '../consumers/consumer-store.ts'
import { eachPart } from '../notes/note-parts.ts'
import { deliveryOf } from './delivery.ts'
import { afterRound, afterSingle, chooseDeliveries, dueTime, dueUntil, reachesEnd, retried } from './round-rule.ts'

const NOW = 1_760_000_000_000
const error = { name: 'TypeError', code: null }
const waiting: ConsumerNote = { since: 3, attempts: 2, dueAt: NOW, parkedAt: null, error }
const parked: ConsumerNote = { ...waiting, attempts: 8, dueAt: null, parkedAt: NOW - 1 }
const state = { ...NEW_CONSUMER, cursor: 10, base: 10, leaseUntil: NOW }

function aConsumable(noteId: string, position: number, kept: ConsumerNote | null = null): ConsumableNote {
  const marks = { visiblePosition: 1, vanishedPosition: 0, changedPositions: eachPart(() => position) }
  return { state: aLiveState(noteId), note: aNote(noteId), transcript: null, summary: null, position, ...marks, kept }
}

function aRemoved(noteId: string, position: number, kept: ConsumerNote | null = null): ConsumableNote {
  const gone = aState(noteId, { presence: 'gone' })
  return { ...aConsumable(noteId, position, kept), state: gone, note: null, vanishedPosition: position }
}

function after(notes: readonly ConsumableNote[], ...failed: readonly string[]) {
  const deliveries = notes.map((note) => deliveryOf(note, state))
  return afterRound(state, deliveries, new Map(failed.map((noteId) => [noteId, error])), true, NOW)
}

describe('a round', () => {
  it('in which all changes were applied moves the cursor, ends backoff and lease, and deletes its notes', () => {
    const { state: next, notes } = after([aConsumable('w', 4, waiting), aConsumable('a', 11), aConsumable('b', 15)])
    expect(next).toEqual({ ...NEW_CONSUMER, cursor: 15, base: 15 })
    expect([...notes]).toEqual([
      ['w', null],
      ['a', null],
      ['b', null],
    ])
  })

  it('in which all changes failed starts a backoff, and counts no attempts', () => {
    const notes = [aConsumable('w', 4, waiting), aConsumable('a', 11)]
    const first = after(notes, 'w', 'a')
    expect(first).toEqual({
      state: { ...state, failures: 1, dueAt: NOW + 1_000, leaseUntil: null, error },
      notes: new Map(),
      forgetsApplied: false,
    })
  })

  it('in which one note failed alone records that note, and moves the cursor', () => {
    const { state: next, notes } = after([aConsumable('a', 11), aConsumable('b', 15)], 'a')
    expect(next.cursor).toBe(15)
    expect(notes.get('a')).toEqual({ since: 10, attempts: 1, dueAt: NOW + 1_000, parkedAt: null, error })
    expect(notes.get('b')).toBe(null)
  })

  it('of waiting notes only counts their attempts, because they failed alone before', () => {
    expect(after([aConsumable('w', 4, waiting)], 'w').notes.get('w')).toMatchObject({
      attempts: 3,
      dueAt: NOW + 16_000,
    })
  })

  it('parks a note at its eighth attempt', () => {
    const { notes } = after([aConsumable('w', 4, { ...waiting, attempts: 7 })], 'w')
    expect(notes.get('w')).toEqual({ since: 3, attempts: 8, dueAt: null, parkedAt: NOW, error })
  })

  it('never parks a removal, and pauses for at most six hours', () => {
    const { notes } = after([aRemoved('w', 4, { ...waiting, attempts: 70 })], 'w')
    expect(notes.get('w')).toMatchObject({ attempts: 71, dueAt: NOW + 21_600_000, parkedAt: null })
  })

  it.each([
    ['waiting', waiting],
    ['parked', parked],
  ])(
    'restarts the attempts of a %s note that changed, and keeps the position of its last applied change',
    (_, kept) => {
      const { notes } = after([aConsumable('w', 12, kept), aConsumable('b', 15)], 'w')
      expect(notes.get('w')).toEqual({ ...waiting, since: 3, attempts: 1, dueAt: NOW + 1_000 })
    },
  )

  it('deletes a parked note that was removed', () => {
    expect(after([aRemoved('w', 12, parked)]).notes.get('w')).toBe(null)
  })

  it('moves the cursor past notes without a change for the consumer, whether or not others fail', () => {
    const unseen = { ...aRemoved('u', 14), vanishedPosition: 0 }
    expect(after([unseen]).state.cursor).toBe(14)
    expect(after([aConsumable('a', 11), unseen], 'a').state).toMatchObject({ cursor: 10, failures: 1 })
  })

  it('records applied notes while there are more changes, because they may move ahead of the cursor', () => {
    const deliveries = [aConsumable('w', 4, waiting), aConsumable('a', 11)].map((note) => deliveryOf(note, state))
    const { state: next, notes, forgetsApplied } = afterRound(state, deliveries, new Map(), false, NOW)
    expect(next).toMatchObject({ cursor: 11, base: 10 })
    expect(notes.get('a')).toEqual({ since: 11, attempts: 0, dueAt: null, parkedAt: null, error: null })
    expect([notes.get('w'), forgetsApplied]).toEqual([null, false])
    expect(after([aConsumable('b', 15)]).forgetsApplied).toBe(true)
  })

  it('does not move the cursor while single notes are applied', () => {
    const single = afterSingle(state, deliveryOf(aConsumable('a', 11), state))
    expect(single.state).toEqual(state)
    expect(single.notes.get('a')).toMatchObject({ since: 11, dueAt: null, parkedAt: null })
    expect(afterSingle(state, deliveryOf(aConsumable('w', 4, waiting), state)).notes.get('w')).toBe(null)
  })
})

describe('the notes of a round', () => {
  const numbers = (length: number) => Array.from({ length }, (_, index) => index)
  const changes = numbers(10).map((index) => aConsumable(`c${index}`, 11 + index))
  const due = numbers(10).map((index) => aConsumable(`w${index}`, 1, waiting))
  const chosen = (limit: number, some: Partial<Record<'due' | 'changes', readonly ConsumableNote[]>>) =>
    chooseDeliveries({ due: [], changes: [], ...some }, state, limit).map(({ note }) => note.state.noteId)

  it('are at most `limit`, and at most half of them retries while there are changes', () => {
    expect(chosen(4, { due, changes })).toEqual(['w0', 'w1', 'c0', 'c1'])
    expect(chosen(4, { due })).toEqual(['w0', 'w1', 'w2', 'w3'])
    expect(chosen(1, { due, changes })).toEqual(['w0'])
  })

  it('reach the end if they end with the last change', () => {
    const reaches = (limit: number, some: readonly ConsumableNote[]) => {
      const listed = { due: due.slice(0, 2), changes: some }
      return reachesEnd(listed, chooseDeliveries(listed, state, limit), limit)
    }
    expect(reaches(5, changes.slice(0, 3))).toBe(true)
    expect(reaches(4, changes.slice(0, 3))).toBe(false)
    expect(reaches(5, changes.slice(0, 5))).toBe(false)
    expect(reaches(5, [])).toBe(true)
  })
})

const RECORD = {
  name: 'index',
  state: NEW_CONSUMER,
  version: 1,
  token: 1,
  hasChanges: false,
  nextDueAt: null,
  notes: null,
}

describe('a retry of parked notes', () => {
  const kept = { since: 4, attempts: 8, dueAt: null, parkedAt: NOW - 5, error: { name: 'Error', code: null } }
  const state = { ...NEW_CONSUMER, cursor: 9, leaseUntil: NOW + 5 }

  it('makes all of them due now, with no attempts', () => {
    const parked = ['a', 'b'].map((noteId) => ({ noteId, ...kept }))
    const due = { ...kept, attempts: 0, dueAt: NOW, parkedAt: null }
    expect(retried({ ...RECORD, state, notes: { lag: 1, waiting: 2, parked } }, NOW)).toEqual({
      state,
      notes: new Map([
        ['a', due],
        ['b', due],
      ]),
      forgetsApplied: false,
    })
  })

  it('changes nothing if none is parked', () => {
    expect(retried(RECORD, NOW).notes).toEqual(new Map())
  })
})

describe('the time of the next round', () => {
  const record = { ...RECORD, hasChanges: true }
  const dueAt = (traits: Partial<typeof NEW_CONSUMER>) =>
    dueTime({ ...record, state: { ...NEW_CONSUMER, ...traits } }, NOW)

  it('is now if there are changes, and null if there is no work', () => {
    expect(dueTime(record, NOW)).toBe(NOW)
    expect(dueTime({ ...record, hasChanges: false }, NOW)).toBe(null)
    expect(dueTime({ ...record, hasChanges: false, nextDueAt: NOW + 5 }, NOW)).toBe(NOW + 5)
  })

  it('waits for the backoff and for the lease of another process', () => {
    expect(dueAt({ dueAt: NOW + 5 })).toBe(NOW + 5)
    expect(dueAt({ dueAt: NOW + 5, leaseUntil: NOW + 9 })).toBe(NOW + 9)
    expect(dueAt({ leaseUntil: NOW - 9 })).toBe(NOW)
  })

  it('is not postponed by a clock that was ahead', () => {
    expect(dueAt({ leaseUntil: NOW + 60_000 })).toBe(NOW + 60_000)
    expect(dueAt({ leaseUntil: NOW + 60_001 })).toBe(NOW)
    expect(dueAt({ dueAt: NOW + 86_400_000 })).toBe(NOW)
    const waiting = { ...record, hasChanges: false, nextDueAt: NOW + 86_400_000 }
    expect(dueTime(waiting, NOW)).toBe(NOW)
    expect(dueUntil(waiting, NOW)).toBe(NOW + 86_400_000)
    expect(dueUntil({ ...waiting, nextDueAt: NOW + 5 }, NOW)).toBe(NOW)
  })
})
