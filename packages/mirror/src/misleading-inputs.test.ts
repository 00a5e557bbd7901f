import { NotesClient } from '@notewire/client'
import { OptionError } from '@notewire/protocol'
import { createReceiver, memoryStore } from '@notewire/webhooks'
import { sqliteStore } from '@notewire/webhooks/sqlite'
import { describe, expect, it } from 'vitest'
import { createMirror } from './mirror.ts'
import { createMirrors } from './mirrors.ts'
import { openMirror } from './reader/mirror-reader.ts'
import { sqliteMirror } from './stores/sqlite/index.ts'

const client = new NotesClient({ baseUrl: 'https://notes.example', apiKey: 'k' })
const mirror = createMirror({ client, store: sqliteMirror(':memory:') })
const mirrors = createMirrors({ store: sqliteMirror(':memory:'), connect: () => ({ baseUrl: '', apiKey: '' }) })

describe.each([
  ['sqliteStore', sqliteStore(':memory:')],
  ['memoryStore', memoryStore()],
])('the store of a receiver: %s', (_, receiverStore) => {
  const store = receiverStore as never

  it.each([
    ['createMirror', () => createMirror({ client, store })],
    ['createMirrors', () => createMirrors({ store, connect: () => ({ baseUrl: '', apiKey: '' }) })],
    ['openMirror', () => openMirror({ store })],
  ])('is refused by %s', (_name, create) => {
    expect(create).toThrow(/store is the store of a receiver.*sqliteMirror/)
  })
})

it('a receiver refuses the store of a mirror', () => {
  const store = sqliteMirror(':memory:') as never
  const options = { secret: 'whsec_bm90LWEtcmVhbC1zZWNyZXQtanVzdC1hLXRlc3Q', on: {}, store }
  expect(() => createReceiver(options)).toThrow(/store is the store of a mirror.*sqliteStore/)
})

it.each([
  [undefined, /is missing. Pass it: mirror\.(get|explain|acceptReads)\(note\.note_id\)/],
  ['', /is missing/],
  [{ note_id: 'n1' }, /is not a string but object/],
])('the id of a note may not be %j', async (given, problem) => {
  const id = given as string
  for (const call of [mirror.get, mirror.explain, mirror.acceptReads]) await expect(call(id)).rejects.toThrow(problem)
  await expect(mirrors.of('acme').get(id)).rejects.toThrow(problem)
})

describe('an AbortController as the signal', () => {
  const signal = new AbortController() as unknown as AbortSignal
  const next = (changes: AsyncIterable<unknown>) => changes[Symbol.asyncIterator]().next()

  it.each<[string, () => Promise<unknown>]>([
    ['mirror.sync', () => mirror.sync({ signal })],
    ['mirror.settle', () => mirror.settle({ signal })],
    ['mirror.work', () => mirror.work({ signal })],
    ['mirror.run', () => mirror.run({ signal })],
    ['mirror.changes', () => next(mirror.changes({ signal }))],
    ['mirror.consume', () => mirror.consume({ name: 'index', apply: () => undefined, signal })],
    ['mirror.consumeDue', () => mirror.consumeDue({ name: 'index', apply: () => undefined, signal })],
    ['mirrors.work', () => mirrors.work({ budgetMs: 10, signal })],
    ['mirrors.run', () => mirrors.run({ signal })],
  ])('is refused by %s', async (_name, call) => {
    const error = await Promise.resolve()
      .then(call)
      .catch((thrown: unknown) => thrown)
    expect(error).toBeInstanceOf(OptionError)
    expect(String(error)).toContain('signal is an AbortController. Pass the signal of a controller')
  })
})
