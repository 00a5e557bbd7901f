import { describe, expect, it } from 'vitest'
import { aGoneNote, aLiveNote, aReading, aRecord, aTombstone, NOW, read } from '../../fixtures/note-states.ts'
import { type NoteState, unknownNote } from '../notes/note-state.ts'
import { eraseUnconfirmed } from './absence-rule.ts'
import { applyHint, type Hint } from './hint-rule.ts'

const DAY_MS = 24 * 60 * 60_000

/** A note whose deletion at revision 7 an event announced, and that a read right after the event did not find. */
function aDeletedNote(traits: Partial<Hint> = {}): NoteState {
  return read(hiddenBy(aLiveNote(), traits), undefined, aReading(20, 21)).state
}

function hiddenBy(state: NoteState, traits: Partial<Hint> = {}, at = NOW, sequence = 20): NoteState {
  return applyHint(state, aDeletion(traits), { sequence, at }).state
}

function aDeletion(traits: Partial<Hint> = {}): Hint {
  const statuses = { transcriptStatus: null, summaryStatus: null, recordingSessionId: null }
  return { noteId: 'n1', kind: 'note.deleted', revision: 7, occurredAt: NOW - 500, ...statuses, ...traits }
}

const later = (at: number, source: 'read' | 'poll' | 'full-listing' = 'read') => aReading(30, 31, { at, source })

describe('after a deletion was announced and confirmed', () => {
  it.each(['read', 'poll', 'full-listing', 'backfill'] as const)(
    'a record below its revision does not show the note, in a %s',
    (source) => {
      const { state, content, announce } = read(aDeletedNote(), aRecord({ revision: 6 }), aReading(30, 31, { source }))
      expect(state).toMatchObject({ presence: 'gone', floor: { revision: 7, at: NOW } })
      expect([content, announce]).toEqual([undefined, undefined])
    },
  )

  it('a record of its revision does not show the note if the read began within 60 s, and is read again after that', () => {
    const { state } = read(aDeletedNote(), aRecord({ revision: 7 }), later(NOW + 60_000, 'poll'))
    expect(state).toMatchObject({
      presence: 'gone',
      readAfterSequence: 31,
      dueAt: NOW + 60_001,
      contradictedSince: null,
    })
    const back = read(state, aRecord({ revision: 7 }), aReading(32, 33, { at: NOW + 60_001 }))
    expect(back).toMatchObject({
      state: { presence: 'live', floor: null, readAfterSequence: null },
      announce: 'appeared',
    })
  })

  it('a slow read is dated by its start', () => {
    const slow = aReading(30, 31, { requestedAt: NOW + 60_000, at: NOW + 90_000 })
    expect(read(aDeletedNote(), aRecord({ revision: 7 }), slow).state.presence).toBe('gone')
  })

  it('access that is regained at its revision without an event is found by a full listing after 60 s', () => {
    const { state } = read(aDeletedNote(), aRecord({ revision: 7 }), later(NOW + DAY_MS, 'full-listing'))
    expect(state).toMatchObject({ presence: 'live', revision: 7 })
  })

  it('a record above its revision shows the note immediately', () => {
    expect(read(aDeletedNote(), aRecord({ revision: 8 }), later(NOW + 1)).state).toMatchObject({
      presence: 'live',
      floor: null,
    })
  })

  it('a second loss of access at its revision restarts the 60 s', () => {
    const again = hiddenBy(aDeletedNote(), {}, NOW + 50_000, 25)
    expect(read(again, aRecord({ revision: 7 }), later(NOW + 110_000)).state.presence).toBe('gone')
    expect(read(again, aRecord({ revision: 7 }), later(NOW + 110_001)).state.presence).toBe('live')
  })

  it('a late event of an earlier deletion does not lower it', () => {
    const again = hiddenBy(aDeletedNote(), { revision: 3 }, NOW + 50_000, 25)
    expect(again.floor).toMatchObject({ revision: 7, at: NOW })
  })

  it('a deletion without a revision has the highest known revision', () => {
    expect(hiddenBy(aLiveNote(), { revision: null }).floor).toMatchObject({ revision: 5 })
    expect(hiddenBy(aDeletedNote(), { revision: null }).floor).toMatchObject({ revision: 7 })
    const unknown = hiddenBy(unknownNote('n1'), { revision: null })
    expect(read(unknown, aRecord(), later(NOW + 60_000)).state.presence).toBe('hidden')
    expect(read(unknown, aRecord(), later(NOW + 60_001)).state.presence).toBe('live')
  })

  it('a record above the known revision may be older than a deletion without a revision, and shows nothing within 60 s', () => {
    for (const state of [hiddenBy(aLiveNote(), { revision: null }), hiddenBy(aDeletedNote(), { revision: null })]) {
      for (const source of ['read', 'poll', 'full-listing'] as const) {
        const soon = read(state, aRecord({ revision: 8 }), later(NOW + 60_000, source)).state
        expect(soon).toMatchObject({ presence: state.presence, dueAt: expect.any(Number) })
        expect(read(soon, aRecord({ revision: 8 }), aReading(40, 41, { at: NOW + 60_001 })).state.presence).toBe('live')
      }
    }
  })

  it('a deletion with a revision does not shorten the wait after one without', () => {
    const both = hiddenBy(hiddenBy(aLiveNote(), { revision: null }), { revision: 7 }, NOW + 10_000, 25)
    expect(read(both, aRecord({ revision: 8 }), later(NOW + 60_000)).state.presence).toBe('hidden')
    expect(read(both, aRecord({ revision: 8 }), later(NOW + 60_001)).state.presence).toBe('live')
  })

  it('a later event of a higher revision makes the mirror wait for that revision', () => {
    const hint = aDeletion({ kind: 'note.updated', revision: 9 })
    const { state } = applyHint(aDeletedNote(), hint, { sequence: 25, at: NOW + 1000 })
    expect(read(state, aRecord({ revision: 8 }), later(NOW + 2000)).state.presence).toBe('gone')
    expect(read(state, aRecord({ revision: 9 }), later(NOW + 2000)).state.presence).toBe('live')
  })

  it('a tombstone does not change it', () => {
    const { state } = read(hiddenBy(aLiveNote()), aTombstone({ revision: 7 }), aReading(20, 21))
    expect(state).toMatchObject({ presence: 'gone', revision: 7, floor: { revision: 7 } })
  })
})

