import { createNotesService } from '@notewire/mock-server'
import { OptionError } from '@notewire/protocol'
import { describe, expect, it } from 'vitest'
import { errorOf } from '../../fixtures/error-of.ts'
import { NotesClient } from '../notes-client.ts'

const service = await createNotesService()
const { baseUrl, apiKey, owner, fetch } = service
const client = new NotesClient({ baseUrl, apiKey, fetch })
const note = await client.notes.get(owner.record().end().note_id)
const ID = note.note_id
const next = (pages: AsyncIterable<unknown>) => pages[Symbol.asyncIterator]().next()

const WAITS = 'webhookEndpoints.waitUntilActive'

const CALLS: readonly [string, (options: never) => unknown][] = [
  ['notes.get', (options) => client.notes.get(ID, options)],
  ['notes.find', (options) => client.notes.find(ID, options)],
  ['notes.transcript', (options) => client.notes.transcript(ID, options)],
  ['notes.summary', (options) => client.notes.summary(ID, options)],
  ['notes.content', (options) => client.notes.content({ ...note, transcript_status: 'pending' }, options)],
  ['notes.list', (options) => client.notes.list({}, options)],
  ['notes.changes', (options) => client.notes.changes({}, options)],
  ['notes.listWithContent', (options) => client.notes.listWithContent({}, options)],
  ['webhookEndpoints.list', (options) => client.webhookEndpoints.list(options)],
  ['webhookEndpoints.get', (options) => client.webhookEndpoints.get('e1', options)],
  [
    'webhookEndpoints.create',
    (options) => client.webhookEndpoints.create({ url: 'https://a.example', events: [] }, options),
  ],
  ['webhookEndpoints.update', (options) => client.webhookEndpoints.update('e1', {}, options)],
  ['webhookEndpoints.delete', (options) => client.webhookEndpoints.delete('e1', options)],
  ['webhookEndpoints.sendTest', (options) => client.webhookEndpoints.sendTest('e1', options)],
  ['webhookEndpoints.rotateSecret', (options) => client.webhookEndpoints.rotateSecret('e1', options)],
  [WAITS, (options) => client.webhookEndpoints.waitUntilActive('e1', options)],
]

describe.each(CALLS)('%s refuses at the call', (name, call) => {
  const failureOf = (options: unknown) => errorOf(Promise.resolve().then(() => call(options as never)))

  it.each([
    ['an unknown option', { maxRetry: 0 }, /has no option "maxRetry"/],
    ['a bare signal', new AbortController().signal, /got an AbortSignal.*Pass \{ signal \}/],
    ['a controller', new AbortController(), /got an AbortController.*Pass \{ signal: controller\.signal \}/],
    ['headers', new Headers({ traceparent: '1' }), /got a Headers, not an object of options/],
    ['null', null, /needs an object of options/],
    ['a number of milliseconds', 5_000, /needs an object of options/],
  ])('%s', async (_what, options, words) => {
    const error = await failureOf(options)
    expect(error).toBeInstanceOf(OptionError)
    expect(String(error)).toMatch(words)
  })

  it.each([
    ['maxRetries', -1],
    ['maxRetries', '3'],
    ['totalTimeoutMs', Number.NaN],
    ['totalTimeoutMs', '10s'],
    ['onResponse', {}],
    ['headers', 'x: y'],
  ])(
    'a wrong value of %s: %j',
    { skip: name === WAITS, meta: { skippedBecause: `${WAITS} has other options` } },
    async (option, value) => {
      expect(await failureOf({ [option]: value })).toMatchObject({ code: 'option_invalid', option })
    },
  )
})

it('says which option is probably meant', async () => {
  expect(String(await errorOf(client.notes.get(ID, { maxRetry: 0 } as object)))).toContain('Did you mean "maxRetries"?')
})

it('says where the options of a call belong', () => {
  const { signal } = new AbortController()
  expect(() => client.notes.list({ limit: 5, signal } as object)).toThrow(/"signal".*Pass it in the second argument/)
  expect(() => client.notes.changes({ limit: 5 } as object)).toThrow(/"limit".*Pass it in the second argument/)
})

it.each([0, -1, Number.NaN, 2.5, 'ten'])('refuses the page size %j', async (limit) => {
  expect(() => client.notes.list({ limit: limit as number })).toThrow(/limit is not a whole number/)
  expect(
    await errorOf(Promise.resolve().then(() => next(client.notes.changes({}, { limit: limit as number })))),
  ).toMatchObject({
    option: 'limit',
  })
})

it('refuses search parameters as a query, which would list everything', () => {
  expect(() => client.notes.list(new URLSearchParams('limit=5') as object)).toThrow(/got a URLSearchParams/)
})

it.each([
  [
    'create',
    () => client.webhookEndpoints.create({ url: 'https://a.example', event_types: [] } as never),
    'event_types',
  ],
  ['update', () => client.webhookEndpoints.update('e1', { enabled: true } as object), 'enabled'],
])('webhookEndpoints.%s refuses an unknown field', async (_name, call, option) => {
  expect(await errorOf(call())).toMatchObject({ code: 'option_invalid', option })
})

it('waitUntilActive refuses a wrong duration', async () => {
  expect(await errorOf(client.webhookEndpoints.waitUntilActive('e1', { timeoutMs: Number.NaN }))).toMatchObject({
    option: 'timeoutMs',
  })
})
