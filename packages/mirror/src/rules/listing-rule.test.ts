import type { Note } from '@notewire/protocol'
import { describe, expect, it } from 'vitest'
import { aGoneNote, aLiveNote, aReading, aRecord, aTombstone, KEEP_ALL, NOW } from '../../fixtures/note-states.ts'
import { type FullListingProgress, type MirrorProgress, NO_PROGRESS } from '../integrations/progress.ts'
import { type NoteState, unknownNote } from '../notes/note-state.ts'
import { NO_DIGESTS } from '../notes/note-write.ts'
import { judgePage, NO_COUNTS, type PageCounts, type PagePart, progressAfterPoll } from './listing-rule.ts'

const DAY_MS = 24 * 60 * 60_000
const HEARD_AT = NOW - 1000
const NO_ID = { note_id: undefined }

interface Stored {
  readonly states?: readonly NoteState[]
  readonly progress?: Partial<MirrorProgress>
  readonly earlier?: PageCounts
}

/** Judges a page that was requested at sequence number 50 and applied at 60. */
function judge(page: PagePart, { states = [], progress = {}, earlier = NO_COUNTS }: Stored = {}) {
  const notes = new Map(states.map((state) => [state.noteId, { state, version: 1, digests: NO_DIGESTS }]))
  const before = { sequence: 60, heardAt: HEARD_AT, progress: { ...NO_PROGRESS, ...progress }, notes }
  return judgePage(page, before, { request: { start: 50, requestedAt: NOW }, at: NOW, keep: KEEP_ALL, earlier })
}

function aPoll(traits: Partial<Extract<PagePart, { phase: 'poll' | 'backfill' }>> = {}): PagePart {
  return {
    ...{ phase: 'poll', notes: [], leftOut: [], checkpoint: 'c2', hasNext: true, isRestart: false },
    ...{ startedAfter: 'c1', startSequence: 40 },
    ...traits,
  }
}

function aListing(traits: Partial<Extract<PagePart, { phase: 'full-listing' }>> = {}): PagePart {
  return { phase: 'full-listing', notes: [], leftOut: [], cursor: 'p2', ...traits }
}

const note = (note_id: string, traits: Partial<Note> = {}) => aRecord({ note_id, ...traits })
const live = (noteId: string, traits: Partial<NoteState> = {}) => aLiveNote({ noteId, ...traits })
const seenAt = (start: number) => ({ says: 'present', ...aReading(start, start + 1, { source: 'poll' }) }) as const

describe('a page', () => {
  it('is a read of each note, from the request to the commit', () => {
    const { notes } = judge(aPoll({ notes: [note('known', { revision: 6 }), note('new')] }), {
      states: [live('known')],
    })
    const evidence = { says: 'present', start: 50, end: 60, source: 'poll', at: NOW }
    expect(notes).toMatchObject([
      { state: { noteId: 'known', revision: 6, evidence }, announce: 'changed' },
      { state: { noteId: 'new', revision: 5, evidence }, announce: 'appeared' },
    ])
  })

  it('has each note read once whose record cannot be used, unless it lists another record of it', () => {
    const leftOut = [{ note_id: 'a' }, { note_id: 'b' }, { note_id: 'a' }, NO_ID]
    const { notes } = judge(aPoll({ notes: [note('b')], leftOut }), { states: [live('b', { revision: 4 })] })
    expect(notes).toMatchObject([
      { state: { noteId: 'b', revision: 5 } },
      { state: { ...unknownNote('a'), readAfterSequence: 60, dueAt: NOW } },
    ])
    expect(notes).toHaveLength(2)
  })

  it('writes nothing for such a note that must be read already', () => {
    const waiting = aGoneNote({ noteId: 'a', readAfterSequence: 30, dueAt: NOW })
    expect(judge(aPoll({ leftOut: [{ note_id: 'a' }] }), { states: [waiting] }).notes).toEqual([])
  })

  it('adds its notes to the counts of its earlier parts', () => {
    const earlier = { listed: 100, newNotes: 200, live: 300, unidentified: 400 }
    const notes = [note('a'), aTombstone({ note_id: 'b' })]
    const page = aPoll({ notes, leftOut: [{ note_id: 'c' }, NO_ID], startSequence: 0 })
    const { counts } = judge(page, { earlier })
    expect(counts).toEqual({ listed: 104, newNotes: 202, live: 302, unidentified: 401 })
  })

  it.each([
    ['in this listing', seenAt(40), 0],
    ['before this listing', seenAt(39), 1],
    ['never', null, 1],
  ])('has a new note, if the note was listed %s', (_, evidence, newNotes) => {
    const states = [live('a', { evidence })]
    expect(judge(aPoll({ notes: [note('a', { revision: 7 })] }), { states }).counts.newNotes).toBe(newNotes)
    const fullListing = aFullListing({ startSequence: 40 })
    expect(judge(aListing({ notes: [note('a')] }), { states, progress: { fullListing } }).counts.newNotes).toBe(
      newNotes,
    )
  })

  it('has no new note, if the record proves nothing or cannot be used', () => {
    const states = [live('a', { presence: 'hidden', hiddenSequence: 55, evidence: seenAt(51) }), live('b')]
    const { counts } = judge(aPoll({ notes: [note('a')], leftOut: [{ note_id: 'b' }] }), { states })
    expect(counts).toMatchObject({ listed: 2, newNotes: 0 })
  })
})

