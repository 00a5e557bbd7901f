import type { Note } from '@notewire/protocol'
import { describe, expect, it } from 'vitest'
import { aGoneNote, aLiveNote, aReading, aRecord, KEEP_ALL, NOW, read } from '../../fixtures/note-states.ts'
import type { NoteState } from '../notes/note-state.ts'
import type { ContentPart, KeptParts } from '../notes/note-write.ts'
import { applyRecord, compareRecord, keepContentAttempts } from './record-rule.ts'

const LATER = aReading(11, 12)
const OVERLAPPING = aReading(10, 12)

describe('a record, compared with the stored one', () => {
  it.each<[string, Partial<Note>, Partial<NoteState>, 'later' | 'overlapping']>([
    ['changed', { revision: 6 }, {}, 'later'],
    ['changed', { revision: 6 }, {}, 'overlapping'],
    ['changed', { revision: 0 }, { revision: null }, 'later'],
    ['changed', { status: 'recording' }, {}, 'later'],
    ['changed', { transcript_status: 'pending' }, {}, 'later'],
    ['changed', { summary_status: 'pending' }, {}, 'later'],
    ['changed', { updated_at: undefined }, {}, 'later'],
    ['ambiguous', { status: 'recording' }, {}, 'overlapping'],
    ['same', {}, {}, 'later'],
    ['same', {}, {}, 'overlapping'],
    ['older', { revision: 4 }, {}, 'later'],
    ['same', { revision: 4 }, {}, 'overlapping'],
    ['older', { revision: 4 }, { contradictedSince: NOW }, 'overlapping'],
  ])('is %s: %o, stored %o, in a %s read', (verdict, record, stored, order) => {
    const stamp = order === 'later' ? LATER : OVERLAPPING
    expect(compareRecord(aLiveNote(stored), aRecord(record), stamp, KEEP_ALL)).toBe(verdict)
  })

  it.each<[string, Partial<NoteState>, readonly ContentPart[], string]>([
    ['changed, if the mirror lacks a transcript', { transcriptOutcome: null }, ['transcript'], 'changed'],
    ['changed, if the mirror lacks a summary', { summaryOutcome: null }, ['summary'], 'changed'],
    ['the same, if the mirror does not keep what it lacks', { transcriptOutcome: null }, ['note', 'summary'], 'same'],
    ['the same, if the mirror does not keep the summary', { summaryOutcome: null }, ['transcript'], 'same'],
    ['the same, if its content is due', { summaryOutcome: null, settledRevision: null }, ['summary'], 'same'],
  ])('that is equal is %s', (_, traits, keep, verdict) => {
    expect(compareRecord(aLiveNote(traits), aRecord(), LATER, new Set(keep))).toBe(verdict)
  })

  it('is equal without the fields that the stored one lacks', () => {
    const fields = { status: undefined, transcript_status: undefined, summary_status: undefined, updated_at: undefined }
    const stored = { status: null, transcriptStatus: null, summaryStatus: null, updatedAt: null }
    expect(compareRecord(aLiveNote(stored), aRecord(fields), LATER, KEEP_ALL)).toBe('same')
  })
})

