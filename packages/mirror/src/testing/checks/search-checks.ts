import assert from 'node:assert/strict'
import { aLiveState, aNote, aState, aSummary, aTranscript } from './builders.ts'
import { check, type MirrorStoreCheck, type Stage } from './check.ts'

export const searchChecks: readonly MirrorStoreCheck[] = [
  check('finds a word in title, content, transcript and summary', async (stage) => {
    await stage.write(
      { state: aLiveState('title'), content: { note: aNote('title', { title: 'the Walrus' }) } },
      { state: aLiveState('content'), content: { note: aNote('content', { content: 'a walrus, and more' }) } },
      { state: aLiveState('transcript'), content: { transcript: aTranscript('transcript', 'so the WALRUS said') } },
      { state: aLiveState('summary'), content: { summary: aSummary('summary', '* about **walrus**es\n* walrus') } },
      { state: aLiveState('none'), content: { note: aNote('none'), transcript: aTranscript('none') } },
    )
    assert.deepEqual(await found(stage, 'walrus'), ['content', 'summary', 'title', 'transcript'])
  }),

  check('finds notes in which all words occur, in whichever part each of them does', async (stage) => {
    await stage.write(
      {
        state: aLiveState('spread'),
        content: {
          note: aNote('spread', { title: 'Budget', content: 'for spring' }),
          transcript: aTranscript('spread', 'we need a penguin'),
          summary: aSummary('spread', 'Approved'),
        },
      },
      { state: aLiveState('half'), content: { note: aNote('half', { title: 'Budget', content: 'for autumn' }) } },
    )
    assert.deepEqual(await found(stage, 'budget'), ['half', 'spread'])
    assert.deepEqual(await found(stage, 'approved', 'penguin', 'spring', 'budget'), ['spread'])
    assert.deepEqual(await found(stage, 'budget', 'approved', 'walrus'), [])
  }),

  check('finds words whatever their case, accents kept', async (stage) => {
    await stage.write({
      state: aLiveState('note_1'),
      content: { note: aNote('note_1', { title: 'ÜBERGABE à Zürich', content: 'Встреча' }) },
    })
    for (const word of ['übergabe', 'Übergabe', 'ZÜRICH', 'встреча', 'ВСТРЕЧА']) {
      assert.deepEqual(await found(stage, word), ['note_1'], word)
    }
  }),

  check('finds what is written with signs', async (stage) => {
    const content = { note: aNote('note_1', { title: "the stand-up of O'Neill", content: 'ada@example.com, v1.2' }) }
    await stage.write({ state: aLiveState('note_1'), content })
    for (const word of ['stand-up', "o'neill", 'ada@example.com', 'v1.2']) {
      assert.deepEqual(await found(stage, word), ['note_1'], word)
    }
  }),

  check('finds what was said last, and not what was there before', async (stage) => {
    await stage.write({ state: aLiveState('note_1'), content: { note: aNote('note_1', { title: 'aardvark' }) } })
    await stage.write({ state: aLiveState('note_1'), content: { transcript: aTranscript('note_1', 'badger') } })
    await stage.write({ state: aLiveState('note_1'), content: { note: aNote('note_1', { title: 'caribou' }) } })
    assert.deepEqual(await found(stage, 'aardvark'), [])
    assert.deepEqual(await found(stage, 'badger', 'caribou'), ['note_1'])
    await stage.write({ state: aLiveState('note_1'), content: { transcript: null } })
    assert.deepEqual(await found(stage, 'badger'), [])
    assert.deepEqual(await found(stage, 'caribou'), ['note_1'])
  }),

  check('finds no note that is hidden or gone, and finds it again when it is back', async (stage) => {
    await stage.write({ state: aLiveState('note_1'), content: { note: aNote('note_1', { title: 'walrus' }) } })
    await stage.write({ state: aState('note_1', { presence: 'hidden' }) })
    assert.deepEqual(await found(stage, 'walrus'), [])
    await stage.write({ state: aState('note_1', { presence: 'gone' }) })
    assert.deepEqual(await found(stage, 'walrus'), [])
    await stage.write({ state: aLiveState('note_1') })
    assert.deepEqual(await found(stage, 'walrus'), ['note_1'])
  }),

  check('finds nothing of what was erased', async (stage) => {
    const content = {
      note: aNote('note_1', { title: 'walrus' }),
      transcript: aTranscript('note_1', 'penguin'),
      summary: aSummary('note_1', 'badger'),
    }
    await stage.write({ state: aLiveState('note_1'), content })
    await stage.write({ state: aLiveState('note_1'), content: 'erase' })
    for (const word of ['walrus', 'penguin', 'badger']) assert.deepEqual(await found(stage, word), [])
  }),

  check('finds as many as it is asked for, with their content', async (stage) => {
    const noteIds = Array.from({ length: 5 }, (_, index) => `note_${index}`)
    await stage.write(...noteIds.map((noteId) => ({ state: aLiveState(noteId), content: { note: aNote(noteId) } })))
    const notes = await stage.store.search(stage.scope, ['stand-up'], 3)
    assert.equal(notes.length, 3)
    for (const { state, note } of notes) assert.deepEqual(note, aNote(state.noteId))
  }),

  check('takes words for words, whatever they would mean to a query language', async (stage) => {
    const content = { note: aNote('note_1', { title: 'cats or dogs', content: 'near the title: not a column' }) }
    await stage.write({ state: aLiveState('note_1'), content })
    for (const word of HOSTILE) {
      for (const words of [[word], ['cats', word], [word, 'unheard-of']]) {
        const notes = await stage.store.search(stage.scope, words, 10)
        assert.ok(notes.every(({ state }) => state.noteId === 'note_1'))
      }
    }
    assert.deepEqual(await found(stage, 'cats', 'OR', 'walrus'), [])
    assert.deepEqual(await found(stage, 'walrus', 'OR', 'cats'), [])
    assert.deepEqual(await found(stage, 'cats', 'NOT', 'dogs'), ['note_1'])
    assert.deepEqual(await found(stage, 'wal*'), [])
  }),

  check('finds a word at the end of a transcript of a million characters', async (stage) => {
    const text = `${'the quick brown fox jumps over the lazy dog '.repeat(23_000)} walrus`
    await stage.write({ state: aLiveState('note_1'), content: { transcript: aTranscript('note_1', text) } })
    assert.deepEqual(await found(stage, 'walrus'), ['note_1'])
  }),
]

const HOSTILE = [
  '"',
  '""',
  "'",
  "'; DROP TABLE notes; --",
  '*',
  'cat*',
  '^cats',
  'OR',
  'AND',
  'NOT',
  'NEAR(',
  'NEAR(cats dogs, 2)',
  'title:',
  'title:cats',
  '{title}:cats',
  '-cats',
  '+',
  '%',
  '_',
  '(',
  ')',
  ':*',
  '&',
  '|',
  '!',
  '<->',
  '\\',
  '',
  ' ',
  '\u0000',
  'cats\u0000dogs',
  '\uD83D',
  '\u{1F4DD}',
  '\u200D',
  'x'.repeat(100_000),
]

async function found({ store, scope }: Stage, ...words: readonly string[]): Promise<readonly string[]> {
  const notes = await store.search(scope, words, 100)
  return notes.map(({ state }) => state.noteId).sort()
}
