import type { NoteWithContent } from '@notewire/client'
import { describe, expect, it } from 'vitest'
import { aGoneNote, aLiveNote, aReading, aRecord, KEEP_ALL, NOW } from '../../fixtures/note-states.ts'
import type { NoteState } from '../notes/note-state.ts'
import { eraseUnconfirmed } from './absence-rule.ts'
import { areAttemptsUsedUp, postpone } from './backoff.ts'
import {
  applyContent,
  applyLateContent,
  isContentOf,
  judgeContent,
  lacksReadyPart,
  mayContentLag,
  postponeContent,
  rereadOutdated,
  withoutOutdated,
} from './content-rule.ts'

function aTranscript(revision: number | undefined = 5): NoteWithContent['transcript'] {
  return { status: 'ready', transcript: { note_id: 'n1', revision, text: 'said' } }
}

function aSummary(revision: number | undefined = 5): NoteWithContent['summary'] {
  return { status: 'ready', summary: { note_id: 'n1', revision, status: 'ready', markdown: '# Sum' } }
}

function aContent(traits: Partial<NoteWithContent> = {}): NoteWithContent {
  return { note: aRecord(), transcript: aTranscript(), summary: aSummary(), ...traits }
}

const unsettled = aLiveNote({ settledRevision: null, transcriptOutcome: null, summaryOutcome: null, dueAt: NOW + 9 })

