import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { aGoneNote, aLiveNote, aReading, aRecord, aTombstone, NOW, read } from '../../fixtures/note-states.ts'
import { hasWork, type NoteState, unknownNote } from '../notes/note-state.ts'
import { acceptRemoval, markMissing } from './absence-rule.ts'
import { applyHint } from './hint-rule.ts'
import { applyRead } from './read-rule.ts'

const DELETION = {
  noteId: 'n1',
  kind: 'note.deleted',
  revision: 5,
  occurredAt: null,
  transcriptStatus: null,
  summaryStatus: null,
  recordingSessionId: null,
}

describe('a note that is read for the first time', () => {
  it('is shown immediately, and its content is due', () => {
    const { state, content, announce } = read(unknownNote('n1'), aRecord(), aReading(1, 2, { source: 'backfill' }))
    expect(state).toMatchObject({
      presence: 'live',
      revision: 5,
      settledRevision: null,
      dueAt: NOW,
      readAfterSequence: null,
    })
    expect(content).toEqual({ note: aRecord() })
    expect(announce).toBe('appeared')
  })

  it('is settled immediately in a mirror that keeps no transcripts and summaries', () => {
    const policy = { keep: new Set(['note'] as const) }
    const { state } = applyRead(unknownNote('n1'), aRecord(), aReading(1, 2), policy)
    expect(state).toMatchObject({ settledRevision: 5, dueAt: null })
  })

  it('is stored without title, content and unknown fields in a mirror that keeps only identifiers and statuses', () => {
    const record = { ...aRecord(), mood: 'secret' }
    const { content } = applyRead(unknownNote('n1'), record, aReading(1, 2), { keep: new Set() })
    expect(JSON.stringify(content)).not.toMatch(/Stand-up|secret/)
    expect(content).toMatchObject({ note: { note_id: 'n1', revision: 5, transcript_status: 'ready' } })
  })

  it('is recorded as gone if it is a tombstone, without an announcement', () => {
    const { state, announce } = read(unknownNote('n1'), aTombstone(), aReading(1, 2, { source: 'full-listing' }))
    expect(state).toMatchObject({ presence: 'gone', evidence: { says: 'absent' }, dueAt: null })
    expect(announce).toBeUndefined()
  })
})

describe('presence depends on the order of reads', () => {
  it('a read that started after the other had ended overrides it, unless its revision is lower', () => {
    expect(read(aLiveNote(), undefined, aReading(11, 12)).state.presence).toBe('gone')
    expect(read(aGoneNote(), aRecord({ revision: 1 }), aReading(21, 22)).state.presence).toBe('gone')
    expect(read(aGoneNote(), aRecord(), aReading(21, 22)).state.presence).toBe('live')
  })

  it('reads that overlap and contradict each other change nothing, and cause another read', () => {
    const returning = read(aGoneNote(), aRecord({ revision: 9 }), aReading(20, 30))
    expect(returning.state).toEqual({ ...aGoneNote(), readAfterSequence: 30, dueAt: NOW })
    const vanishing = read(aLiveNote(), undefined, aReading(10, 30))
    expect(vanishing.state).toEqual({ ...aLiveNote(), readAfterSequence: 30, dueAt: NOW })
  })

  it('of reads that overlap and agree, the one that started later is kept', () => {
    const later = { says: 'present', start: 10, end: 11 }
    expect(read(aLiveNote(), aRecord(), aReading(9, 30)).state.evidence).toMatchObject(later)
    expect(read(aLiveNote(), aRecord(), aReading(10, 30)).state.evidence).toMatchObject({ start: 10, end: 30 })
  })

  it('a tombstone proves absence in any listing', () => {
    const { state, content, announce } = read(aLiveNote(), aTombstone(), aReading(11, 12, { source: 'poll' }))
    expect(state).toMatchObject({
      presence: 'gone',
      transcriptOutcome: null,
      summaryOutcome: null,
      settledRevision: null,
    })
    expect([content, announce]).toEqual(['erase', 'vanished'])
  })

  it('a note that returns at the same revision is restored, and its content is due', () => {
    const { state, content, announce } = read(aGoneNote(), aRecord(), aReading(22, 23))
    expect(state).toMatchObject({ presence: 'live', settledRevision: null, dueAt: NOW })
    expect(content).toEqual({ note: aRecord() })
    expect(announce).toBe('appeared')
  })

  it('a read that began before the latest full listing does not show a note, and causes another read', () => {
    const late = read(aGoneNote(), aRecord(), aReading(22, 30, { fullListingStartSequence: 23 }))
    expect(late.state).toMatchObject({ presence: 'gone', readAfterSequence: 30, dueAt: NOW })
    expect(read(late.state, aRecord(), aReading(30, 31, { fullListingStartSequence: 23 })).state.presence).toBe('live')
  })

  it('evidence never gets older, in any order of reads', () => {
    const answers = fc.constantFrom(undefined, aRecord(), aRecord({ revision: 6 }), aTombstone())
    const reads = fc.array(fc.tuple(fc.nat(30), answers), { maxLength: 12 })
    fc.assert(
      fc.property(reads, (history) => {
        let state: NoteState = unknownNote('n1')
        let end = 0
        for (const [lag, answer] of history) {
          end += 1
          const next = read(state, answer, aReading(Math.max(0, end - 1 - lag), end)).state
          expect(next.evidence?.start ?? 0).toBeGreaterThanOrEqual(state.evidence?.start ?? 0)
          expect(next.dueAt !== null).toBe(hasWork(next))
          state = next
        }
      }),
    )
  })
})

