import assert from 'node:assert/strict'
import { aLiveState, aNote, aState, aSummary, aTranscript } from './builders.ts'
import { check, type MirrorStoreCheck } from './check.ts'

export const searchChecks: readonly MirrorStoreCheck[] = [
  check('finds a word in title, content, transcript and summary', async ({ write, found }) => {
    await write(
      { state: aLiveState('title'), content: { note: aNote('title', { title: 'the Walrus' }) } },
      { state: aLiveState('content'), content: { note: aNote('content', { content: 'a walrus, and more' }) } },
      { state: aLiveState('transcript'), content: { transcript: aTranscript('transcript', 'so the WALRUS said') } },
      { state: aLiveState('summary'), content: { summary: aSummary('summary', '* about **walrus**es\n* walrus') } },
      { state: aLiveState('none'), content: { note: aNote('none'), transcript: aTranscript('none') } },
    )
    assert.deepEqual(await found('walrus'), ['content', 'summary', 'title', 'transcript'])
  }),

  check('finds notes that contain all words, each in any part', async ({ write, found }) => {
    await write(
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
    assert.deepEqual(await found('budget'), ['half', 'spread'])
    assert.deepEqual(await found('approved', 'penguin', 'spring', 'budget'), ['spread'])
    assert.deepEqual(await found('budget', 'approved', 'walrus'), [])
  }),

  check('finds words in any case, and distinguishes accents', async ({ write, found }) => {
    await write({
      state: aLiveState('note_1'),
      content: { note: aNote('note_1', { title: 'ÜBERGABE à Zürich', content: 'Встреча' }) },
    })
    for (const word of ['übergabe', 'Übergabe', 'ZÜRICH', 'встреча', 'ВСТРЕЧА']) {
      assert.deepEqual(await found(word), ['note_1'], word)
    }
  }),

  check('matches the last word as a prefix, and the other words as whole words', async ({ write, found }) => {
    const content = { note: aNote('note_1', { title: 'Quarterly budget', content: "the stand-up of O'Neill" }) }
    await write({ state: aLiveState('note_1'), content })
    for (const words of [['budg'], ['b'], ['quarterly', 'bud'], ['budget', 'quart'], ['stand-u'], ["o'nei"]]) {
      assert.deepEqual(await found(...words), ['note_1'], words.join(' '))
    }
    assert.deepEqual(await found('walr', 'b'), [])
    assert.deepEqual(await found('budgets'), [])
  }),

  check('finds words with punctuation', async ({ write, found }) => {
    const content = { note: aNote('note_1', { title: "the stand-up of O'Neill", content: 'ada@example.com, v1.2' }) }
    await write({ state: aLiveState('note_1'), content })
    for (const word of ['stand-up', "o'neill", 'ada@example.com', 'v1.2']) {
      assert.deepEqual(await found(word), ['note_1'], word)
    }
  }),

  check('finds the latest text, and not the previous text', async ({ write, found }) => {
    await write({ state: aLiveState('note_1'), content: { note: aNote('note_1', { title: 'aardvark' }) } })
    await write({ state: aLiveState('note_1'), content: { transcript: aTranscript('note_1', 'badger') } })
    await write({ state: aLiveState('note_1'), content: { note: aNote('note_1', { title: 'caribou' }) } })
    assert.deepEqual(await found('aardvark'), [])
    assert.deepEqual(await found('badger', 'caribou'), ['note_1'])
    await write({ state: aLiveState('note_1'), content: { transcript: null } })
    assert.deepEqual(await found('badger'), [])
    assert.deepEqual(await found('caribou'), ['note_1'])
  }),

  check('finds no hidden or gone note until it is shown again', async ({ write, found }) => {
    await write({ state: aLiveState('note_1'), content: { note: aNote('note_1', { title: 'walrus' }) } })
    await write(aState('note_1', { presence: 'hidden' }))
    assert.deepEqual(await found('walrus'), [])
    await write(aState('note_1', { presence: 'gone' }))
    assert.deepEqual(await found('walrus'), [])
    await write(aLiveState('note_1'))
    assert.deepEqual(await found('walrus'), ['note_1'])
  }),

  check('finds no erased text', async ({ write, found }) => {
    const content = {
      note: aNote('note_1', { title: 'walrus' }),
      transcript: aTranscript('note_1', 'penguin'),
      summary: aSummary('note_1', 'badger'),
    }
    await write({ state: aLiveState('note_1'), content })
    await write({ state: aLiveState('note_1'), content: 'erase' })
    for (const word of ['walrus', 'penguin', 'badger']) assert.deepEqual(await found(word), [])
  }),

  check('returns at most `limit` notes, with their content', async ({ store, integration, write }) => {
    const noteIds = Array.from({ length: 5 }, (_, index) => `note_${index}`)
    await write(...noteIds.map((noteId) => ({ state: aLiveState(noteId), content: { note: aNote(noteId) } })))
    const notes = await store.search(integration, ['stand-up'], 3)
    assert.equal(notes.length, 3)
    for (const { state, note } of notes) assert.deepEqual(note, aNote(state.noteId))
  }),

  check('treats query syntax in words as text', async ({ store, integration, write, found }) => {
    const content = { note: aNote('note_1', { title: 'cats or dogs', content: 'near the title: not a column' }) }
    await write({ state: aLiveState('note_1'), content })
    for (const word of HOSTILE) {
      for (const words of [[word], ['cats', word], [word, 'unheard-of']]) {
        const notes = await store.search(integration, words, 10)
        assert.ok(notes.every(({ state }) => state.noteId === 'note_1'))
      }
    }
    assert.deepEqual(await found('cats', 'OR', 'walrus'), [])
    assert.deepEqual(await found('walrus', 'OR', 'cats'), [])
    assert.deepEqual(await found('cats', 'NOT', 'dogs'), ['note_1'])
    assert.deepEqual(await found('wal*'), [])
  }),

  check('finds a word at the end of a transcript of a million characters', async ({ write, found }) => {
    const text = `${'the quick brown fox jumps over the lazy dog '.repeat(23_000)} walrus`
    await write({ state: aLiveState('note_1'), content: { transcript: aTranscript('note_1', text) } })
    assert.deepEqual(await found('walrus'), ['note_1'])
  }),
]

const HOSTILE = [
  ...`" "" ' * cat* ^cats OR AND NOT NEAR( title: title:cats {title}:cats -cats + % _ ( ) :* & | ! <-> \\`.split(' '),
  ...['', ' ', '\u0000', 'cats\u0000dogs', '\uD83D', '\u{1F4DD}', '\u200D', 'x'.repeat(100_000)],
  ...["'; DROP TABLE notes; --", 'NEAR(cats dogs, 2)'],
]
