import { readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { run, tool } from '../scripts/run.ts'
import { type Consumer, exportedEntries, installConsumer } from './packed-packages/consumer.ts'

// What the call of `packed-packages/consumer/entry-calls.ts` answers, for each entry that the packages export.
const answers = {
  '@notewire/protocol': 'k7',
  '@notewire/protocol/schemas': 'note_1',
  '@notewire/client': ['note_1'],
  '@notewire/webhooks': [204, ['note_1']],
  '@notewire/webhooks/verify': ['verified', 'refused'],
  '@notewire/webhooks/node': 204,
  '@notewire/webhooks/express': 204,
  '@notewire/webhooks/fastify': 204,
  '@notewire/webhooks/next': 204,
  '@notewire/webhooks/lambda': 204,
  '@notewire/webhooks/bullmq': 'option_invalid',
  '@notewire/webhooks/pg-boss': 'option_invalid',
  '@notewire/webhooks/sqlite': ['claimed', 'duplicate'],
  '@notewire/webhooks/postgres': 'duplicate',
  '@notewire/webhooks/redis': 'duplicate',
  '@notewire/webhooks/testing': 'access_lost',
  '@notewire/mock-server': 401,
  '@notewire/mock-server/scenarios': [],
  '@notewire/mirror': 3,
  '@notewire/mirror/sqlite': 0,
  '@notewire/mirror/postgres': 7,
  '@notewire/mirror/testing': true,
}

let consumer: Consumer
beforeAll(async () => {
  consumer = await installConsumer()
})
afterAll(() => rm(consumer.folder, { recursive: true }))

it('has a call for every exported entry', () => {
  expect(Object.keys(answers).sort()).toEqual(exportedEntries(consumer).sort())
})

describe.each(['import', 'require'])('loaded by %s', (method) => {
  let report: { touched: string[]; answers: unknown }
  beforeAll(async () => {
    report = JSON.parse(await inConsumer('load-entries.ts', method, ...exportedEntries(consumer)))
  })

  it('every entry does what it is for', () => expect(report.answers).toEqual(answers))

  it('no entry touches a global', () => {
    // zod keeps its settings there, for a second copy of itself to find.
    expect(report.touched.filter((key) => !key.startsWith('__zod_'))).toEqual([])
  })
})

it('every manifest can be imported and required', async () => {
  for (const { name } of consumer.packages) {
    const program = `
      import { createRequire } from 'node:module'
      import manifest from '${name}/package.json' with { type: 'json' }
      const required = createRequire(import.meta.url)('${name}/package.json')
      process.stdout.write([manifest.name, required.name].join())`
    expect(await inConsumer('--input-type=module', '--eval', program)).toBe(`${name},${name}`)
  }
})

it('the program of @notewire/mock-server runs by npx', async () => {
  expect(await run('npx', ['@notewire/mock-server', '--help'], consumer.folder)).toContain('--scenario <file.json>')
})

describe('@notewire/webhooks/verify', () => {
  it('loads no zod', async () => {
    const loaded = await modulesLoadedBy('@notewire/webhooks/verify')
    expect(loaded).toContainEqual(expect.stringContaining('/@notewire/webhooks/dist/verify.js'))
    expect(loaded.filter((url) => url.includes('/node_modules/zod/'))).toEqual([])
  })

  it('would be caught loading it', async () => {
    const loaded = await modulesLoadedBy('zod/mini')
    expect(loaded).toContainEqual(expect.stringContaining('/node_modules/zod/'))
  })
})

describe('@notewire/protocol/schemas', () => {
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
  it('holds the built code, its sources, the README and the licence', () => {
    for (const { name, files } of consumer.packages) {
      const code =
        name === 'notewire' ? ['dist/main.js', 'src/main.ts'] : ['dist/index.js', 'dist/index.d.ts', 'src/index.ts']
      expect(files, name).toEqual(expect.arrayContaining(['README.md', 'LICENSE', ...code]))
    }
  })

  it('holds nothing else, and no test', () => {
    for (const { name, files } of consumer.packages) {
      expect(
        files.filter(
          (file) =>
            !/^(dist|src)\/|^vectors\/\w+\.(json|md|py)$|^(package\.json|notewire\.config\.schema\.json|README\.md|LICENSE)$/.test(
              file,
            ),
        ),
        name,
      ).toEqual([])
      expect(
        files.filter((file) => /\.test(-d)?\.ts$|\/fixtures\//.test(file)),
        name,
      ).toEqual([])
    }
  })

  it('names real versions of its dependencies', async () => {
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
