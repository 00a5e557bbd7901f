import { readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { run, tool } from '../scripts/run.ts'
import { start } from './newcomer/program.ts'
import { type Consumer, exportedEntries, exportedJson, installConsumer } from './packed-packages/consumer.ts'

// The expected result of `packed-packages/consumer/entry-calls.ts` for each entry that the packages export.
const answers = {
  '@notewire/protocol': 'k7',
  '@notewire/protocol/schemas': 'note_1',
  '@notewire/client': ['note_1'],
  '@notewire/client/node-fetch': 'read',
  '@notewire/client/opentelemetry': ['onRequest', 'onResponse', 'onDrift'],
  '@notewire/webhooks': [204, ['note_1']],
  '@notewire/webhooks/verify': ['verified', 'refused'],
  '@notewire/webhooks/node': 204,
  '@notewire/webhooks/express': 204,
  '@notewire/webhooks/fastify': 204,
  '@notewire/webhooks/next': 204,
  '@notewire/webhooks/lambda': 204,
  '@notewire/webhooks/sqlite': ['claimed', 'duplicate'],
  '@notewire/webhooks/postgres': 'duplicate',
  '@notewire/webhooks/redis': 'duplicate',
  '@notewire/storage': true,
  '@notewire/webhooks/store': 'stale',
  '@notewire/webhooks/opentelemetry': 7,
  '@notewire/webhooks/testing': 'access_lost',
  '@notewire/mock-server': 401,
  '@notewire/mock-server/program': 54,
  '@notewire/mirror': 3,
  '@notewire/mirror/sqlite': 0,
  '@notewire/mirror/postgres': 7,
  '@notewire/mirror/opentelemetry': 4,
}

let consumer: Consumer
beforeAll(async () => {
  consumer = await installConsumer()
})
afterAll(() => rm(consumer.folder, { recursive: true }))

it('all seven packages are packed', () => {
  const names = ['client', 'mirror', 'mock-server', 'protocol', 'storage', 'webhooks'].map(
    (name) => `@notewire/${name}`,
  )
  expect(consumer.packages.map(({ name }) => name).sort()).toEqual([...names, 'notewire'])
})

it('no published package.json has devDependencies or scripts', async () => {
  for (const { name } of consumer.packages) {
    const manifest = JSON.parse(await readFile(join(consumer.folder, 'node_modules', name, 'package.json'), 'utf8'))
    expect(Object.keys(manifest)).toEqual(expect.arrayContaining(['name', 'version', 'exports', 'dependencies']))
    expect(manifest).not.toHaveProperty('devDependencies')
    expect(manifest).not.toHaveProperty('scripts')
  }
})

it('has a call for every exported entry', () => {
  expect(Object.keys(answers).sort()).toEqual(exportedEntries(consumer).sort())
})

describe.each(['import', 'require'])('loaded by %s', (method) => {
  let report: { touched: string[]; answers: unknown }
  beforeAll(async () => {
    report = JSON.parse(await inConsumer('load-entries.ts', method, ...exportedEntries(consumer)))
  })

  it('every entry works', () => expect(report.answers).toEqual(answers))

  it('no entry touches a global', () => {
    // zod stores its settings in a global, which a second copy of zod shares.
    expect(report.touched.filter((key) => !key.startsWith('__zod_'))).toEqual([])
  })
})

it('every JSON file has the same content imported and required', async () => {
  const program = `
    import { createRequire } from 'node:module'
    const required = createRequire(import.meta.url)
    const same = ${JSON.stringify(exportedJson(consumer))}.map(async (path) => {
      const { default: imported } = await import(path, { with: { type: 'json' } })
      return [path, JSON.stringify(imported) === JSON.stringify(required(path))]
    })
    process.stdout.write(JSON.stringify(Object.fromEntries(await Promise.all(same))))`
  const same = JSON.parse(await inConsumer('--input-type=module', '--eval', program))
  expect(same).toMatchObject({
    'notewire/package.json': true,
    '@notewire/mock-server/openapi.json': true,
    '@notewire/webhooks/vectors/signatures.json': true,
  })
  expect(Object.entries(same).filter(([, isSame]) => !isSame)).toEqual([])
})

describe('npx runs', () => {
  it.each([
    ['notewire', 'doctor'],
    ['@notewire/mock-server', '--accounts <number>'],
  ])('%s', async (name, inHelp) => {
    expect(await run('npx', [name, '--help'], consumer.folder)).toContain(inHelp)
  })

  it('notewire with all its dependencies: it copies the notes of a service', async () => {
    await using service = start('npx', ['notewire', 'mock', '--notes', '3', '--port', '0'], consumer.folder)
    const printed = await service.printed(/API key +\S+/)
    const baseUrl = /Base URL +(\S+)/.exec(printed)?.[1] ?? ''
    const apiKey = /API key +(\S+)/.exec(printed)?.[1] ?? ''
    const pull = ['notewire', 'pull', '--json', '--base-url', baseUrl]
    await using pulling = start('npx', pull, consumer.folder, { NOTES_API_KEY: apiKey })
    expect(await pulling.printed(/\}\n/)).toMatch(/"added": ?3\b/)
  })
})

