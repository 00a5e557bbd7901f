import { describe, expect, it } from 'vitest'
import { aLiveState, aNote, aState, aSummary, aTranscript } from '../../fixtures/store-checks/builders.ts'
import { NO_DIGESTS, type NoteWrite } from '../notes/note-write.ts'
import type { VersionedState } from '../stores/mirror-store.ts'
import type { Decision } from './evidence.ts'
import { absentNote, writeOf } from './written-parts.ts'

const LIVE = aLiveState('a', { status: 'ended', transcriptStatus: 'ready', summaryStatus: 'ready' })
const CONTENT = { note: aNote('a'), transcript: aTranscript('a'), summary: aSummary('a') }

function stored({ state, expectedVersion, digests = NO_DIGESTS }: NoteWrite): VersionedState {
  return { state, version: expectedVersion + 1, digests }
}

const KNOWN = stored(writeOf(absentNote('a'), { state: LIVE, content: CONTENT, announce: 'appeared' }))

describe('the parts that a write changes', () => {
  it('are all parts of a new note with content', () => {
    const { changed } = writeOf(absentNote('a'), { state: LIVE, content: CONTENT })
    expect(changed).toEqual(['title', 'content', 'transcript', 'summary', 'statuses'])
  })

  it.each<[string, Partial<Decision>, readonly string[]]>([
    ['nothing', {}, []],
    ['the same content', { content: CONTENT }, []],
    [
      'revisions',
      { content: { note: aNote('a', { revision: 9 }), transcript: { ...CONTENT.transcript, revision: 9 } } },
      [],
    ],
    ['a title', { content: { note: aNote('a', { title: 'Other' }) } }, ['title']],
    ['no title', { content: { note: aNote('a', { title: null }) } }, ['title']],
    ['a content', { content: { note: aNote('a', { content: 'Other' }) } }, ['content']],
    ['segments', { content: { transcript: { ...CONTENT.transcript, segments: [] } } }, ['transcript']],
    ['a transcript that is erased', { content: { transcript: null } }, ['transcript']],
    ['a summary', { content: { summary: aSummary('a', 'Other') } }, ['summary']],
    ['an erasure', { content: 'erase' }, ['title', 'content', 'transcript', 'summary']],
    ['a status', { state: { ...LIVE, status: 'live' } }, ['statuses']],
    ['the status of the summary', { state: { ...LIVE, summaryStatus: 'missing' } }, ['statuses']],
    ['a revision of the state', { state: { ...LIVE, revision: 9 } }, []],
  ])('with %s', (_name, decision, changed) => {
    expect(writeOf(KNOWN, { state: LIVE, ...decision }).changed).toEqual(changed)
  })

  it('include content that is the same as before its erasure', () => {
    const erased = stored(writeOf(KNOWN, { state: aState('a', { presence: 'gone' }), content: 'erase' }))
    expect(erased.digests).toEqual(NO_DIGESTS)
    expect(writeOf(erased, { state: LIVE, content: { note: CONTENT.note } }).changed).toEqual([
      'title',
      'content',
      'statuses',
    ])
  })

  it('do not include content of a note of which only other content is written', () => {
    const after = stored(writeOf(KNOWN, { state: LIVE, content: { summary: null } }))
    expect(writeOf(after, { state: LIVE, content: CONTENT }).changed).toEqual(['summary'])
  })
})

describe('a note vanishes', () => {
  const hidden = { ...LIVE, presence: 'hidden' } as const

  it.each<[boolean, string, VersionedState, Decision]>([
    [true, 'a live note is hidden', KNOWN, { state: hidden, announce: 'vanished' }],
    [true, 'a live note is gone', KNOWN, { state: { ...LIVE, presence: 'gone' }, announce: 'vanished' }],
    [false, 'nothing is announced', KNOWN, { state: hidden }],
    [false, 'it stays live', KNOWN, { state: LIVE, announce: 'changed' }],
    [
      false,
      'it was hidden',
      { ...KNOWN, state: hidden },
      { state: { ...LIVE, presence: 'gone' }, announce: 'vanished' },
    ],
    [false, 'it was never shown', absentNote('a'), { state: hidden, announce: 'vanished' }],
  ])('%s: %s', (vanishes, _name, before, decision) => {
    expect(writeOf(before, decision).vanishes).toBe(vanishes)
  })
})