describe('a note that an event has hidden', () => {
  it('is read again after short pauses within the 60 s, so that its content is erased soon, and once right after them', () => {
    let state = hiddenBy(aLiveNote())
    const times: number[] = []
    for (let start = 20; state.presence === 'hidden'; start += 2) {
      times.push((state.dueAt ?? 0) - NOW)
      state = read(state, aRecord({ revision: 7 }), aReading(start, start + 1, { at: state.dueAt ?? 0 })).state
    }
    expect(times).toEqual([0, 2000, 6000, 14_000, 30_000, 60_001])
    expect(state).toMatchObject({ presence: 'live', revision: 7 })
  })

  it('keeps its floor when its content is erased without a read', () => {
    const erased = eraseUnconfirmed(hiddenBy(aLiveNote()), NOW + DAY_MS)?.state
    expect(erased).toMatchObject({ presence: 'hidden', floor: { revision: 7 } })
  })

  it('is not shown by a higher revision if the read had begun before the event arrived', () => {
    expect(read(hiddenBy(aLiveNote()), aRecord({ revision: 8 }), aReading(19, 25)).state.presence).toBe('hidden')
  })
})

describe('a service that permanently returns a lower revision than that of an announced deletion', () => {
  /** Reads the note whenever it is due, for two hours at most. */
  function patientlyRead(from: NoteState): NoteState {
    let state = from
    for (let start = 30; state.dueAt !== null && state.dueAt < NOW + 7_200_000; start += 2) {
      state = read(state, aRecord({ revision: 6 }), aReading(start, start + 1, { at: state.dueAt })).state
    }
    return state
  }
  const contradicted = patientlyRead(read(aDeletedNote(), aRecord({ revision: 6 }), later(NOW + 1, 'poll')).state)

  it('is not accepted after any number of attempts: the contradiction stays, and the note is read a few times a day', () => {
    expect(contradicted).toMatchObject({ presence: 'gone', contradictedSince: NOW + 1 })
    expect(contradicted.readAfterSequence).not.toBeNull()
    expect((contradicted.dueAt ?? 0) - NOW).toBeGreaterThan(6 * 60 * 60_000)
  })

  it('is accepted in a full listing that began 24 h after the event', () => {
    const listed = (fullListingBeganAt: number) => {
      const reading = aReading(90, 91, { source: 'full-listing', fullListingBeganAt, at: NOW + 2 * DAY_MS })
      return read(contradicted, aRecord({ revision: 6 }), reading).state
    }
    expect(listed(NOW + DAY_MS - 1).presence).toBe('gone')
    expect(listed(NOW + DAY_MS)).toMatchObject({ presence: 'live', revision: 6, floor: null, contradictedSince: null })
  })

  it('is not accepted in a read or a poll after 24 h', () => {
    for (const source of ['read', 'poll'] as const) {
      const reading = aReading(90, 91, { source, at: NOW + 2 * DAY_MS })
      expect(read(contradicted, aRecord({ revision: 6 }), reading).state.presence).toBe('gone')
    }
  })

  it('is accepted if the note was created after the deletion, because the identifier was reused', () => {
    const created = (created_at: string) =>
      read(aDeletedNote(), aRecord({ revision: 1, created_at }), later(NOW + 5000)).state
    expect(created(new Date(NOW + 1000).toISOString())).toMatchObject({ presence: 'live', revision: 1, floor: null })
    expect(created(new Date(NOW).toISOString()).presence).toBe('gone')
    expect(created('2026-01-02T12:00:00').presence).toBe('gone')
  })

  it('is not accepted with the known creation time, whenever the event says that the deletion happened', () => {
    const created_at = new Date(NOW + 5000).toISOString()
    const state = { ...aDeletedNote(), createdAt: created_at }
    expect(read(state, aRecord({ revision: 6, created_at }), later(NOW + 9000)).state.presence).toBe('gone')
  })

  it('no longer contradicts when a read does not find the note', () => {
    expect(read(contradicted, undefined, aReading(90, 91)).state).toMatchObject({
      presence: 'gone',
      readAfterSequence: null,
      contradictedSince: null,
      floor: { revision: 7 },
    })
  })
})

