import { cp, rm, symlink } from 'node:fs/promises'
import { join } from 'node:path'
import { createNotesService, type NotesService } from '@notewire/mock-server'
import { storeChecks } from '@notewire/webhooks/testing'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { expectDeliveriesToArrive, SECRET } from '../../examples/recipes/test/deliveries.ts'
import { mirrorStoreChecks } from '../../packages/mirror/fixtures/store-checks/mirror-store-checks.ts'
import { vectorFiles } from '../../packages/webhooks/vectors/generate.ts'
import { run, WORKSPACE } from '../../scripts/run.ts'
import { type Consumer, exportedEntries, installConsumer } from '../packed-packages/consumer.ts'
import { bundleForWorkers, compile } from './bundle.ts'
import { serviceLog } from './checks/service-log.ts'
import { bun, deno, here, nodes, type Runtime, seenBy } from './runtimes.ts'
import { startServer } from './server-process.ts'
import { startWorkerd, type Workerd } from './workerd.ts'

const CHECKS = 'tests/runtimes/checks'

const resources = new AsyncDisposableStack()
let consumer: Consumer
let service: NotesService
/** `tests/packed-packages.test.ts` holds them against what they must be. */
let answersHere: unknown
beforeAll(async () => {
  consumer = await installConsumer()
  resources.defer(() => rm(consumer.folder, { recursive: true }))
  // At the same places as here, because a check imports the checks of a mirror's store, which are not published.
  for (const folder of [CHECKS, 'packages/mirror/src', 'packages/mirror/fixtures']) {
    await cp(join(WORKSPACE, folder), inConsumer(folder), { recursive: true })
  }
  await cp(join(WORKSPACE, 'examples/recipes/src'), inConsumer('recipes'), { recursive: true })
  await symlink(join(WORKSPACE, 'examples/recipes/node_modules/elysia'), inConsumer('node_modules/elysia'))
  await compile(
    { 'run-check': inConsumer(`${CHECKS}/run-check.ts`), 'load-entries': inConsumer('load-entries.ts') },
    inConsumer('compiled'),
  )
  await bundleForWorkers(inConsumer(`${CHECKS}/worker.ts`), inConsumer('bundled'))
  await bundleForWorkers(inConsumer(`${CHECKS}/sqlite-worker.ts`), inConsumer('bundled'))
  answersHere = await answersOfEntries(here, 'import')
  service = resources.use(await createNotesService({ notes: 5 }))
  await service.listen()
})
afterAll(() => resources.disposeAsync())

describe.each([...nodes, bun, deno])('$name', (runtime) => {
  const check = (name: string, argument: object = {}) =>
    seenBy(runtime, consumer.folder, 'compiled/run-check.js', name, JSON.stringify(argument))

  it('is the one it is called', async () => {
    expect(await run(runtime.program, ['--version'], consumer.folder)).toMatch(runtime.version)
  })

  it('answers every vector', async () => expect(await check('verifier-vectors')).toEqual(everyVector('node:crypto')))

  it('receives', async () => expect(await check('receiver-round-trip')).toEqual(aRoundTrip))

  it('reads a service on a port', async () => {
    expect(await check('client-against-a-port', whereTheServiceIs())).toEqual(whatTheServiceHolds())
  })

  it('runs the service, the receiver and the client in one process', async () => {
    expect(await check('service-in-process')).toEqual({
      endpoint: 'active',
      kept: ['Stand-up'],
      overThePort: ['Stand-up'],
    })
  })

  it('writes the same log as any other, byte for byte', async () => {
    expect(await check('service-log')).toEqual(await serviceLog())
  })

  it('keeps a store in SQLite', async () => {
    expect(await check('sqlite-store-in-a-file', { path: inConsumer(`${runtime.name}.db`) })).toEqual({
      checks: allPassed,
      exactlyOnce,
      whileAnotherWrites: 'claimed',
    })
  })

  it('keeps a mirror in SQLite', async () => {
    expect(await check('sqlite-mirror-in-a-file', { path: inConsumer(`${runtime.name} mirror.db`) })).toEqual(
      allPassedByMirror,
    )
  })

  it.each(['import', 'require'])('can %s every entry, and call it', async (method) => {
    expect(await answersOfEntries(runtime, method)).toEqual(answersHere)
  })
})