describe('a note that an event has hidden', () => {
  const hidden = applyHint(aLiveNote(), DELETION, { sequence: 20, at: NOW }).state

  it('stays hidden after a read that found it but had begun before the event arrived', () => {
    const { state, content } = read(hidden, aRecord({ revision: 6 }), aReading(19, 25))
    expect(state).toMatchObject({ presence: 'hidden', readAfterSequence: 20, hiddenSequence: 20 })
    expect(content).toBeUndefined()
  })

  it('is restored by a read that began more than 60 s after the event', () => {
    const { state, announce } = read(hidden, aRecord(), aReading(20, 25, { at: NOW + 60_001 }))
    expect(state).toMatchObject({ presence: 'live', readAfterSequence: null, hiddenSequence: null, hiddenAt: null })
    expect(announce).toBe('appeared')
  })

  it('is not shown again by an older read with a lower revision than the stored one', () => {
    const late = applyHint(aLiveNote({ evidence: { says: 'present', ...aReading(30, 60) } }), DELETION, {
      sequence: 20,
      at: NOW,
    })
    const { state, content } = read(late.state, aRecord({ revision: 4 }), aReading(25, 70))
    expect(state).toMatchObject({ presence: 'hidden', revision: 5, readAfterSequence: 70 })
    expect(content).toBeUndefined()
  })

  it('is gone and erased if such a read does not find it', () => {
    const { state, content, announce } = read(hidden, undefined, aReading(20, 25))
    expect(state).toMatchObject({
      presence: 'gone',
      readAfterSequence: null,
      hiddenSequence: null,
      hiddenAt: null,
      dueAt: null,
    })
    expect([content, announce]).toEqual(['erase', 'vanished'])
  })
})

