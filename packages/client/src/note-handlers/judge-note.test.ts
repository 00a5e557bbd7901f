import type { Note } from '@notewire/protocol'
import { describe, expect, it } from 'vitest'
import type { CurrentNote } from './current-note.ts'
import { type ChangeEvent, type Circumstances, judgeNote } from './judge-note.ts'

const HOUR = 3_600_000

function anEvent(kind: ChangeEvent['event_type'], data: Partial<ChangeEvent['data']> = {}): ChangeEvent {
  return { event_id: 'e1', event_type: kind, data: { note_id: 'n1', revision: 7, ...data } }
}

function found({ transcript, summary, ...note }: Partial<Note> & Partial<Pick<CurrentNote, 'transcript' | 'summary'>>) {
  const statuses = { transcript_status: transcript?.status ?? 'ready', summary_status: summary?.status ?? 'ready' }
  const record = { note_id: 'n1', revision: 7, ...statuses, ...note }
  return {
    status: 'found' as const,
    note: record,
    transcript: transcript ?? { status: 'ready' as const, note_id: 'n1', revision: 7, text: 'said' },
    summary: summary ?? { status: 'ready' as const, note_id: 'n1', revision: 7, markdown: '# Sum' },
  }
}

const PENDING = { status: 'pending' } as const
const NOTHING: Circumstances = { applied: undefined, ageMs: 0, contentHasOwnRevision: false }

function judge(event: ChangeEvent, fetched: Parameters<typeof judgeNote>[1], more: Partial<Circumstances> = {}) {
  const judgement = judgeNote(event, fetched, { ...NOTHING, ...more })
  switch (judgement.step) {
    case 'retry':
      return `retry ${judgement.missing}`
    case 'remove':
      return `remove ${judgement.reason}`
    case 'change':
      return judgement.incomplete === undefined ? 'change' : `change without ${judgement.incomplete}`
    case 'skip':
      return 'skip'
  }
}

describe('a note that answers 404', () => {
  it.each([
    [0, 'retry note'],
    [59_999, 'retry note'],
    [60_000, 'remove not_found'],
    [undefined, 'remove not_found'],
  ])('%s ms after the event: %s', (ageMs, expected) => {
    expect(judge(anEvent('note.updated'), { status: 'not_found' }, { ageMs })).toBe(expected)
  })
})

describe('a record', () => {
  it('that is a tombstone removes the note', () => {
    expect(judge(anEvent('note.updated'), found({ status: 'deleted' }))).toBe('remove deleted')
  })

  it.each([
    [6, 0, 'retry revision'],
    [6, HOUR, 'retry revision'],
    [6, HOUR + 1, 'change without revision'],
    [6, undefined, 'change without revision'],
    [7, 0, 'change'],
    [9, 0, 'change'],
  ])('of revision %s, %s ms after an event of revision 7: %s', (revision, ageMs, expected) => {
    const summary = { status: 'ready' as const, note_id: 'n1', revision, markdown: '# Sum' }
    const transcript = { status: 'ready' as const, note_id: 'n1', revision, text: 'said' }
    expect(judge(anEvent('note.updated'), found({ revision, summary, transcript }), { ageMs })).toBe(expected)
  })

  it('below the last applied revision is skipped, also when the service was restored', () => {
    const applied = { revision: 7, deleted: false, seen: [] }
    expect(judge(anEvent('note.updated'), found({ revision: 5 }), { applied, ageMs: HOUR + 1 })).toBe('skip')
  })

  it.each([
    [0, 7, 'retry deletion'],
    [60_000, 7, 'change'],
    [0, 8, 'change'],
  ])('%s ms after an event that followed a deletion, at revision %s: %s', (ageMs, revision, expected) => {
    const applied = { revision: 7, deleted: true, seen: [] }
    const summary = { status: 'ready' as const, note_id: 'n1', revision, markdown: '# Sum' }
    const transcript = { status: 'ready' as const, note_id: 'n1', revision, text: 'said' }
    expect(judge(anEvent('note.updated'), found({ revision, summary, transcript }), { applied, ageMs })).toBe(expected)
  })
})

describe('a part that is pending', () => {
  it.each([
    ['note.ended', { transcript: PENDING }, {}, 'retry transcript'],
    ['note.summary.generated', { summary: PENDING }, {}, 'retry summary'],
    ['note.ended', { summary: PENDING }, {}, 'change'],
    ['note.updated', { transcript: PENDING, summary: PENDING }, {}, 'change'],
    ['note.updated', { transcript: PENDING }, { transcript_status: 'ready' }, 'retry transcript'],
    ['note.updated', { summary: PENDING }, { summary_status: 'ready' }, 'retry summary'],
  ] as const)('after %s with %j, whose event says %j: %s', (kind, parts, data, expected) => {
    expect(judge(anEvent(kind, data), found(parts))).toBe(expected)
  })

  it.each(['transcript', 'summary'] as const)('is old if the record says that the %s is ready', (part) => {
    const record = { [part]: PENDING, [`${part}_status`]: 'ready' }
    expect(judge(anEvent('note.updated'), found(record))).toBe(`retry ${part}`)
    expect(judge(anEvent('note.updated'), found({ ...record, revision: 9 }))).toMatch(/^retry/)
    expect(judge(anEvent('note.updated'), found(record), { ageMs: HOUR + 1 })).toBe(`change without ${part}`)
  })

  it.each(['empty', 'failed'] as const)('is final with the status %s', (status) => {
    expect(judge(anEvent('note.ended'), found({ transcript: { status } }))).toBe('change')
  })

  it('is applied an hour after the event', () => {
    expect(judge(anEvent('note.ended'), found({ transcript: PENDING }), { ageMs: HOUR + 1 })).toBe(
      'change without transcript',
    )
  })

  it('is applied if a newer record says that another session is being recorded', () => {
    const newer = found({ revision: 9, transcript_status: 'pending', transcript: PENDING, summary: PENDING })
    expect(judge(anEvent('note.ended'), newer)).toBe('change')
  })

  it('is old if an event of the same revision announced it before (open point 20)', () => {
    const applied = { revision: 7, deleted: false, seen: ['note.summary.generated'] }
    expect(judge(anEvent('note.updated'), found({ summary: PENDING }), { applied })).toBe('retry summary')
    expect(judge(anEvent('note.updated'), found({ summary: PENDING }), { applied: { ...applied, revision: 6 } })).toBe(
      'change',
    )
  })
})

describe('content of a lower revision than the note', () => {
  const old = found({ transcript: { status: 'ready', note_id: 'n1', revision: 6, text: 'said' } })

  it('is not applied within a minute after the event (open point 36)', () => {
    expect(judge(anEvent('note.updated'), old)).toBe('retry transcript')
    expect(judge(anEvent('note.updated'), old, { ageMs: 60_000 })).toBe('change')
  })

  it('is applied if the service reports the revisions of content (open point 9)', () => {
    expect(judge(anEvent('note.updated'), old, { contentHasOwnRevision: true })).toBe('change')
    expect(judge(anEvent('note.ended'), old, { contentHasOwnRevision: true })).toBe('retry transcript')
  })

  it('is applied if the content has no revision', () => {
    const without = found({ transcript: { status: 'ready', note_id: 'n1', text: 'said' } })
    expect(judge(anEvent('note.ended'), without)).toBe('change')
  })
})
