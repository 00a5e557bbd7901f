import assert from 'node:assert/strict'
import type { Note } from '@notewire/protocol'
import type { ContentParts } from '../../stores/store.ts'
import { aLiveState, aNote, aSummary, aTranscript } from './builders.ts'
import { check, type MirrorStoreCheck, type Stage } from './check.ts'

export const contentChecks: readonly MirrorStoreCheck[] = [
  check('keeps a record, a transcript and a summary as they came, unknown fields included', async (stage) => {
    const note = { ...aNote('note_1'), owner: { type: 'channel', channel_id: 'c' }, tags: ['new', { deep: [1, null] }] }
    const content = { note, transcript: aTranscript('note_1'), summary: aSummary('note_1') }
    await stage.write({ state: aLiveState('note_1'), content })
    assert.deepEqual(await contentOf(stage, 'note_1'), content)
  }),

  check('tells what is absent from what is null', async (stage) => {
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
      await stage.write({ state: aLiveState('note_1'), content })
      assert.deepEqual(await contentOf(stage, 'note_1'), content)
    }
  }),

  check('keeps what is not named, replaces what is, and erases what is null', async (stage) => {
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
      await stage.write({ state: aLiveState('note_1'), content })
      assert.deepEqual(await contentOf(stage, 'note_1'), expected)
    }
  }),

  check('erases everything at once, for what is there and for what is not', async (stage) => {
    const whole = { note: aNote('note_1'), transcript: aTranscript('note_1'), summary: aSummary('note_1') }
    await stage.write({ state: aLiveState('note_1'), content: whole })
    for (const noteId of ['note_1', 'note_1', 'note_2']) {
      await stage.write({ state: aLiveState(noteId), content: 'erase' })
      assert.deepEqual(await contentOf(stage, noteId), { note: null, transcript: null, summary: null })
    }
    await stage.write({ state: aLiveState('note_1'), content: { summary: whole.summary } })
    assert.deepEqual(await contentOf(stage, 'note_1'), { note: null, transcript: null, summary: whole.summary })
  }),

  check('keeps texts of any characters, NUL and halves of surrogate pairs included', async (stage) => {
    for (const text of TEXTS) {
      const content = {
        note: { ...aNote('note_1'), title: text, content: text, unknown: text },
        transcript: { note_id: 'note_1', text, segments: [{ speaker: text, text }] },
        summary: aSummary('note_1', text),
      }
      await stage.write({ state: aLiveState('note_1'), content })
      assert.deepEqual(await contentOf(stage, 'note_1'), content)
    }
  }),

  check('keeps a transcript of a million characters', async (stage) => {
    const content = { note: aNote('note_1'), transcript: aTranscript('note_1', LONG), summary: aSummary('note_1') }
    await stage.write({ state: aLiveState('note_1'), content })
    assert.deepEqual(await contentOf(stage, 'note_1'), content)
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

async function contentOf({ store, scope }: Stage, noteId: string): Promise<unknown> {
  const stored = await store.getNote(scope, noteId)
  return stored && { note: stored.note, transcript: stored.transcript, summary: stored.summary }
}
