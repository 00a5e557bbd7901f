import type { NoteWithContent } from '@notewire/client'
import { describe, expect, it } from 'vitest'
import { aLiveNote, aRecord, KEEP_ALL, NOW } from '../../fixtures/note-states.ts'
import { applyContent, judgeContent, lacksReadyPart, withoutOutdated } from './content-rule.ts'

const NOT_READY = { status: 'not_ready' } as const
const transcript = (revision?: number) =>
  ({ status: 'ready', transcript: { note_id: 'n1', revision, text: 'said' } }) as const
const summary = (revision?: number) =>
  ({ status: 'ready', summary: { note_id: 'n1', revision, status: 'ready', markdown: '# Sum' } }) as const

const aContent = (traits: Partial<NoteWithContent> = {}): NoteWithContent => ({
  ...{ note: aRecord(), transcript: transcript(5), summary: summary(5) },
  ...traits,
})

const unsettled = aLiveNote({ settledRevision: null, transcriptOutcome: null, summaryOutcome: null, dueAt: NOW })

describe('a part that is absent', () => {
  it.each(['pending', undefined])('is not missing if its status is %s', (summary_status) => {
    expect(lacksReadyPart(aContent({ note: aRecord({ summary_status }), summary: NOT_READY }), KEEP_ALL)).toBe(false)
  })

  it('erases what is stored, whichever part it is', () => {
    const content = aContent({ transcript: { status: 'empty' }, summary: { status: 'failed' } })
    expect(applyContent(unsettled, content, KEEP_ALL, NOW)).toMatchObject({
      state: { transcriptOutcome: 'empty', summaryOutcome: 'failed' },
      content: { transcript: null, summary: null },
    })
  })

  it('has no outcome if its note is gone', () => {
    const content = aContent({ transcript: { status: 'gone' }, summary: { status: 'content_not_found' } })
    expect(applyContent(unsettled, content, KEEP_ALL, NOW)?.state).toMatchObject({
      ...{ transcriptOutcome: null, summaryOutcome: null },
    })
  })
})

it.each([
  [new Set(['transcript'] as const), { transcript: { text: 'said' }, summary: null }],
  [new Set(['summary'] as const), { transcript: null, summary: { markdown: '# Sum' } }],
])('a part that is not kept is not stored: the mirror keeps %o', (keep, content) => {
  expect(applyContent(unsettled, aContent(), keep, NOW)?.content).toMatchObject(content)
})

it.each([{ transcriptStatus: 'pending' }, { summaryStatus: 'pending' }])(
  'content is not stored after the status changed to %o',
  (status) => {
    expect(applyContent({ ...unsettled, ...status }, aContent(), KEEP_ALL, NOW)).toBeUndefined()
  },
)

describe('content of a note at revision 0', () => {
  const note = aRecord({ revision: 0, summary_status: 'pending' })

  it.each([
    ['settled if it is of that revision', transcript(0), 'settled'],
    ['unconfirmed if it has no revision', transcript(), 'unconfirmed'],
    ['lagging if it is absent', NOT_READY, 'lagging'],
  ])('is %s', (_, part, verdict) => {
    expect(judgeContent({ note, transcript: part, summary: NOT_READY }, KEEP_ALL)).toBe(verdict)
  })
})

it('content that is newer than the record counts as not ready', () => {
  const content = aContent({ transcript: transcript(6), summary: summary(6) })
  expect(withoutOutdated(content)).toEqual({ note: aRecord(), transcript: NOT_READY, summary: NOT_READY })
  expect(withoutOutdated(aContent({ summary: { status: 'gone' } }))).toEqual(aContent({ summary: NOT_READY }))
})