describe('a note that was removed without an event', () => {
  it('is shown again at a lower revision after eight attempts', () => {
    let { state } = read(aGoneNote(), aRecord({ revision: 4 }), later(NOW, 'full-listing'))
    let attempts = 0
    for (let start = 32; state.presence === 'gone' && attempts < 20; start += 2, attempts += 1) {
      expect(state.contradictedSince).toBe(NOW)
      state = read(state, aRecord({ revision: 4 }), aReading(start, start + 1, { at: state.dueAt ?? 0 })).state
    }
    expect(state).toMatchObject({ presence: 'live', revision: 4, readAfterSequence: null })
    expect(attempts).toBe(9)
  })
})

describe('a clock that is set back', () => {
  it('does not keep a note hidden for ever: the 60 s restart', () => {
    const state = { ...aDeletedNote(), floor: { revision: 7, at: NOW + DAY_MS, deletedAt: NOW, unrevisedAt: null } }
    const once = read(state, aRecord({ revision: 7 }), later(NOW)).state
    expect(once).toMatchObject({ presence: 'gone', floor: { at: NOW }, dueAt: NOW + 60_001 })
    expect(read(once, aRecord({ revision: 7 }), later(NOW + 60_001)).state.presence).toBe('live')
  })

  it('does not keep a contradiction for ever either', () => {
    const state = aLiveNote({ contradictedSince: NOW + DAY_MS, attempts: 8, readAfterSequence: 12, dueAt: NOW })
    const once = read(state, aRecord({ revision: 4 }), aReading(13, 14)).state
    expect(once).toMatchObject({ revision: 5, contradictedSince: NOW })
    const reading = aReading(15, 16, { at: NOW + 480_000 })
    expect(read(once, aRecord({ revision: 4 }), reading).state).toMatchObject({ revision: 4 })
  })
})