describe('@notewire/webhooks/verify', () => {
  const withZod = /\/node_modules\/zod\/|\/@notewire\/protocol\/dist\/schemas\.js/

  it('loads neither zod nor the schemas, which contain zod', async () => {
    const loaded = await modulesLoadedBy('@notewire/webhooks/verify')
    expect(loaded).toContainEqual(expect.stringContaining('/@notewire/webhooks/dist/verify.js'))
    expect(loaded.filter((url) => withZod.test(url))).toEqual([])
  })

  it.each(['zod/mini', '@notewire/webhooks'])(
    'would fail this test if it loaded zod, as %s does',
    async (specifier) => {
      expect((await modulesLoadedBy(specifier)).filter((url) => withZod.test(url))).not.toEqual([])
    },
  )
})

it.each(['@notewire/client', '@notewire/webhooks', '@notewire/mirror'])('%s loads no OpenTelemetry', async (name) => {
  const ofOpenTelemetry = (url: string) => url.includes('/node_modules/@opentelemetry/')
  expect((await modulesLoadedBy(name)).filter(ofOpenTelemetry)).toEqual([])
  expect((await modulesLoadedBy(`${name}/opentelemetry`)).filter(ofOpenTelemetry)).not.toEqual([])
})

it.each(['@notewire/client', '@notewire/webhooks'])(
  '%s loads the zod that the schemas contain, and no other',
  async (name) => {
    expect((await modulesLoadedBy(name)).filter((url) => url.includes('/node_modules/zod/'))).toEqual([])
  },
)

const SECRET = 'whsec_dGhlIHNlY3JldCBvZiBhIHRlc3QsIGFuZCBubyBvdGhlcg'

it('an error of one entry is an instance of the class of another', async () => {
  const program = `
    import { OptionError, ShapeError } from '@notewire/protocol'
    import { noteSchema, readEvent, readShape } from '@notewire/protocol/schemas'
    import { NotesClient } from '@notewire/client'
    import { SecretError } from '@notewire/webhooks'
import { BodyNotRawError } from '@notewire/webhooks/verify'
    import { signAttempt } from '@notewire/webhooks/testing'
    import { createVerifier } from '@notewire/webhooks/verify'
    const verify = createVerifier({ secret: '${SECRET}' })
    const cases = [
      [() => readEvent(1), ShapeError],
      [() => readShape(noteSchema, 1, 'the note'), ShapeError],
      [() => readShape({}, 1, 'the note'), OptionError],
      [() => new NotesClient({ baseURL: '' }), OptionError],
      [() => createVerifier({ secret: '' }), SecretError],
      [() => signAttempt('{}', ''), SecretError],
      [() => verify({}, {}), BodyNotRawError],
    ]
    const found = cases.map(async ([fail, Class]) => {
      try {
        await fail()
      } catch (error) {
        return error instanceof Class
      }
    })
    process.stdout.write(JSON.stringify(await Promise.all(found)))`
  const found: unknown[] = JSON.parse(await inConsumer('--input-type=module', '--eval', program))
  expect(found).toEqual(found.map(() => true))
})

