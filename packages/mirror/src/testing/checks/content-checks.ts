import assert from 'node:assert/strict'
import type { Note } from '@notewire/protocol'
import type { ContentParts } from '../../interfaces/note-write.ts'
import { aLiveState, aNote, aSummary, aTranscript } from './builders.ts'
import { check, type MirrorStoreCheck } from './check.ts'

export const contentChecks: readonly MirrorStoreCheck[] = [
  check('stores record, transcript and summary with unknown fields', async ({ write, contentOf }) => {
    const note = {
      ...aNote('note_1'),
      owner: { type: 'channel', channel_id: 'c' },
      tags: ['new', { deep: [1, null] }],
    }
    const content = { note, transcript: aTranscript('note_1'), summary: aSummary('note_1') }
    await write({ state: aLiveState('note_1'), content })
    assert.deepEqual(await contentOf('note_1'), content)
  }),

  check('distinguishes absent and null fields', async ({ write, contentOf }) => {
    const parts: readonly Required<ContentParts>[] = [
      { note: BARE, transcript: { note_id: 'note_1', text: '' }, summary: { note_id: 'note_1', markdown: null } },
      {
        note: { ...BARE, title: null, content: '' },
        transcript: { note_id: 'note_1', text: '', revision: null, segments: null },
        summary: { note_id: 'note_1', markdown: '', status: null },
      },
      {
        note: { ...BARE, title: '', content: null },
        transcript: { note_id: 'note_1', text: 'x', segments: [] },
        summary: { note_id: 'note_1', markdown: 'null', revision: 0 },
      },
    ]
    for (const content of parts) {
      await write({ state: aLiveState('note_1'), content })
      assert.deepEqual(await contentOf('note_1'), content)
    }
  }),

  check('keeps unnamed parts, replaces named parts, and erases null parts', async ({ write, contentOf }) => {
    const [note, transcript, summary] = [aNote('note_1'), aTranscript('note_1'), aSummary('note_1')]
    const steps: readonly [ContentParts | undefined, Required<ContentParts>][] = [
      [{ note }, { note, transcript: null, summary: null }],
      [{ transcript }, { note, transcript, summary: null }],
      [{ summary }, { note, transcript, summary }],
      [undefined, { note, transcript, summary }],
      [{}, { note, transcript, summary }],
      [
        { note: BARE, transcript: null },
        { note: BARE, transcript: null, summary },
      ],
      [
        { transcript, summary: null },
        { note: BARE, transcript, summary: null },
      ],
      [{ note: null }, { note: null, transcript, summary: null }],
    ]
    for (const [content, expected] of steps) {
      await write({ state: aLiveState('note_1'), content })
      assert.deepEqual(await contentOf('note_1'), expected)
    }
  }),

  check('erases all parts of a note, even if it has none', async ({ write, contentOf }) => {
    const whole = { note: aNote('note_1'), transcript: aTranscript('note_1'), summary: aSummary('note_1') }
    await write({ state: aLiveState('note_1'), content: whole })
    for (const noteId of ['note_1', 'note_1', 'note_2']) {
      await write({ state: aLiveState(noteId), content: 'erase' })
      assert.deepEqual(await contentOf(noteId), { note: null, transcript: null, summary: null })
    }
    await write({ state: aLiveState('note_1'), content: { summary: whole.summary } })
    assert.deepEqual(await contentOf('note_1'), { note: null, transcript: null, summary: whole.summary })
  }),

  check('stores text of any characters, including NUL and unpaired surrogates', async ({ write, contentOf }) => {
    for (const text of TEXTS) {
      const content = {
        note: { ...aNote('note_1'), title: text, content: text, unknown: text },
        transcript: { note_id: 'note_1', text, segments: [{ speaker: text, text }] },
        summary: aSummary('note_1', text),
      }
      await write({ state: aLiveState('note_1'), content })
      assert.deepEqual(await contentOf('note_1'), content)
    }
  }),

  check('stores a transcript of a million characters', async ({ write, contentOf }) => {
    const content = { note: aNote('note_1'), transcript: aTranscript('note_1', LONG), summary: aSummary('note_1') }
    await write({ state: aLiveState('note_1'), content })
    assert.deepEqual(await contentOf('note_1'), content)
  }),
]

const BARE: Note = { note_id: 'note_1', revision: 1 }

const TEXTS = [
  `it's "quoted" \\ $1 %s {{}} \r\n\t\u2028`,
  'Grüße, 会議, пробa, \u0645\u0631\u062d\u0628\u0627, e\u0301',
  '\u{1F468}\u200D\u{1F469}\u200D\u{1F467} \u{10FFFF}',
  'NUL \u0000 within, and at the end \u0000',
  'half a pair \uD83D, the other half \uDE00',
]

const LONG = 'the quick brown fox jumps over the lazy dog '.repeat(23_000)