describe('the progress of a poll', () => {
  const poll = { ...NO_PROGRESS.poll, checkpoint: 'c1', unannounced: 2, heardAt: HEARD_AT, watermark: 7 }

  it('advances to the checkpoint of the next page', () => {
    const track = { listed: 1, startedAfter: 'c1', startSequence: 40 }
    const after = { ...poll, checkpoint: 'c2', isUnderWay: true, unannounced: 3, track, unstoredSequence: undefined }
    expect(judge(aPoll({ notes: [note('a')] }), { progress: { poll } }).progress).toEqual({
      ...NO_PROGRESS,
      poll: after,
    })
  })

  it('keeps the track at the last page', () => {
    const { progress } = judge(aPoll({ hasNext: false }), { progress: { poll: { ...poll, track: { listed: 9 } } } })
    expect(progress.poll).toMatchObject({ checkpoint: 'c2', track: { listed: 9 } })
  })

  it('records that it was restarted', () => {
    const { progress } = judge(aPoll({ notes: [note('a')], isRestart: true }), {
      progress: { poll: { ...poll, track: { listed: 9 } } },
    })
    expect(progress.poll.track).toMatchObject({ listed: 1, furthest: 9, restarts: 1 })
  })

  it('does not advance before the last part of the page', () => {
    const track = { listed: 9 }
    const page = aPoll({ notes: [note('a')], isUnfinished: true })
    const { progress } = judge(page, { progress: { poll: { ...poll, track } } })
    expect(progress.poll).toMatchObject({ checkpoint: 'c1', isUnderWay: true, unannounced: 3, track })
  })

  it.each<[string, number, NoteState, Partial<Note>]>([
    ['a change', 1, live('a'), { revision: 6 }],
    ['a note that appeared', 1, aGoneNote({ noteId: 'a' }), { revision: 6 }],
    ['no change', 0, live('a'), {}],
    ['a change that an event has announced', 0, live('a', { hintedRevision: 6, dueAt: NOW }), { revision: 6 }],
    ['a change of a note that must be read', 0, live('a', { readAfterSequence: 30, dueAt: NOW }), { revision: 6 }],
  ])('counts changes without an event since the latest event: %s adds %i', (_, added, state, traits) => {
    const page = aPoll({ notes: [note('a', traits)] })
    const found = (known: typeof poll) => judge(page, { states: [state], progress: { poll: known } }).progress.poll
    expect(found(poll)).toMatchObject({ unannounced: 2 + added, heardAt: HEARD_AT })
    expect(found({ ...poll, heardAt: HEARD_AT - 1 })).toMatchObject({ unannounced: added, heardAt: HEARD_AT })
  })

  it('counts no change that the backfill finds', () => {
    const { progress } = judge(aPoll({ phase: 'backfill', notes: [note('a')] }), { progress: { poll } })
    expect(progress.poll.unannounced).toBe(2)
  })

  it.each([
    ['of this page', [NO_ID], 60],
    ['of an earlier page', [{ note_id: 'b' }], 33],
  ])('remembers the latest page with a note without an id: %s', (_, leftOut, unstoredSequence) => {
    const { progress } = judge(aPoll({ leftOut }), { progress: { poll: { ...poll, unstoredSequence: 33 } } })
    expect(progress.poll.unstoredSequence).toBe(unstoredSequence)
  })
})

function aFullListing(traits: Partial<FullListingProgress> = {}): FullListingProgress {
  return {
    ...{ fullListingId: 'f1', startSequence: 40, beganAt: NOW, phase: 'listing', cursor: 'p1' },
    ...{ seen: 10, kept: 5, missing: 0, holdsBack: false },
    ...traits,
  }
}

