import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { NotesClient } from '@notewire/client'
import { createMirror, createMirrors } from '@notewire/mirror'
import { sqliteMirror } from '@notewire/mirror/sqlite'
import { createNotesService } from '@notewire/mock-server'
import { NotewireError, OptionError } from '@notewire/protocol'
import { nodeSqlite } from '@notewire/storage'
import { createReceiver } from '@notewire/webhooks'
import { expressHandler } from '@notewire/webhooks/express'
import { redisStore } from '@notewire/webhooks/redis'
import { anEvent } from '@notewire/webhooks/testing'
import { describe, expect, it } from 'vitest'
import { publishedEntries } from '../benchmarks/src/published-entries.ts'
import { memoryMirror } from '../packages/mirror/fixtures/memory-mirror/memory-mirror.ts'

/** Values that JavaScript, a cast or a missing variable may pass for any argument. */
const WRONG = [undefined, null, '', 'text', 7, Number.NaN, true, {}, [], [null], () => undefined, Promise.resolve({})]

const BUILDING_BLOCKS = new Set([
  // For authors of stores, who pass values of their own types.
  'passRevisionGate',
  'raiseRevision',
  'whenFree',
  'migrationOf',
  'driverOf',
  'PostgresQueries',
  'refuseUnknownOptions',
  'refuseOptionsBut',
  'refuseSurplusOptions',
  'refuseWithoutMethods',
  'monotonicNow',
  // For the packages, which pass what they have checked.
  'callHook',
  // For the programs, which check their command line.
  'startMockServer',
])

describe('a public function', async () => {
  it.each(await publicFunctions())(
    'rejects wrong arguments with a plain message: %s %s',
    async (_, exported, called) => {
      const isClass = String(called).startsWith('class ')
      const call: Callable = isClass ? (...args) => Reflect.construct(called, args) : called
      // The second argument of these functions is the name of the first argument in an error.
      const pairs = exported.startsWith('read') ? [] : pairsOf(WRONG)
      expect(await unplainErrors(call, [[], ...WRONG.map((each) => [each]), ...pairs])).toEqual([])
    },
  )
})

describe('an object made with valid arguments', async () => {
  const service = await createNotesService()
  const { baseUrl, apiKey, owner, clock, faults } = service
  const client = new NotesClient({ baseUrl, apiKey, fetch: service.fetch, maxRetries: 0 })
  const mirror = createMirror({ client, store: memoryMirror() })
  const note = owner.record().end()

  it.each<[string, Callable]>([
    ['notes.list', (query) => client.notes.list(as(query))],
    ['notes.changes', (query) => client.notes.changes(as(query))],
    ['notes.listWithContent', (query) => client.notes.listWithContent(as(query))],
    ['notes.get', (id) => client.notes.get(as(id))],
    ['notes.find', (id) => client.notes.find(as(id))],
    ['notes.content', (each) => client.notes.content(as(each))],
    ['notes.transcript', (id) => client.notes.transcript(as(id))],
    ['notes.summary', (id) => client.notes.summary(as(id))],
    ['webhookEndpoints.get', (id) => client.webhookEndpoints.get(as(id))],
    ['webhookEndpoints.update', (id) => client.webhookEndpoints.update(as(id), {})],
    ['webhookEndpoints.delete', (id) => client.webhookEndpoints.delete(as(id))],
    ['webhookEndpoints.sendTest', (id) => client.webhookEndpoints.sendTest(as(id))],
    ['webhookEndpoints.rotateSecret', (id) => client.webhookEndpoints.rotateSecret(as(id))],
    ['mirror.sync', (options) => mirror.sync(as(options))],
    ['mirror.settle', (options) => mirror.settle(as(options))],
    ['mirror.work', (options) => mirror.work(as(options))],
    ['mirror.run', (options) => mirror.run(as(options))],
    ['mirror.receiver', (options) => mirror.receiver(as(options))],
    ['mirror.get', (id) => mirror.get(as(id))],
    ['mirror.list', (options) => mirror.list(as(options))],
    ['mirror.search', (words, limit) => mirror.search(as(words), as(limit))],
    ['mirror.changes', (options) => mirror.changes(as(options))],
    ['mirror.explain', (id) => mirror.explain(as(id))],
    ['owner.note', (id) => owner.note(as(id))],
    ['owner.record', (options) => owner.record(as(options))],
    ['owner.createIntegration', (options) => owner.createIntegration(as(options))],
    ['note.moveTo', (place) => note.moveTo(as(place))],
    ['note.edit', (changes) => note.edit(as(changes))],
    ['clock.advance', (duration) => clock.advance(as(duration))],
    ['faults.inject', (rule) => faults.inject(as(rule)).remove()],
    ['service.listen', (options) => (isEmptyObject(options) ? undefined : service.listen(as(options)))],
    ['service.handlers', (http) => service.handlers(as<Parameters<typeof service.handlers>[0]>(http))],
    ['service.connect', (makeReceiver, options) => service.connect(as(makeReceiver), as(options))],
  ])('rejects wrong arguments of %s with a plain message', async (_, call) => {
    expect(await unplainErrors(call, [[], ...WRONG.map((each) => [each]), ...pairsOf(['id', ...WRONG])])).toEqual([])
  })
})