describe('the stored record has the highest revision', () => {
  it.each([
    ['a higher revision', { revision: 6 }],
    ['another status', { summary_status: 'pending' }],
    ['another updated_at', { updated_at: '2026-01-01T11:59:00Z' }],
  ])('%s is a change', (_, traits) => {
    const { state, content, announce } = read(aLiveNote(), aRecord(traits), aReading(11, 12))
    expect(state).toMatchObject({ settledRevision: null, evidence: { start: 11 } })
    expect(content).toEqual({ note: aRecord(traits) })
    expect(announce).toBe('changed')
  })

  it('the same record only updates the evidence', () => {
    expect(read(aLiveNote(), aRecord(), aReading(11, 12))).toEqual({
      state: { ...aLiveNote(), evidence: { says: 'present', start: 11, end: 12, source: 'read', at: NOW } },
    })
  })

  it('a lower revision is not applied, and is read again if its read was later', () => {
    const later = read(aLiveNote(), aRecord({ revision: 4, title: 'Old' }), aReading(11, 12))
    expect(later).toMatchObject({ state: { revision: 5, readAfterSequence: 12, contradictedSince: NOW } })
    expect(later.content).toBeUndefined()
    expect(read(aLiveNote(), aRecord({ revision: 4 }), aReading(9, 12)).state.readAfterSequence).toBeNull()
  })

  it('a lower revision is read again if a listing that began before the note had to be read again has shown it, too', () => {
    const hinted = aLiveNote({ readAfterSequence: 30, dueAt: NOW })
    const older = aRecord({ revision: 3 })
    const { state } = read(hinted, older, aReading(29, 32, { source: 'poll' }))
    expect(read(state, older, aReading(30, 33)).state).toMatchObject({
      revision: 5,
      readAfterSequence: 30,
      attempts: 1,
    })
  })

  it('a permanently lower revision is treated as a lag for eight attempts over eight and a half minutes, and then accepted', () => {
    let state = read(aLiveNote(), aRecord({ revision: 4 }), aReading(11, 12, { source: 'poll' })).state
    const times: number[] = []
    for (let start = 12; state.readAfterSequence !== null; start += 2) {
      expect(state).toMatchObject({ presence: 'live', revision: 5, contradictedSince: NOW })
      times.push((state.dueAt ?? 0) - NOW)
      const reading = aReading(start, start + 1, { at: state.dueAt ?? 0 })
      state = read(state, aRecord({ revision: 4, title: 'Restored' }), reading).state
    }
    expect(times).toEqual([0, 2, 6, 14, 30, 62, 126, 254, 510].map((seconds) => seconds * 1000))
    expect(state).toMatchObject({ presence: 'live', revision: 4, contradictedSince: null, settledRevision: null })
  })

  it('attempts in quick succession do not make a lower revision accepted', () => {
    let state = aLiveNote()
    for (let start = 12; start < 60; start += 2) {
      state = read(state, aRecord({ revision: 4 }), aReading(start, start + 1, { at: NOW + start })).state
    }
    expect(state).toMatchObject({ revision: 5, contradictedSince: NOW + 12 })
  })

  it('the higher revision again ends the contradiction', () => {
    const { state } = read(aLiveNote(), aRecord({ revision: 4 }), aReading(11, 12))
    expect(read(state, aRecord(), aReading(13, 14)).state).toMatchObject({
      readAfterSequence: null,
      contradictedSince: null,
      attempts: 0,
    })
  })

  it('overlapping reads of one revision that differ are not applied, and the note is read again', () => {
    const { state, content } = read(aLiveNote(), aRecord({ summary_status: 'pending' }), aReading(10, 30))
    expect(state).toMatchObject({ summaryStatus: 'ready', readAfterSequence: 30 })
    expect(content).toBeUndefined()
  })

  it('absent content without a status is due at each read of its note', () => {
    const silent = { transcriptStatus: null, summaryStatus: null, summaryOutcome: 'not_ready' } as const
    const record = aRecord({ transcript_status: undefined, summary_status: undefined })
    const { state } = read(aLiveNote(silent), record, aReading(11, 12, { source: 'full-listing' }))
    expect(state).toMatchObject({ settledRevision: null, dueAt: NOW })
  })
})

describe('a mirror that keeps', () => {
  const seen = aReading(11, 12, { source: 'full-listing' })

  it('fewer parts than before erases the others with the next change of a note', () => {
    const decision = applyRead(aLiveNote(), aRecord({ revision: 6 }), seen, { keep: new Set() })
    expect(decision.content).toMatchObject({ transcript: null, summary: null })
    expect(decision.state).toMatchObject({ settledRevision: 6, transcriptOutcome: null, summaryOutcome: null })
  })

  it('more parts than before reads the missing parts, although the note is the same', () => {
    const without = aLiveNote({ transcriptOutcome: null })
    const decision = read(without, aRecord(), seen)
    expect(decision).toMatchObject({ state: { settledRevision: null, dueAt: NOW }, content: { note: aRecord() } })
    expect(applyRead(without, aRecord(), seen, { keep: new Set(['note', 'summary']) }).content).toBeUndefined()
  })
})

