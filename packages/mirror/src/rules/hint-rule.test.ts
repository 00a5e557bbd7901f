import type { WebhookEvent } from '@notewire/protocol'
import { describe, expect, it } from 'vitest'
import { aGoneNote, aLiveNote, NOW } from '../../fixtures/note-states.ts'
import { type NoteState, unknownNote } from '../notes/note-state.ts'
import { applyHint, type Hint, hintedDueAt, hintIn } from './hint-rule.ts'

const AT = { sequence: 50, at: NOW }

function aHint(traits: Partial<Hint> = {}): Hint {
  return {
    noteId: 'n1',
    kind: 'note.updated',
    revision: 6,
    occurredAt: null,
    transcriptStatus: null,
    summaryStatus: null,
    recordingSessionId: null,
    ...traits,
  }
}

function anEvent(data: object, event_type = 'note.updated'): WebhookEvent {
  return { event_id: 'e1', event_type, occurred_at: '2026-01-01T00:00:00Z', data } as WebhookEvent
}

describe('a deletion for either reason', () => {
  const deletion = aHint({ kind: 'note.deleted', revision: 1 })

  it('hides a live note immediately, has it read, and announces that', () => {
    const decision = applyHint(aLiveNote(), deletion, AT)
    expect(decision).toMatchObject({
      state: { presence: 'hidden', hiddenSequence: 50, hiddenAt: NOW, readAfterSequence: 50, dueAt: NOW },
      announce: 'vanished',
    })
    expect(decision.content).toBeUndefined()
  })

  it.each<[string, NoteState, Partial<NoteState>]>([
    ['a gone note', aGoneNote(), { presence: 'gone', hiddenAt: null }],
    ['an unknown note', unknownNote('n1'), { presence: 'hidden', hiddenAt: NOW }],
  ])('has %s read, and announces nothing', (_, note, shown) => {
    const decision = applyHint(note, deletion, AT)
    expect(decision).toMatchObject({ state: { ...shown, readAfterSequence: 50, hiddenSequence: 50 } })
    expect(decision.announce).toBeUndefined()
  })

  it('keeps the time at which the note was first hidden', () => {
    const hidden = applyHint(aLiveNote(), deletion, AT).state
    expect(applyHint(hidden, deletion, { ...AT, sequence: 60, at: NOW + 1000 }).state).toMatchObject({
      hiddenAt: NOW,
      readAfterSequence: 60,
    })
  })

  it('that is stored after a later event keeps the sequence number of that event', () => {
    const { state } = applyHint(aLiveNote(), deletion, { ...AT, sequence: 60 })
    const numbers = { readAfterSequence: 60, hiddenSequence: 60, heard: { sequence: 60 } }
    expect(applyHint(state, deletion, AT).state).toMatchObject(numbers)
  })
})

/** A live note that has changed since it became visible. */
const aChangedNote = (traits: Partial<NoteState> = {}) => aLiveNote({ visibleRevision: 4, ...traits })

describe('an update of a live note', () => {
  it.each([
    ['of the stored revision and no statuses', {}],
    ['of a lower revision', { revision: 1 }],
    ['with the stored statuses', { transcriptStatus: 'ready', summaryStatus: 'ready' }],
  ])('%s causes no read, and is recorded', (_, traits) => {
    const hint = aHint({ revision: 5, ...traits })
    const heard = { kind: 'note.updated', revision: hint.revision, sequence: 50, at: NOW }
    expect(applyHint(aChangedNote(), hint, AT)).toEqual({ state: aChangedNote({ heard }) })
  })

  it('causes a read if the note must be read anyway, because a read that began before the event proves nothing', () => {
    const noNews = aHint({ revision: 5 })
    expect(applyHint(aLiveNote({ readAfterSequence: 40 }), noNews, AT).state).toMatchObject({ readAfterSequence: 50 })
    expect(applyHint(aLiveNote({ settledRevision: null }), noNews, AT).state).toMatchObject({ readAfterSequence: 50 })
  })

  it.each([
    ['of a higher revision', { revision: 6 }],
    ['with another status at the same revision', { revision: 5, summaryStatus: 'pending' }],
    ['with another status at a lower revision', { revision: 4, transcriptStatus: 'pending' }],
    ['of no revision', { revision: null }],
    ['of an unknown kind, of a higher revision', { kind: 'note.shared' }],
  ])('%s has it read, and changes nothing that is shown', (_, traits) => {
    const decision = applyHint(aChangedNote(), aHint(traits), AT)
    expect(decision.state).toMatchObject({ presence: 'live', readAfterSequence: 50, dueAt: NOW, revision: 5 })
    expect(decision.announce).toBeUndefined()
  })
})

describe('an event about a note of which reads return a lower revision', () => {
  const contradicted = aChangedNote({
    contradictedSince: NOW - 1,
    readAfterSequence: 40,
    dueAt: NOW + 9_000,
    attempts: 3,
  })

  it('neither ends the contradiction nor makes the next attempt earlier, if it names a lower revision, too', () => {
    const heard = { kind: 'note.updated', revision: 4, sequence: 50, at: NOW }
    const state = { ...contradicted, heard, readAfterSequence: 50 }
    expect(applyHint(contradicted, aHint({ revision: 4 }), AT)).toEqual({ state })
  })

  it.each([5, null])('ends the contradiction if it names the revision %s, and the attempts restart', (revision) => {
    const { state } = applyHint(contradicted, aHint({ revision }), AT)
    expect(state).toMatchObject({ contradictedSince: null, attempts: 0, dueAt: NOW })
  })
})