describe('a record that is stored', () => {
  const apply = (state: NoteState, record: Note, keep: KeptParts = KEEP_ALL) =>
    applyRecord(state, record, { ...state, presence: 'live' }, LATER, keep)

  it('gives the note its revision, statuses and times', () => {
    const fields = { status: 'recording', transcript_status: 'pending', summary_status: 'empty' } as const
    const times = { created_at: '2026-01-01T10:00:00Z', updated_at: '2026-01-01T11:30:00Z' }
    expect(apply(aLiveNote(), aRecord({ revision: 6, ...fields, ...times })).state).toMatchObject({
      ...{ revision: 6, status: 'recording', transcriptStatus: 'pending', summaryStatus: 'empty' },
      ...{ createdAt: times.created_at, updatedAt: times.updated_at },
    })
    expect(apply(aLiveNote(), { note_id: 'n1', revision: 6 } as Note).state).toMatchObject({
      ...{ revision: 6, status: null, transcriptStatus: null, summaryStatus: null, createdAt: null, updatedAt: null },
    })
  })

  it.each([
    ['was seen now, if it differs', aRecord({ revision: 6 }), NOW - 5000, NOW],
    ['was seen before, if it is the same', aRecord(), NOW - 5000, NOW - 5000],
    ['was seen now, if it is not known when it was seen', aRecord(), null, NOW],
  ])('%s', (_, record, recordSeenAt, expected) => {
    expect(apply(aLiveNote({ recordSeenAt }), record).state.recordSeenAt).toBe(expected)
  })

  it.each([
    ['appears at its revision', aGoneNote({ visibleRevision: 2 }), 6, 'appeared'],
    ['changes, and keeps the revision at which it appeared', aLiveNote({ visibleRevision: 2 }), 2, 'changed'],
  ])('%s', (_, state, visibleRevision, announce) => {
    expect(apply(state, aRecord({ revision: 6 }))).toMatchObject({ state: { visibleRevision }, announce })
  })

  it.each<[readonly ContentPart[], number | null]>([
    [['transcript'], null],
    [['summary'], null],
    [['note', 'transcript', 'summary'], null],
    [['note'], 6],
    [[], 6],
  ])('in a mirror that keeps %j has the settled revision %s', (keep, settledRevision) => {
    const { state } = apply(aLiveNote({ attempts: 3 }), aRecord({ revision: 6 }), new Set(keep))
    const due = { settledRevision: null, attempts: 0, dueAt: NOW, transcriptOutcome: 'ready', summaryOutcome: 'ready' }
    const settled = { settledRevision, transcriptOutcome: null, summaryOutcome: null, dueAt: null }
    expect(state).toMatchObject(settledRevision === null ? due : settled)
  })

  it.each<[readonly ContentPart[], object]>([
    [['note', 'transcript', 'summary'], {}],
    [['note', 'summary'], { transcript: null }],
    [['note', 'transcript'], { summary: null }],
  ])('in a mirror that keeps %j erases the others', (keep, erased) => {
    expect(apply(aLiveNote(), aRecord(), new Set(keep)).content).toEqual({ note: aRecord(), ...erased })
  })

  it('keeps its owner and its times in a mirror that keeps no note', () => {
    const owner = { type: 'channel', channel_id: 'c1' }
    const times = {
      created_at: '2026-01-01T10:00:00Z',
      updated_at: '2026-01-01T11:00:00Z',
      ended_at: '2026-01-01T10:30:00Z',
    }
    const { content } = apply(aLiveNote(), aRecord({ ...times, owner, title: 'Secret' }), new Set(['transcript']))
    const statuses = { status: 'ended', transcript_status: 'ready', summary_status: 'ready' }
    expect(content).toEqual({ note: { note_id: 'n1', revision: 5, ...statuses, ...times, owner }, summary: null })
  })
})

describe('the same record again', () => {
  it.each([
    [3, 0, 3],
    [1, 2, 2],
  ])('keeps the higher number of attempts to read content that is due: %i and %i', (attempts, seen, expected) => {
    const due = aLiveNote({ settledRevision: null, attempts })
    expect(keepContentAttempts(due, { ...due, attempts: seen }).attempts).toBe(expected)
  })

  it.each<[string, Partial<NoteState>, number | null]>([
    ['has its content read, if that was not ready and no status says so', { transcriptOutcome: 'not_ready' }, null],
    ['has its content read, if the summary was not ready', { summaryOutcome: 'not_ready' }, null],
    ['has nothing read, if the content is ready', {}, 5],
    ['has nothing read, if the content is empty', { transcriptOutcome: 'empty', summaryOutcome: 'failed' }, 5],
    ['has nothing read, if a status says so', { summaryStatus: 'pending', summaryOutcome: 'not_ready' }, 5],
  ])('%s', (_, traits, settledRevision) => {
    const state = aLiveNote(traits)
    expect(keepContentAttempts(state, state)).toEqual({ ...state, settledRevision })
  })

  it('counts no attempts for a settled note', () => {
    expect(read(aLiveNote({ attempts: 3 }), aRecord(), LATER).state.settledRevision).toBe(5)
    expect(keepContentAttempts(aLiveNote({ attempts: 3 }), aLiveNote()).attempts).toBe(0)
  })
})