describe('a transcript and a summary', () => {
  it.each<[string, Partial<NoteWithContent>, string]>([
    ['of the revision of the note', {}, 'settled'],
    [
      'that the record says are not there',
      { note: aRecord({ transcript_status: 'empty' }), transcript: { status: 'empty' } },
      'settled',
    ],
    [
      'that are not ready, as the record says',
      { note: aRecord({ summary_status: 'pending' }), summary: { status: 'not_ready' } },
      'settled',
    ],
    ['of another revision that was not accepted: lower', { transcript: aTranscript(4) }, 'unconfirmed'],
    ['of a lower revision, in the summary', { summary: aSummary(4) }, 'unconfirmed'],
    ['of a higher revision', { summary: aSummary(6) }, 'outdated'],
    ['that are gone', { transcript: { status: 'gone' } }, 'outdated'],
    ['that answer 404 though the record calls them ready', { transcript: { status: 'content_not_found' } }, 'outdated'],
    ['that are not there though the record calls them ready', { summary: { status: 'not_ready' } }, 'lagging'],
    [
      'that are not there where no status says so',
      { note: aRecord({ summary_status: undefined }), summary: { status: 'not_ready' } },
      'unconfirmed',
    ],
  ])('%s', (_, traits, verdict) => {
    expect(judgeContent(aContent(traits), KEEP_ALL)).toBe(verdict)
  })

  it('that are missing although their status is ready are unconfirmed, because they may belong to another revision', () => {
    expect(judgeContent(aContent({ summary: { status: 'missing' } }), KEEP_ALL)).toBe('unconfirmed')
    expect(judgeContent(aContent({ transcript: { status: 'empty' } }), KEEP_ALL)).toBe('unconfirmed')
  })

  it('that are missing although their status is ready are detected, if they are kept', () => {
    expect(lacksReadyPart(aContent({ summary: { status: 'missing' } }), KEEP_ALL)).toBe(true)
    expect(lacksReadyPart(aContent({ transcript: { status: 'empty' } }), KEEP_ALL)).toBe(true)
    expect(lacksReadyPart(aContent({ summary: { status: 'missing' } }), new Set(['note', 'transcript']))).toBe(false)
    expect(lacksReadyPart(aContent(), KEEP_ALL)).toBe(false)
  })

  it.each<[string, Partial<NoteWithContent>, boolean]>([
    ['of its revision', {}, true],
    ['of another revision', { transcript: aTranscript(6) }, false],
    ['without a revision', { transcript: { status: 'ready', transcript: { note_id: 'n1', text: 'said' } } }, false],
    ['that do not exist although its status is ready', { summary: { status: 'not_ready' } }, false],
    [
      'that do not exist, as its status says',
      { note: aRecord({ summary_status: 'pending' }), summary: { status: 'not_ready' } },
      true,
    ],
    ['that exist although its status is pending', { note: aRecord({ summary_status: 'pending' }) }, false],
  ])('that were read at the same time as the note: %s', (_, traits, isUsed) => {
    const content = aContent(traits)
    expect(isContentOf(content.note, content, KEEP_ALL)).toBe(isUsed)
  })

  it('that are not kept are ignored', () => {
    expect(judgeContent(aContent({ summary: { status: 'missing' } }), new Set(['note', 'transcript']))).toBe('settled')
  })

  it('without a revision are unconfirmed', () => {
    const transcript = { status: 'ready', transcript: { note_id: 'n1', text: 'said' } } as const
    expect(judgeContent(aContent({ transcript }), KEEP_ALL)).toBe('unconfirmed')
  })

  it('are stored with the revision that they belong to', () => {
    const decision = applyContent(unsettled, aContent(), KEEP_ALL, NOW)
    expect(decision).toMatchObject({
      state: { settledRevision: 5, transcriptOutcome: 'ready', summaryOutcome: 'ready', dueAt: null, attempts: 0 },
      content: { transcript: { text: 'said' }, summary: { markdown: '# Sum' } },
      announce: 'changed',
    })
  })

  it('that no longer exist are erased', () => {
    const note = aRecord({ transcript_status: 'empty' })
    const state = { ...unsettled, transcriptStatus: 'empty' }
    const decision = applyContent(state, aContent({ note, transcript: { status: 'empty' } }), KEEP_ALL, NOW)
    expect(decision).toMatchObject({ state: { transcriptOutcome: 'empty' }, content: { transcript: null } })
  })

  it.each<[string, NoteState]>([
    ['has a newer record', { ...unsettled, revision: 6 }],
    ['has another status', { ...unsettled, summaryStatus: 'pending' }],
    ['was hidden', { ...unsettled, presence: 'hidden' }],
    ['is gone', aGoneNote()],
  ])('are not stored if the note %s meanwhile', (_, state) => {
    expect(applyContent(state, aContent(), KEEP_ALL, NOW)).toBeUndefined()
  })

  it('that were read late do not overwrite content that was settled meanwhile', () => {
    const settled = aLiveNote({ evidence: { says: 'present', ...aReading(30, 31) } })
    expect(
      applyLateContent(
        settled,
        aContent({ summary: { status: 'not_ready' } }),
        { asOf: 11, mayLag: false },
        KEEP_ALL,
        NOW,
      ),
    ).toBeUndefined()
  })

  it('that were read late are read again if another read of the note ended meanwhile', () => {
    const seenSince = { ...unsettled, evidence: { says: 'present' as const, ...aReading(30, 31) } }
    const decision = applyLateContent(seenSince, aContent(), { asOf: 11, mayLag: false }, KEEP_ALL, NOW)
    expect(decision).toEqual({ state: { ...seenSince, dueAt: NOW } })
    expect(applyLateContent(seenSince, aContent(), { asOf: 31, mayLag: false }, KEEP_ALL, NOW)).toMatchObject({
      state: { settledRevision: 5 },
    })
  })

  it('do not clear a hint that arrived meanwhile', () => {
    const decision = applyContent({ ...unsettled, readAfterSequence: 40, dueAt: NOW }, aContent(), KEEP_ALL, NOW)
    expect(decision?.state).toMatchObject({ readAfterSequence: 40, dueAt: NOW, settledRevision: 5 })
  })

  it('that lag are retried with growing pauses, until eight attempts were answered', () => {
    let state: NoteState = { ...unsettled, failures: 3 }
    const pauses: number[] = []
    while (!areAttemptsUsedUp(state.attempts)) {
      state = postponeContent(state, NOW).state
      pauses.push((state.dueAt ?? 0) - NOW)
      expect(state.failures).toBe(0)
    }
    expect(pauses).toEqual([2000, 4000, 8000, 16_000, 32_000, 64_000, 128_000, 256_000])
  })

  it('whose requests fail are retried with growing pauses, and a failure is not an attempt', () => {
    let state = unsettled
    const pauses: number[] = []
    for (let failures = 1; failures <= 9; failures += 1) {
      state = postpone(state, NOW).state
      pauses.push((state.dueAt ?? 0) - NOW)
      expect(state).toMatchObject({ attempts: 0, failures })
    }
    expect(pauses).toEqual([2000, 4000, 8000, 16_000, 32_000, 64_000, 128_000, 256_000, 300_000])
    expect(postpone({ ...unsettled, attempts: 5 }, NOW).state).toMatchObject({ attempts: 5, dueAt: NOW + 32_000 })
  })

  it('that are newer than the record have the note read again', () => {
    expect(rereadOutdated(unsettled, NOW, 77)).toMatchObject({ state: { readAfterSequence: 77, dueAt: NOW } })
  })

  it('that are newer than the record are retried with growing pauses, and finally count as not ready', () => {
    let state = unsettled
    const pauses: number[] = []
    while (!areAttemptsUsedUp(state.attempts)) {
      state = rereadOutdated(state, NOW, 77).state
      pauses.push((state.dueAt ?? 0) - NOW)
    }
    expect(pauses).toEqual([0, 2000, 4000, 8000, 16_000, 32_000, 64_000, 128_000])
    const content = aContent({ transcript: aTranscript(6) })
    expect(withoutOutdated(content)).toEqual({ ...content, transcript: { status: 'not_ready' } })
  })
})