describe.each([
  ['workerd', [], 'WebCrypto'],
  ['workerd with nodejs_compat', ['nodejs_compat'], 'node:crypto'],
])('%s', (_name, compatibilityFlags, crypto) => {
  let workerd: Workerd
  beforeAll(async () => {
    workerd = resources.use(await startWorkerd(inConsumer('bundled/worker.js'), { compatibilityFlags }))
  })

  const check = async (name: string, argument: object = {}) => {
    const response = await fetch(new URL(name, workerd.url), { method: 'POST', body: JSON.stringify(argument) })
    const text = await response.text()
    return response.ok ? JSON.parse(text) : text
  }

  it('answers every vector', async () => expect(await check('verifier-vectors')).toEqual(everyVector(crypto)))

  it('receives', async () => expect(await check('receiver-round-trip')).toEqual(aRoundTrip))

  it('reads a service on a port', async () => {
    expect(await check('client-against-a-port', whereTheServiceIs())).toEqual(whatTheServiceHolds())
  })
})

describe('workerd with SQLite', () => {
  let workerd: Workerd
  beforeAll(async () => {
    workerd = resources.use(
      await startWorkerd(inConsumer('bundled/sqlite-worker.js'), {
        compatibilityFlags: ['nodejs_compat'],
        d1Databases: ['DB'],
        durableObjects: { OBJECT: { className: 'StoreObject', useSQLite: true } },
      }),
    )
  })

  it('keeps a store in D1', async () => {
    const response = await fetch(new URL('d1', workerd.url))
    expect(await response.json()).toEqual({ checks: allPassed, mirror: allPassedByMirror })
  })

  it('keeps a store in a Durable Object', async () => {
    const response = await fetch(new URL('durable-object', workerd.url))
    expect(await response.json()).toEqual({
      checks: allPassed,
      exactlyOnce,
      mirror: allPassedByMirror,
    })
  })
})

// Those for Hono, Koa and Nest are tests of the project itself.
describe('the recipe for', () => {
  it.each([
    ['Bun.serve', bun, 'recipes/bun.ts'],
    ['Deno.serve', deno, 'recipes/deno.ts'],
    ['Elysia in Bun', bun, 'recipes/elysia.ts'],
  ])('%s receives', async (_name, runtime, file) => {
    await using server = await startServer(runtime, consumer.folder, file, { NOTES_SIGNING_SECRET: SECRET })
    await expectDeliveriesToArrive(server.url)
  })

  it.each([[[]], [['nodejs_compat']]])(
    'Workers receives, with the compatibility flags %j',
    async (compatibilityFlags) => {
      await bundleForWorkers(inConsumer('recipes/worker.ts'), inConsumer('bundled/recipes'))
      const bindings = { NOTES_SIGNING_SECRET: SECRET }
      await using workerd = await startWorkerd(inConsumer('bundled/recipes/worker.js'), {
        bindings,
        compatibilityFlags,
      })
      await expectDeliveriesToArrive(workerd.url)
    },
  )
})

function everyVector(crypto: string) {
  const vectors = Object.values(vectorFiles).flatMap(({ cases }) => cases)
  return { answered: 2 * vectors.length, wrong: [], crypto }
}

const aRoundTrip = {
  statuses: {
    delivered: 204,
    duplicate: 204,
    stale: 204,
    tampered: 401,
    old: 401,
    'not an event': 400,
    'of another method': 404,
    'two of one note at once': [204, 204],
  },
  outcomes: [
    'applied',
    'duplicate',
    'stale',
    'no-matching-signature',
    'timestamp-too-old',
    'applied',
    'applied',
    'closing',
  ],
  applied: ['nöte-🎻 at 7', 'nöte-🎻 at 10', 'nöte-🎻 at 11'],
  'after closing': 503,
}

const allPassed = { passed: storeChecks.length, failed: [] }

const allPassedByMirror = { passed: mirrorStoreChecks.length, failed: [] }

function whereTheServiceIs() {
  return { baseUrl: service.baseUrl, apiKey: service.apiKey }
}

function whatTheServiceHolds() {
  return {
    notes: service.owner.notes().map(({ note_id }) => note_id),
    transcriptBegins: expect.stringMatching(/^\S/),
    summaryStatus: 'ready',
    unknownNote: 'not_found',
    wrongKey: 'unauthorized',
    nobodyListens: 'network_error',
  }
}

async function answersOfEntries(runtime: Runtime, method: string): Promise<unknown> {
  const entries = exportedEntries(consumer)
  const { answers } = await seenBy(runtime, consumer.folder, 'compiled/load-entries.js', method, ...entries)
  expect(Object.keys(answers as object)).toEqual(entries)
  return answers
}

function inConsumer(path: string): string {
  return join(consumer.folder, path)
}

const exactlyOnce = {
  outcomes: ['applied', 'duplicate', 'failed', 'applied', 'failed', 'failed'],
  effects: [[-1], [-2]],
}
