import type { NoteWithContent } from '@notewire/client'
import { describe, expect, it } from 'vitest'
import { aGoneNote, aLiveNote, aReading, aRecord, KEEP_ALL, NOW, read } from '../fixtures/note-states.ts'
import {
  applyContent,
  applyLateContent,
  judgeContent,
  markMoved,
  postponeContent,
  withContent,
  withoutMoved,
} from './content-rule.ts'
import { eraseUnconfirmed } from './erasure-rule.ts'
import { type NoteState, unknownNote } from './note-state.ts'
import { postpone } from './postponement.ts'

function aTranscript(revision: number | undefined = 5): NoteWithContent['transcript'] {
  return { status: 'ready', transcript: { note_id: 'n1', revision, text: 'said' } }
}

function aSummary(revision: number | undefined = 5): NoteWithContent['summary'] {
  return { status: 'ready', summary: { note_id: 'n1', revision, status: 'ready', markdown: '# Sum' } }
}

function aContent(traits: Partial<NoteWithContent> = {}): NoteWithContent {
  return { note: aRecord(), transcript: aTranscript(), summary: aSummary(), ...traits }
}

const unsettled = aLiveNote({ settledRevision: null, transcriptHeld: null, summaryHeld: null, dueAt: NOW + 9 })

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
    ['of another revision accepted by nobody: lower', { transcript: aTranscript(4) }, 'unconfirmed'],
    ['of a lower revision, in the summary', { summary: aSummary(4) }, 'unconfirmed'],
    ['of a higher revision', { summary: aSummary(6) }, 'moved'],
    ['that are gone', { transcript: { status: 'gone' } }, 'moved'],
    ['that are not there though the record calls them ready', { summary: { status: 'not_ready' } }, 'lagging'],
    [
      'that are not there where no status says so',
      { note: aRecord({ summary_status: undefined }), summary: { status: 'not_ready' } },
      'unconfirmed',
    ],
  ])('%s', (_, traits, verdict) => {
    expect(judgeContent(aContent(traits), KEEP_ALL)).toBe(verdict)
  })

  it('that are missing though the record calls them ready are unconfirmed: they may be those of another revision', () => {
    expect(judgeContent(aContent({ summary: { status: 'missing' } }), KEEP_ALL)).toBe('unconfirmed')
    expect(judgeContent(aContent({ transcript: { status: 'empty' } }), KEEP_ALL)).toBe('unconfirmed')
  })

  it('that are not kept are not judged', () => {
    expect(judgeContent(aContent({ summary: { status: 'missing' } }), new Set(['note', 'transcript']))).toBe('settled')
  })

  it('that do not say their revision are unconfirmed', () => {
    const transcript = { status: 'ready', transcript: { note_id: 'n1', text: 'said' } } as const
    expect(judgeContent(aContent({ transcript }), KEEP_ALL)).toBe('unconfirmed')
  })

  it('are written down with the revision that they belong to', () => {
    const decision = applyContent(unsettled, aContent(), KEEP_ALL, NOW)
    expect(decision).toMatchObject({
      state: { settledRevision: 5, transcriptHeld: 'ready', summaryHeld: 'ready', dueAt: null, attempts: 0 },
      content: { transcript: { text: 'said' }, summary: { markdown: '# Sum' } },
      announce: 'changed',
    })
  })

  it('that are no longer there are erased', () => {
    const note = aRecord({ transcript_status: 'empty' })
    const state = { ...unsettled, transcriptStatus: 'empty' }
    const decision = applyContent(state, aContent({ note, transcript: { status: 'empty' } }), KEEP_ALL, NOW)
    expect(decision).toMatchObject({ state: { transcriptHeld: 'empty' }, content: { transcript: null } })
  })

  it.each<[string, NoteState]>([
    ['has a newer record', { ...unsettled, revision: 6 }],
    ['has another status', { ...unsettled, summaryStatus: 'pending' }],
    ['was hidden', { ...unsettled, presence: 'hidden' }],
    ['is gone', aGoneNote()],
  ])('are not written down when the note %s meanwhile', (_, state) => {
    expect(applyContent(state, aContent(), KEEP_ALL, NOW)).toBeUndefined()
  })

  it('that were read beside the note are written with it, and announced as what happened to the note', () => {
    const appeared = read(unknownNote('n1'), aRecord(), aReading(1, 2))
    expect(withContent(appeared, aContent(), KEEP_ALL, NOW)).toEqual({
      state: { ...appeared.state, settledRevision: 5, transcriptHeld: 'ready', summaryHeld: 'ready', dueAt: null },
      content: { note: aRecord(), ...(applyContent(unsettled, aContent(), KEEP_ALL, NOW)?.content as object) },
      announce: 'appeared',
    })
  })

  it('that were read beside a note that is gone, or hidden, are dropped', () => {
    const gone = read(aLiveNote(), undefined, aReading(20, 21))
    expect(withContent(gone, aContent(), KEEP_ALL, NOW)).toBe(gone)
    const hidden = { state: aLiveNote({ presence: 'hidden', settledRevision: null }) }
    expect(withContent(hidden, aContent(), KEEP_ALL, NOW)).toBe(hidden)
  })

  it('that took their time are not written over what another has settled meanwhile', () => {
    const settled = aLiveNote({ evidence: { says: 'present', ...aReading(30, 31) } })
    expect(applyLateContent(settled, aContent({ summary: { status: 'not_ready' } }), 11, KEEP_ALL, NOW)).toBeUndefined()
  })

  it('that took their time are read again when a later read has seen the note meanwhile', () => {
    const seenSince = { ...unsettled, evidence: { says: 'present' as const, ...aReading(30, 31) } }
    const decision = applyLateContent(seenSince, aContent(), 11, KEEP_ALL, NOW)
    expect(decision).toEqual({ state: { ...seenSince, dueAt: NOW } })
    expect(applyLateContent(seenSince, aContent(), 31, KEEP_ALL, NOW)).toMatchObject({ state: { settledRevision: 5 } })
  })

  it('leave a mark that came meanwhile', () => {
    const decision = applyContent({ ...unsettled, dirty: 40, dueAt: NOW }, aContent(), KEEP_ALL, NOW)
    expect(decision?.state).toMatchObject({ dirty: 40, dueAt: NOW, settledRevision: 5 })
  })

  it('that lag are asked for again with longer pauses, and count as absent in the end', () => {
    let state = unsettled
    let attempts = 0
    for (let next = postponeContent(state, NOW); next !== undefined; next = postponeContent(state, NOW)) {
      expect(next.state.dueAt).toBeGreaterThan(NOW)
      state = next.state
      attempts += 1
    }
    expect(attempts).toBe(8)
  })

  it('of a note that moved mark it to be read', () => {
    expect(markMoved(unsettled, 77, NOW)).toMatchObject({ state: { dirty: 77, dueAt: NOW } })
  })

  it('of a note that moves at every look are left alone in the end, as if they had not come', () => {
    let state = unsettled
    const pauses: number[] = []
    for (let next = markMoved(state, 77, NOW); next !== undefined; next = markMoved(state, 77, NOW)) {
      state = next.state
      pauses.push((state.dueAt ?? 0) - NOW)
    }
    expect(pauses).toEqual([0, 2000, 4000, 8000, 16_000, 32_000, 64_000, 128_000])
    const content = aContent({ transcript: aTranscript(6) })
    expect(withoutMoved(content)).toEqual({ ...content, transcript: { status: 'not_ready' } })
  })
})

describe('a note that an event has hidden, and that cannot be read', () => {
  const hidden = aLiveNote({ presence: 'hidden', hiddenBy: 20, hiddenAt: NOW, dirty: 20, dueAt: NOW })

  it('keeps its content for an hour, while it is tried again', () => {
    expect(eraseUnconfirmed(hidden, NOW + 60 * 60_000 - 1)).toBeUndefined()
    expect(postpone(hidden, NOW).state).toMatchObject({ attempts: 1, dirty: 20 })
  })

  it('is erased after that, and is still to be read', () => {
    const decision = eraseUnconfirmed(hidden, NOW + 60 * 60_000)
    expect(decision?.content).toBe('erase')
    expect(decision?.state).toMatchObject({ presence: 'hidden', dirty: 20, settledRevision: null, hiddenAt: null })
  })

  it('is left alone when a read has settled it', () => {
    expect(eraseUnconfirmed(aLiveNote(), NOW + 60 * 60_000)).toBeUndefined()
    expect(eraseUnconfirmed(aGoneNote(), NOW + 60 * 60_000)).toBeUndefined()
  })
})