describe('the progress of a full listing', () => {
  const after = (page: PagePart, fullListing = aFullListing(), states: readonly NoteState[] = []) =>
    judge(page, { states, progress: { fullListing } }).progress.fullListing

  it('advances to the cursor of the next page', () => {
    const states = [live('a'), live('b', { evidence: seenAt(40) }), aGoneNote({ noteId: 'c' }), live('d')]
    const page = aListing({ notes: [note('a'), note('b'), note('c'), aTombstone({ note_id: 'd' }), note('e')] })
    const expected = aFullListing({ cursor: 'p2', seen: 14, kept: 6, track: { listed: 14 } })
    expect(after(page, aFullListing({ track: { listed: 9 } }), states)).toEqual(expected)
  })

  it('has listed all notes after the page without a cursor', () => {
    const before = aFullListing({ track: { listed: 9 } })
    expect(after(aListing({ cursor: null }), before)).toEqual(aFullListing({ cursor: null, phase: 'listed' }))
  })

  it('counts only notes that the mirror had shown, before the last part of the page', () => {
    const page = aListing({ notes: [note('a'), note('b')], leftOut: [NO_ID], isUnfinished: true })
    expect(after(page, aFullListing(), [live('a')])).toEqual(aFullListing({ kept: 6 }))
  })

  it('counts a shown note whose record cannot be used as kept', () => {
    const page = aListing({ leftOut: [{ note_id: 'a' }] })
    expect(after(page, aFullListing(), [live('a')])).toMatchObject({ seen: 11, kept: 6 })
  })

  it.each([
    ['none', [], undefined, undefined],
    ['the first', [NO_ID], undefined, 1],
    ['two more', [NO_ID, NO_ID], 3, 5],
    ['none after three', [], 3, 3],
  ])('counts notes without an id: %s', (_, leftOut, unidentified, expected) => {
    expect(after(aListing({ leftOut }), aFullListing({ unidentified }))?.unidentified).toBe(expected)
  })

  it('begins again with another full listing, of which other parts of the page may follow', () => {
    const restarted = aFullListing({ fullListingId: 'f2', seen: 0, kept: 0, cursor: null, track: { listed: 9 } })
    const page = aListing({ notes: [note('a')], restarted })
    const first = after({ ...page, isUnfinished: true }, aFullListing(), [live('a')])
    expect(first).toEqual({ ...restarted, kept: 1 })
    const track = { listed: 1, furthest: 9, restarts: 1 }
    expect(after(page, aFullListing({ ...first }))).toMatchObject({ fullListingId: 'f2', seen: 1, kept: 1, track })
  })

  it('dates its records: one that begins a day after an announced deletion shows a lower revision', () => {
    const floor = { revision: 9, at: NOW - DAY_MS, deletedAt: NOW - DAY_MS, unrevisedAt: null }
    const deleted = aGoneNote({ noteId: 'a', floor })
    const shown = (beganAt: number) =>
      judge(aListing({ notes: [note('a')] }), {
        states: [deleted],
        progress: { fullListing: aFullListing({ beganAt }) },
      }).notes.map(({ state }) => state.presence)
    expect([shown(NOW), shown(NOW - 1)]).toEqual([['live'], ['gone']])
  })

  it('is an error without a full listing', () => {
    expect(() => judge(aListing())).toThrow('no full listing is under way')
  })
})

describe('the progress after a poll', () => {
  const track = { listed: 9 }
  const poll = { ...NO_PROGRESS.poll, isUnderWay: true, track, unannounced: 2, heardAt: HEARD_AT }
  const end = { checkpoint: 'c9', watermark: 8, heardAt: HEARD_AT, endedAt: NOW, repeatingSince: undefined }
  const ended = { checkpoint: 'c9', watermark: 8, polledAt: NOW, backfilledAt: NOW }

  it('is that nothing is under way', () => {
    const after = { ...poll, ...ended, isUnderWay: false, track: undefined }
    expect(progressAfterPoll({ ...NO_PROGRESS, poll }, end)).toEqual({ ...NO_PROGRESS, poll: after })
  })

  it('keeps the time of the backfill', () => {
    const before = { ...NO_PROGRESS, poll: { ...poll, backfilledAt: 5 } }
    expect(progressAfterPoll(before, end).poll.backfilledAt).toBe(5)
  })

  it('remains under way if the poll will be repeated', () => {
    const after = progressAfterPoll({ ...NO_PROGRESS, poll }, { ...end, repeatingSince: 4 })
    expect(after.poll).toMatchObject({ ...ended, isUnderWay: true, repeatingSince: 4, track })
  })

  it('forgets changes without an event when an event has arrived', () => {
    const after = progressAfterPoll({ ...NO_PROGRESS, poll }, { ...end, heardAt: NOW })
    expect(after.poll).toMatchObject({ unannounced: 0, heardAt: NOW })
  })
})