describe('a function without options', () => {
  const client = new NotesClient({ baseUrl: 'https://notes.example', apiKey: 'k' })
  const mirror = createMirror({ client, store: memoryMirror() })
  const mirrors = createMirrors({ store: sqliteMirror(':memory:'), connect: () => ({ baseUrl: '', apiKey: '' }) })
  const logger = { info: () => undefined, warn: () => undefined, error: () => undefined }
  const receiver = createReceiver({ secret: () => undefined, on: {}, logger })
  const redis = { call: async () => null, duplicate: () => undefined }
  const { signal } = new AbortController()

  const calls: readonly (readonly [string, Callable])[] = [
    ['mirror.get', (options) => mirror.get('n1', ...extra(options))],
    ['mirror.search', (options) => mirror.search('words', 20, ...extra(options))],
    ['mirror.explain', (options) => mirror.explain('n1', ...extra(options))],
    ['mirror.status', (options) => mirror.status(...extra(options))],
    ['mirror.acceptRemovals', (options) => mirror.acceptRemovals('scan_1', ...extra(options))],
    ['mirror.acceptReads', (options) => mirror.acceptReads('n1', ...extra(options))],
    ['mirror.adoptKey', (options) => mirror.adoptKey(...extra(options))],
    ['mirrors.get', (options) => mirrors.get('acme', ...extra(options))],
    ['mirrors.remove', (options) => mirrors.remove('acme', ...extra(options))],
    ['mirrors.requestFullListing', (options) => mirrors.requestFullListing('acme', ...extra(options))],
    ['mirrors.status', (options) => mirrors.status(...extra(options))],
    ['forget', (options) => receiver.forget('evt_1', ...extra(options))],
    ['redisStore', (options) => redisStore(as<Parameters<typeof redisStore>[0]>(redis), ...extra(options))],
    ['nodeSqlite', (options) => nodeSqlite(':memory:', ...extra(options))],
    ['expressHandler', (options) => expressHandler(receiver, ...extra(options))],
  ]

  it.each(calls)('refuses options: %s', async (name, call) => {
    for (const options of [{ signal }, signal]) {
      const error = await failureOf(call, [options])
      expect(error).toBeInstanceOf(OptionError)
      expect(error).toMatchObject({ option: 'signal', message: expect.stringContaining(`${name} takes no options`) })
    }
  })

  it('ignores the other arguments of a callback', async () => {
    expect(await Promise.all(['n1', 'n2'].map(mirror.get))).toEqual([undefined, undefined])
    expect(await Promise.all(['evt_1', 'evt_2'].map(receiver.forget))).toEqual(['unknown', 'unknown'])
  })

  it('receiver.process says that the integration is missing', async () => {
    for (const about of [{ signal }, signal, null, 7]) {
      expect(await receiver.process(anEvent({ kind: 'note.ended' }), as(about))).toMatchObject({
        status: 'malformed',
        problem: expect.stringContaining('the integration is missing'),
      })
    }
  })
})

/** Passes arguments that the types would refuse. */
function extra(...given: readonly unknown[]): [] {
  return given as unknown as []
}

type Callable = (...args: readonly unknown[]) => unknown

/** Casts a value that the types would refuse. */
function as<Type>(value: unknown): Type {
  return value as Type
}

/** The failures that are not our errors, or that are messages of the JavaScript engine. */
async function unplainErrors(call: Callable, calls: readonly (readonly unknown[])[]): Promise<readonly string[]> {
  const found = new Set<string>()
  for (const args of calls) {
    const error = await failureOf(call, args)
    if (error === undefined) continue
    const text = String(error)
    if (!(error instanceof NotewireError) || /\bundefined\b|\bNaN\b|\[object /.test(text)) found.add(text)
  }
  return [...found]
}

/** The error that a call throws or rejects with immediately. Ignores a result that is still pending. */
async function failureOf(call: Callable, args: readonly unknown[]): Promise<unknown> {
  try {
    const result = call(...args)
    const first = isAsyncIterable(result) ? result[Symbol.asyncIterator]().next() : result
    await Promise.race([first, new Promise((resolve) => setTimeout(resolve, 20))])
    return undefined
  } catch (error) {
    return error
  }
}

function pairsOf(values: readonly unknown[]): readonly (readonly unknown[])[] {
  return values.flatMap((one) => values.map((other) => [one, other]))
}

function isAsyncIterable(value: unknown): value is AsyncIterable<unknown> {
  return typeof value === 'object' && value !== null && Symbol.asyncIterator in value
}

async function publicFunctions(): Promise<readonly (readonly [string, string, Callable])[]> {
  const found: (readonly [string, string, Callable])[] = []
  for (const { name, folder } of await publishedEntries()) {
    for (const [exported, value] of Object.entries(await sourceOf(name, folder))) {
      const isError = typeof value === 'function' && value.prototype instanceof Error
      if (typeof value === 'function' && !isError && !BUILDING_BLOCKS.has(exported)) found.push([name, exported, value])
    }
  }
  return found
}

async function sourceOf(name: string, folder: string): Promise<object> {
  const { name: packageName, exports } = JSON.parse(await readFile(join(folder, 'package.json'), 'utf8'))
  const source: string = exports[name.replace(packageName, '.')]['@notewire/source']
  return await import(join(folder, source))
}

/** An object without options, with which `listen` would open a port. */
function isEmptyObject(value: unknown): boolean {
  return value === undefined || (typeof value === 'object' && value !== null && Object.keys(value).length === 0)
}