describe('content without the revision of its note', () => {
  const HOUR_MS = 3_600_000
  const seen = (recordSeenAt: number | null) => ({ recordSeenAt })
  const record = (updatedMsAgo: number) => aRecord({ updated_at: new Date(NOW - updatedMsAgo).toISOString() })

  it.each<[string, boolean, number | null, Parameters<typeof aRecord>[0], number | null]>([
    ['within 60 s of the first sight of the record', true, NOW - 60_000, {}, null],
    ['more than 60 s after it', false, NOW - 60_001, {}, null],
    ['when it is not known when the record was seen first', true, null, {}, null],
    ['of a record of the last 60 s by the service', true, NOW, record(60_000), NOW],
    ['of an older record by the service, however lately it was seen', false, NOW, record(60_001), NOW],
    ['of an old record, where the service tells no time', true, NOW, record(HOUR_MS), null],
    ['of a time without a zone', true, NOW, { updated_at: '2025-01-01T00:00:00' }, NOW],
    ['of a whole minute, which may have been cut off', true, NOW, { updated_at: '2026-01-01T11:58:00Z' }, NOW - 1000],
    ['of the minute before that', false, NOW, { updated_at: '2026-01-01T11:57:00Z' }, NOW],
    ['by a clock that was set back by a day since', true, NOW + 24 * HOUR_MS, {}, null],
  ])('%s: may lag is %s', (_, mayLag, recordSeenAt, traits, serviceTime) => {
    expect(
      mayContentLag(seen(recordSeenAt), aRecord({ updated_at: null, ...traits }), { requestedAt: NOW, serviceTime }),
    ).toBe(mayLag)
  })

  it('is shown, is not settled, and is due again when it can no longer lag', () => {
    const state = { ...unsettled, recordSeenAt: NOW - 1000 }
    expect(
      applyLateContent(state, aContent(), { asOf: state.evidence?.end, mayLag: true }, KEEP_ALL, NOW),
    ).toMatchObject({
      state: { settledRevision: null, dueAt: NOW + 59_001, transcriptOutcome: null },
      content: { transcript: { text: 'said' }, summary: { markdown: '# Sum' } },
      announce: 'changed',
    })
  })

  it('does not erase a stored part if it is absent', () => {
    const content = aContent({ transcript: { status: 'not_ready' }, summary: { status: 'missing' } })
    const decision = applyLateContent(
      unsettled,
      content,
      { asOf: unsettled.evidence?.end, mayLag: true },
      KEEP_ALL,
      NOW,
    )
    expect(decision?.content).toBeUndefined()
    expect(decision?.announce).toBeUndefined()
  })

  it('is not stored if the note has changed or must be read again', () => {
    expect(
      applyLateContent({ ...unsettled, revision: 6 }, aContent(), { asOf: 11, mayLag: true }, KEEP_ALL, NOW),
    ).toBeUndefined()
    const marked = { ...unsettled, readAfterSequence: 40, dueAt: NOW }
    expect(applyLateContent(marked, aContent(), { asOf: 11, mayLag: true }, KEEP_ALL, NOW)?.state).toMatchObject({
      readAfterSequence: 40,
      dueAt: NOW,
    })
  })
})

describe('a note that an event has hidden and that cannot be read', () => {
  const hidden = aLiveNote({ presence: 'hidden', hiddenSequence: 20, hiddenAt: NOW, readAfterSequence: 20, dueAt: NOW })

  it('keeps its content for an hour while it is retried', () => {
    expect(eraseUnconfirmed(hidden, NOW + 60 * 60_000 - 1)).toBeUndefined()
    expect(postpone(hidden, NOW).state).toMatchObject({ failures: 1, readAfterSequence: 20 })
  })

  it('is erased after that, and must still be read', () => {
    const decision = eraseUnconfirmed(hidden, NOW + 60 * 60_000)
    expect(decision?.content).toBe('erase')
    expect(decision?.state).toMatchObject({
      presence: 'hidden',
      readAfterSequence: 20,
      settledRevision: null,
      hiddenAt: null,
    })
  })

  it('is not erased if a read has settled it', () => {
    expect(eraseUnconfirmed(aLiveNote(), NOW + 60 * 60_000)).toBeUndefined()
    expect(eraseUnconfirmed(aGoneNote(), NOW + 60 * 60_000)).toBeUndefined()
  })
})