it.each(['protocol', 'mock-server'])('@notewire/%s contains parts of zod, and its licence', async (name) => {
  const licence = join(consumer.folder, `node_modules/@notewire/${name}/dist/zod.LICENSE`)
  expect(await readFile(licence, 'utf8')).toContain('Colin McDonnell')
})

it('@notewire/mock-server imports no zod, in code or declarations, because users do not install it', async () => {
  const { files = [], folder = '' } = consumer.packages.find(({ name }) => name === '@notewire/mock-server') ?? {}
  const built = files.filter((file) => /^dist\/.*\.(js|d\.ts)$/.test(file))
  expect(built).toContain('dist/index.d.ts')
  for (const file of built) expect(await readFile(join(folder, file), 'utf8'), file).not.toMatch(/from ['"]zod/)
})

describe('@notewire/protocol/schemas', () => {
  it('implements Standard Schema', async () => {
    const program = `
      import { noteSchema } from '@notewire/protocol/schemas'
      process.stdout.write(JSON.stringify(noteSchema['~standard'].validate({ id: 'note_1', revision: 3 })))`
    const { value } = JSON.parse(await inConsumer('--input-type=module', '--eval', program))
    expect(value).toMatchObject({ note_id: 'note_1', revision: 3 })
  })

  it.each(['zod', 'zod/mini'])("can be part of schemas of the user's own %s", async (zod) => {
    const program = `
      import { noteSchema } from '@notewire/protocol/schemas'
      import * as z from '${zod}'
      const page = z.object({ notes: z.array(noteSchema) })
      const [note] = page.parse({ notes: [{ id: 'note_1', revision: 3 }] }).notes
      const { error } = page.safeParse({ notes: [{ id: 'note_1', revision: -3 }] })
      process.stdout.write(JSON.stringify([note, error.issues[0].path]))`
    const [note, path] = JSON.parse(await inConsumer('--input-type=module', '--eval', program))
    expect(note).toMatchObject({ note_id: 'note_1', revision: 3 })
    expect(path).toEqual(['notes', 0, 'revision'])
  })
})

describe('every tarball', () => {
  it('contains the built code, its sources, the README and the licence', () => {
    for (const { name, files } of consumer.packages) {
      const code =
        name === 'notewire' ? ['dist/main.js', 'src/main.ts'] : ['dist/index.js', 'dist/index.d.ts', 'src/index.ts']
      expect(files, name).toEqual(expect.arrayContaining(['README.md', 'CHANGELOG.md', 'LICENSE', ...code]))
    }
  })

  it('contains nothing else, and no test', () => {
    for (const { name, files } of consumer.packages) {
      expect(
        files.filter(
          (file) =>
            !/^(dist|src)\/|^vectors\/\w+\.(json|md|py)$|^(package\.json|postgres\.sql|README\.md|CHANGELOG\.md|LICENSE)$/.test(
              file,
            ),
        ),
        name,
      ).toEqual([])
      expect(
        files.filter((file) => /\.test(-d)?\.ts$/.test(file)),
        name,
      ).toEqual([])
    }
  })

  it('depends on released versions', async () => {
    for (const { name } of consumer.packages) {
      const manifest = await readFile(join(consumer.folder, 'node_modules', name, 'package.json'), 'utf8')
      expect(manifest, name).not.toMatch(/"(workspace|catalog):/)
    }
  })
})

it.each(['nodenext', 'bundler', 'without-dom'])('the declarations satisfy a strict compiler: %s', async (setting) => {
  await run(tool('tsc'), ['--project', `tsconfig.${setting}.json`], consumer.folder)
})

function inConsumer(...args: string[]): Promise<string> {
  return run(process.execPath, args, consumer.folder)
}

async function modulesLoadedBy(specifier: string): Promise<string[]> {
  const program = `await import('${specifier}')`
  return (await inConsumer('--import', './record-loaded.ts', '--input-type=module', '--eval', program)).split('\n')
}
