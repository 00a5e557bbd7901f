import { createNotesService } from '@notewire/mock-server'
import { OptionError } from '@notewire/protocol'
import { describe, expect, it } from 'vitest'
import { errorOf } from './fixtures/error-of.ts'
import { noteHandlers } from './note-handlers/note-handlers.ts'
import { NotesClient } from './notes-client.ts'

const service = await createNotesService()
const { baseUrl, apiKey, owner, fetch } = service
const client = new NotesClient({ baseUrl, apiKey, fetch })
const note = await client.notes.get(owner.record().end().note_id)

describe.each([
  ['an AbortController', new AbortController(), /signal is an AbortController.*\{ signal: controller\.signal \}/],
  ['a number of milliseconds', 5_000, /signal is not an AbortSignal.*controller\.signal/],
])('%s as the signal', (_, given, problem) => {
  const signal = given as unknown as AbortSignal
  const next = (pages: AsyncIterable<unknown>) => pages[Symbol.asyncIterator]().next()

  it.each<[string, () => Promise<unknown>]>([
    ['notes.get', () => client.notes.get(note.note_id, { signal })],
    ['notes.content', () => client.notes.content(note, { signal })],
    ['notes.transcript', () => client.notes.transcript(note.note_id, { signal })],
    ['notes.list', () => next(client.notes.list({}, { signal }))],
    ['notes.list, page by page', () => next(client.notes.list({}, { signal }).pages())],
    ['notes.changes', () => next(client.notes.changes({}, { signal }))],
    ['notes.listWithContent', () => next(client.notes.listWithContent({}, { signal }))],
    ['webhookEndpoints.list', () => client.webhookEndpoints.list({ signal })],
    ['webhookEndpoints.waitUntilActive', () => client.webhookEndpoints.waitUntilActive('e1', { signal })],
  ])('is refused by %s', async (_name, call) => {
    const error = await errorOf(Promise.resolve().then(call))
    expect(error).toBeInstanceOf(OptionError)
    expect(String(error)).toMatch(problem)
  })
})

it.each(['"', "'", '`'])('a key in quotes is refused for its quotes: %s', (quote) => {
  const quoted = `${quote}${apiKey}${quote}`
  expect(() => new NotesClient({ baseUrl, apiKey: quoted })).toThrow(/apiKey has quotes around the key. Remove them/)
  expect(() => new NotesClient({ baseUrl: `${quote}${baseUrl}${quote}`, apiKey })).toThrow(
    /baseUrl has quotes around it/,
  )
})

it('content says what to pass instead of an id', async () => {
  const error = await errorOf(client.notes.content(note.note_id as unknown as typeof note))
  expect(String(error)).toMatch(/note is an id.*content\(await client\.notes\.get\(id\)\)/)
})

it('noteHandlers refuses a class', () => {
  const options = { changed: () => undefined, removed: () => undefined }
  expect(() => noteHandlers(NotesClient as never, options)).toThrow(/client is a class.*new NotesClient\(\)/)
})
