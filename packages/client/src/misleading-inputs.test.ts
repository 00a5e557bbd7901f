import { createNotesService } from '@notewire/mock-server'
import { OptionError } from '@notewire/protocol'
import { describe, expect, it } from 'vitest'
import { errorOf } from '../fixtures/error-of.ts'
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
    ['notes.find', () => client.notes.find(note.note_id, { signal })],
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

it.each([
  [
    'a signing secret',
    'whsec_bm90LWEtcmVhbC1zZWNyZXQtanVzdC1hLXRlc3Q',
    /is a signing secret of webhooks.*Pass the API key/,
  ],
  ['with the name of its variable', `NOTES_API_KEY=${apiKey}`, /name of its variable before it/],
  ['with its scheme', `Bearer ${apiKey}`, /"Bearer " before it/],
  ['a placeholder', '<your-api-key>', /is a placeholder/],
  ['a promise', Promise.resolve(apiKey), /is a promise.*[Aa]wait/],
  ['a function', () => apiKey, /is not a string but function/],
])('a key that is %s is refused, and nothing is sent', (_, given, problem) => {
  const make = () => new NotesClient({ baseUrl, apiKey: given as string, fetch })
  expect(make).toThrow(problem)
  expect(make).not.toThrow(apiKey)
})

it('a URL object as baseUrl is told how to become a text', () => {
  expect(() => new NotesClient({ baseUrl: new URL(baseUrl) as unknown as string, apiKey })).toThrow(/is a URL.*\.href/)
})

it.each([
  [Promise.resolve(note), /note is a promise.*await/],
  [[note], /note is a list.*each/],
  [{ note }, /note is a note with its content.*content\(given\.note\)/],
])('content says what to pass instead of %j', async (given, problem) => {
  expect(String(await errorOf(client.notes.content(given as never)))).toMatch(problem)
})

it.each<[unknown, RegExp]>([
  [Promise.resolve('n1'), /note_id is a promise.*[Aa]wait/],
  [note, /note_id is an object.*note_id of/],
  [['n1'], /note_id is a list/],
])('get says what to pass instead of %j', async (given, problem) => {
  expect(String(await errorOf(client.notes.get(given as string)))).toMatch(problem)
})

it.each<[unknown, RegExp]>([
  [Buffer.from('checkpoint'), /after is bytes.*'utf8'/],
  [Promise.resolve('checkpoint'), /after is a promise/],
  [new Date(), /after is a date.*updated_after/],
])('changes says what to pass instead of %j', async (given, problem) => {
  const error = await errorOf(
    Promise.resolve().then(() =>
      client.notes
        .changes({ after: given as string })
        [Symbol.asyncIterator]()
        .next(),
    ),
  )
  expect(String(error)).toMatch(problem)
})

it('include_deleted as a text is refused', () => {
  expect(() => client.notes.list({ include_deleted: 'false' as unknown as boolean })).toThrow(
    /include_deleted.*true or false/,
  )
})

it('a query in camelCase is answered with the name of the contract', () => {
  expect(() => client.notes.list({ updatedAfter: new Date() } as object)).toThrow(/Did you mean "updated_after"/)
})

it('noteHandlers says in which order its arguments are', () => {
  const options = { changed: () => undefined, removed: () => undefined }
  for (const swapped of [
    () => noteHandlers(options as never, client as never),
    () => noteHandlers(options as never, undefined as never),
  ])
    expect(swapped).toThrow(/takes the client first.*noteHandlers\(client, \{/)
})

it('content says what to pass instead of an id', async () => {
  const error = await errorOf(client.notes.content(note.note_id as unknown as typeof note))
  expect(String(error)).toMatch(/note is an id.*content\(await client\.notes\.get\(id\)\)/)
})

it('noteHandlers refuses a class', () => {
  const options = { changed: () => undefined, removed: () => undefined }
  expect(() => noteHandlers(NotesClient as never, options)).toThrow(/client is a class.*new NotesClient\(\)/)
})