it('the recording session of a note is that of the latest event that names one', () => {
  const { state } = applyHint(aLiveNote(), aHint({ recordingSessionId: 's1' }), AT)
  expect(state.recordingSessionId).toBe('s1')
  expect(applyHint(state, aHint(), AT).state.recordingSessionId).toBe('s1')
  expect(applyHint(state, aHint({ recordingSessionId: 's2' }), AT).state.recordingSessionId).toBe('s2')
})

describe('an update of a note that is not shown', () => {
  it.each([
    ['gone', aGoneNote()],
    ['unknown', unknownNote('n1')],
  ])('has it read if it is %s, and does not show it', (_, note) => {
    const decision = applyHint(note, aHint({ revision: 1 }), AT)
    expect(decision.state).toMatchObject({ presence: note.presence, readAfterSequence: 50 })
  })

  it.each([
    [9, 7, 9],
    [7, 9, 9],
    [0, null, 0],
    [null, 0, 0],
    [null, null, null],
  ])('that events announce at %s and at %s has the highest announced revision, %s', (first, second, highest) => {
    const once = applyHint(aGoneNote(), aHint({ revision: first }), AT).state
    expect(applyHint(once, aHint({ revision: second }), AT).state.hintedRevision).toBe(highest)
  })
})

describe('an event', () => {
  it('is a hint if it names a note, for any kind of event', () => {
    expect(hintIn(anEvent({ note_id: 'n1', revision: 3, summary_status: 'ready' }, 'note.shared'))).toEqual({
      noteId: 'n1',
      kind: 'note.shared',
      revision: 3,
      occurredAt: Date.parse('2026-01-01T00:00:00Z'),
      transcriptStatus: null,
      recordingSessionId: null,
      summaryStatus: 'ready',
    })
  })

  it('has the statuses and the recording session of the event', () => {
    const data = { note_id: 'n1', transcript_status: 'failed', summary_status: 'ready', recording_session_id: 's1' }
    expect(hintIn(anEvent(data))).toMatchObject({
      transcriptStatus: 'failed',
      summaryStatus: 'ready',
      recordingSessionId: 's1',
    })
  })

  it('has no status and no recording session that is not a text', () => {
    const data = { note_id: 'n1', transcript_status: 1, summary_status: {}, recording_session_id: 7 }
    expect(hintIn(anEvent(data))).toMatchObject({
      transcriptStatus: null,
      summaryStatus: null,
      recordingSessionId: null,
    })
  })

  it.each([2 ** 60, 0.5, Number.NaN, '7'])('with %s as revision has no revision', (revision) => {
    expect(hintIn(anEvent({ note_id: 'n1', revision }, 'note.shared'))?.revision).toBeNull()
  })

  it.each([{}, { note_id: '' }, { note_id: 7 }, { note_id: null }])('is not a hint with the data %j', (data) => {
    expect(hintIn(anEvent(data))).toBeUndefined()
  })
})

describe('the first event about what a listing has found', () => {
  const listed = aLiveNote({ visibleRevision: 5 })
  const event = aHint({ revision: 5 })

  it.each([
    ['the listed record', {}],
    ['other statuses than the listed record', { summaryStatus: 'pending' }],
    ['a revision that the listing did not show', { revision: 4 }],
  ])('is announced, for consumers that left the note out, if it names %s', (_, traits) => {
    expect(applyHint(listed, { ...event, ...traits }, AT).announce).toBe('changed')
  })

  it('is announced once for each revision', () => {
    const heard = applyHint(listed, aHint({ revision: 4 }), AT).state
    expect(applyHint(heard, aHint({ revision: 4 }), AT).announce).toBeUndefined()
    const last = applyHint(heard, event, AT)
    expect(last.announce).toBe('changed')
    expect(applyHint(last.state, event, AT).announce).toBeUndefined()
  })

  it.each<[string, Partial<NoteState>]>([
    ['the note has changed since', { visibleRevision: 4 }],
    ['the content of the note is still to be read', { settledRevision: null }],
    ['the note is hidden', { presence: 'hidden' }],
  ])('is not announced by itself if %s', (_, traits) => {
    expect(applyHint({ ...listed, ...traits }, event, AT).announce).toBeUndefined()
  })

  it.each([
    ['no revision', null],
    ['a higher revision', 6],
  ])('is not announced by itself if it names %s', (_, revision) => {
    expect(applyHint(listed, aHint({ revision }), AT).announce).toBeUndefined()
  })

  it('is announced after an event without a revision', () => {
    const { state } = applyHint(listed, aHint({ revision: null }), AT)
    expect(applyHint(state, aHint({ revision: 1 }), AT).announce).toBe('changed')
  })
})

describe('the work of a hint', () => {
  it('is due when the first of its notes is due', () => {
    const times = [NOW + 2, null, NOW + 1]
    expect(hintedDueAt(times.map((dueAt) => aLiveNote({ dueAt })))).toBe(NOW + 1)
  })

  it('is not due if none of its notes is', () => {
    expect(hintedDueAt([aLiveNote({ dueAt: null })])).toBeUndefined()
  })
})