describe('an answer that lags behind an event', () => {
  const hint = {
    noteId: 'n1',
    kind: 'note.updated',
    revision: 7,
    occurredAt: null,
    transcriptStatus: null,
    summaryStatus: null,
    recordingSessionId: null,
  }

  it('has the note read again with growing pauses, and is finally accepted', () => {
    let { state } = applyHint(aLiveNote(), hint, { sequence: 20, at: NOW })
    const pauses: number[] = []
    for (let start = 20; state.readAfterSequence !== null; start += 2) {
      const at = state.dueAt ?? 0
      state = read(state, aRecord(), aReading(start, start + 1, { at })).state
      if (state.readAfterSequence !== null) pauses.push((state.dueAt ?? 0) - at)
    }
    expect(pauses).toEqual([2000, 4000, 8000, 16_000, 32_000, 64_000, 128_000, 256_000])
    expect(state).toMatchObject({ presence: 'live', hintedRevision: null, attempts: 0, dueAt: null })
  })

  it('is a 404 right after the creation of a note: the note is gone only after the last attempt', () => {
    let { state } = applyHint(unknownNote('n1'), hint, { sequence: 20, at: NOW })
    state = read(state, undefined, aReading(20, 21)).state
    expect(state).toMatchObject({ presence: 'hidden', readAfterSequence: 20, attempts: 1 })
    expect(read(state, aRecord({ revision: 7 }), aReading(22, 23)).state).toMatchObject({
      presence: 'live',
      readAfterSequence: null,
    })
    for (let start = 22; state.readAfterSequence !== null; start += 2)
      state = read(state, undefined, aReading(start, start + 1)).state
    expect(state).toMatchObject({ presence: 'gone', dueAt: null })
  })

  it('does not keep a live note that no longer exists', () => {
    const { state } = applyHint(aLiveNote(), hint, { sequence: 20, at: NOW })
    const decision = read(state, undefined, aReading(20, 21))
    expect(decision).toMatchObject({ state: { presence: 'gone' }, content: 'erase' })
  })

  it('is an absence right after the event: the note is gone, and is read again when the lag is over', () => {
    const { state } = applyHint(aLiveNote(), hint, { sequence: 20, at: NOW })
    const gone = read(state, undefined, aReading(20, 21)).state
    expect(gone).toMatchObject({ presence: 'gone', readAfterSequence: 21, dueAt: NOW + 60_001 })
    const later = aReading(22, 23, { at: NOW + 60_001 })
    expect(read(gone, undefined, later).state).toMatchObject({ presence: 'gone', readAfterSequence: null, dueAt: null })
    expect(read(gone, aRecord({ revision: 7 }), later).state).toMatchObject({
      presence: 'live',
      readAfterSequence: null,
    })
  })

  it('does not show a note: a record below the revision of an event proves nothing', () => {
    const { state } = applyHint(aGoneNote(), hint, { sequence: 30, at: NOW })
    const lagging = read(state, aRecord({ revision: 6 }), aReading(30, 31)).state
    expect(lagging).toMatchObject({ presence: 'gone', contradictedSince: NOW, readAfterSequence: 31 })
    expect(read(lagging, aRecord({ revision: 7 }), aReading(32, 33)).state).toMatchObject({ presence: 'live' })
  })
})

describe('a hint that arrives during a read', () => {
  it('has the note read again: the read does not clear that', () => {
    const { state } = applyHint(aGoneNote(), { ...DELETION, kind: 'note.updated' }, { sequence: 40, at: NOW })
    expect(read(state, undefined, aReading(39, 41)).state).toMatchObject({
      presence: 'gone',
      readAfterSequence: 40,
      dueAt: NOW,
    })
    expect(read(state, undefined, aReading(40, 41)).state).toMatchObject({
      presence: 'gone',
      readAfterSequence: null,
      dueAt: null,
    })
  })
})

describe('an absence in a read that began before an event about the note', () => {
  const { state } = applyHint(aLiveNote(), { ...DELETION, kind: 'note.updated' }, { sequence: 40, at: NOW })

  it('proves nothing, even if the event contained nothing new: the note is read again', () => {
    expect(state).toMatchObject({ readAfterSequence: null, dueAt: null })
    const decision = read(state, undefined, aReading(39, 41))
    expect(decision).toEqual({ state: { ...state, readAfterSequence: 41, dueAt: NOW } })
    expect(read(decision.state, undefined, aReading(41, 42)).state).toMatchObject({ presence: 'gone', dueAt: null })
  })

  it('proves the removal if it is a tombstone, which is final', () => {
    expect(read(state, aTombstone(), aReading(39, 41)).state).toMatchObject({ presence: 'gone' })
  })
})

