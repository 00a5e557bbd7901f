import { rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { run, WORKSPACE } from '../scripts/run.ts'
import { type Consumer, exportedEntries, installConsumer } from './packed-packages/consumer.ts'

// The workspace's packages of the compilers, some with an alias.
const COMPILERS = { '5.9': 'typescript59', '6.0': 'typescript', '7.0': 'typescript70' }
const RESOLUTIONS = [
  ['node16', 'node16'],
  ['nodenext', 'nodenext'],
  ['bundler', 'preserve'],
] as const

// No package of the workspace needs them: users of Workers who do not generate their types install them.
const WORKERS_TYPES = '@cloudflare/workers-types@5.20261117.1'

let consumer: Consumer
beforeAll(async () => {
  consumer = await installConsumer()
  const imports = exportedEntries(consumer).map((entry, index) => `export * as entry${index} from '${entry}'`)
  await writeFile(join(consumer.folder, 'every-entry.ts'), `${imports.join('\n')}\n`)
  // The declarations of Fastify itself need @types/node.
  const withoutFastify = imports.filter((line) => !line.endsWith("/fastify'"))
  await writeFile(join(consumer.folder, 'entries-without-node.ts'), `${withoutFastify.join('\n')}\n`)
  await run('npm', ['install', '--no-audit', '--no-fund', '--prefer-offline', WORKERS_TYPES], consumer.folder)
})
afterAll(() => rm(consumer.folder, { recursive: true }))

describe.each(Object.entries(COMPILERS))('TypeScript %s', (version, name) => {
  it('is the version that runs', async () => {
    expect(await compile(name, '--version')).toMatch(`Version ${version}.`)
  })

  it.each(RESOLUTIONS)(
    'resolves and accepts every entry with moduleResolution %s',
    async (moduleResolution, module) => {
      await check(name, moduleResolution, module, ['every-entry.ts', 'entry-calls.ts'])
    },
  )

  it.each([
    ['the DOM, without @types/node', [], ['dom', 'dom.iterable']],
    ['the types of Workers, without @types/node', ['@cloudflare/workers-types'], []],
    ['@types/node, without the DOM', ['node'], []],
  ])('accepts every entry with %s', async (_, types, lib) => {
    const bare = { types, lib: ['es2023', 'esnext.disposable', ...lib], skipLibCheck: false }
    await check(name, 'bundler', 'preserve', ['entries-without-node.ts'], bare)
  })

  it.each([
    ['{ secret }', /^ {2}Property 'on' is missing in type '\{ secret: .*\}'/m],
    ['{ on: {} }', /^ {2}Property 'secret' is missing in type '\{ on: \{\}; \}'/m],
    ['{ secret, on: {}, toleranceSecond: 5 }', /Did you mean to write 'toleranceSeconds'\?/],
    [
      "{ secret, on: { 'note.finished': () => undefined } }",
      /''note\.finished'' does not exist in type 'EventHandlers/,
    ],
    ["{ secret, on: {}, maxBodyBytes: '5' }", /Type 'string' is not assignable to type 'number'/],
  ])('explains the mistake in createReceiver(%s) in one error', async (options, explanation) => {
    const lines = ["import { createReceiver } from '@notewire/webhooks'", "const secret = 'whsec_'", 'void secret']
    await writeFile(join(consumer.folder, 'mistake.ts'), [...lines, `createReceiver(${options})`].join('\n'))
    const checked = await check(name, 'nodenext', 'nodenext', ['mistake.ts']).then(() => 'no error', String)
    expect(checked).toMatch(explanation)
    expect(checked).not.toContain('No overload')
    expect(checked.match(/error TS/g)).toHaveLength(1)
  })

  it('fails for an entry that does not exist', async () => {
    await writeFile(join(consumer.folder, 'nothing.ts'), `export * from '@notewire/webhooks/nothing'\n`)
    await expect(check(name, 'nodenext', 'nodenext', ['nothing.ts'])).rejects.toThrow('@notewire/webhooks/nothing')
  })
})

async function check(
  name: string,
  moduleResolution: string,
  module: string,
  files: readonly string[],
  options: object = {},
): Promise<void> {
  const compilerOptions = {
    moduleResolution,
    module,
    target: 'es2023',
    lib: ['es2023', 'esnext.disposable', 'dom', 'dom.iterable'],
    types: ['node'],
    strict: true,
    skipLibCheck: false,
    noEmit: true,
    ...options,
  }
  await writeFile(join(consumer.folder, 'tsconfig.check.json'), JSON.stringify({ compilerOptions, files }))
  await compile(name, '--project', 'tsconfig.check.json')
}

function compile(name: string, ...args: string[]): Promise<string> {
  return run(process.execPath, [join(WORKSPACE, 'node_modules', name, 'bin/tsc'), ...args], consumer.folder)
}