describe('a shown note that a full listing missed', () => {
  const fullListing = { startSequence: 12 }
  const marked = (holdingFullListing?: string) =>
    markMissing(aLiveNote(), fullListing, { holdingFullListing, sequence: 19, at: NOW })?.state ?? aGoneNote()

  it('is due, and stays shown until a read does not find it', () => {
    expect(marked()).toMatchObject({ presence: 'live', readAfterSequence: 19, dueAt: NOW, heldByFullListing: null })
    expect(read(marked(), undefined, aReading(18, 21)).state).toMatchObject({ presence: 'gone', readAfterSequence: 19 })
    expect(read(marked(), undefined, aReading(20, 21))).toMatchObject({ state: { presence: 'gone' }, content: 'erase' })
    expect(read(marked(), aRecord(), aReading(20, 21)).state).toMatchObject({
      presence: 'live',
      readAfterSequence: null,
    })
  })

  it('is left as it is if it was read since the full listing began, or is not shown', () => {
    const request = { holdingFullListing: 's1', sequence: 19, at: NOW }
    const seen = read(aLiveNote(), aRecord(), aReading(12, 13)).state
    expect(markMissing(seen, fullListing, request)).toBeUndefined()
    expect(markMissing(aGoneNote(), fullListing, request)).toBeUndefined()
  })

  it('is hidden and kept by that read if the full listing holds removals back', () => {
    const decision = read(marked('s1'), undefined, aReading(20, 21))
    expect(decision.state).toMatchObject({ presence: 'hidden', heldByFullListing: 's1', readAfterSequence: null })
    expect(decision.content).toBeUndefined()
    expect(decision.announce).toBe('vanished')
  })

  it('is held back even if an event arrived during that read, if the next read does not find it', () => {
    const told = applyHint(marked('s1'), { ...DELETION, kind: 'note.updated' }, { sequence: 22, at: NOW }).state
    const { state, content } = read({ ...told, readAfterSequence: 22, dueAt: NOW }, undefined, aReading(20, 23))
    expect([state.presence, content]).toEqual(['live', undefined])
    const again = read(state, undefined, aReading(24, 25))
    expect(again.state).toMatchObject({ presence: 'hidden', heldByFullListing: 's1' })
    expect(again.content).toBeUndefined()
    expect(read(state, aRecord(), aReading(24, 25)).state).toMatchObject({ presence: 'live', heldByFullListing: null })
    expect(read(state, aTombstone(), aReading(24, 25)).state).toMatchObject({
      presence: 'gone',
      heldByFullListing: null,
    })
  })
})

describe('removals that a full listing holds back', () => {
  const held = aLiveNote({ presence: 'hidden', heldByFullListing: 's1' })

  it('stay held while reads do not find the note', () => {
    expect(read(held, undefined, aReading(22, 23))).toMatchObject({
      state: { presence: 'hidden', heldByFullListing: 's1' },
    })
    expect(read(held, undefined, aReading(22, 23)).content).toBeUndefined()
  })

  it('end when a read finds the note', () => {
    expect(read(held, aRecord(), aReading(22, 23)).state).toMatchObject({ presence: 'live', heldByFullListing: null })
  })

  it.each(['live', 'hidden'] as const)(
    'end with a deletion event, if the note is %s: acceptance then removes nothing',
    (presence) => {
      const { state } = applyHint({ ...held, presence }, DELETION, { sequence: 30, at: NOW })
      expect(state).toMatchObject({ presence: 'hidden', hiddenSequence: 30 })
      expect(acceptRemoval(state, 's1')).toBeUndefined()
      expect(acceptRemoval(held, 's1')).toMatchObject({ state: { presence: 'gone' }, content: 'erase' })
    },
  )

  it('end when the service proves that the note is gone: by a tombstone, or by an event and a read', () => {
    expect(read(held, aTombstone(), aReading(22, 23))).toMatchObject({ state: { presence: 'gone' }, content: 'erase' })
    const told = applyHint(held, DELETION, { sequence: 30, at: NOW }).state
    expect(read(told, undefined, aReading(30, 31))).toMatchObject({ state: { presence: 'gone' }, content: 'erase' })
  })
})
