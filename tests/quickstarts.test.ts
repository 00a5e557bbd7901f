import { globSync } from 'node:fs'
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { parseEnv } from 'node:util'
import { anEvent, signAttempt } from '@notewire/webhooks/testing'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { packPackages } from '../scripts/pack-packages.ts'
import { WORKSPACE } from '../scripts/run.ts'
import { type LocalRegistry, startRegistry } from './quickstarts/local-registry.ts'
import { type Quickstart, readQuickstart } from './quickstarts/page.ts'
import { openTerminal, type Terminal } from './quickstarts/terminal.ts'
import { freePort } from './servers/free-port.ts'

const SERVERS = ['bun', 'deno', 'express', 'fastify', 'hono', 'next', 'workers']
// The workspace does not install it.
const WRANGLER = '4.164.0'
const FORGERS_SECRET = 'whsec_YS1zZWNyZXQtdGhhdC10aGUtcmVjZWl2ZXItZG9lcy1ub3Qta25vdw'

const resources = new AsyncDisposableStack()
let folder: string
let registry: LocalRegistry
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'notewire-quickstarts-'))
  resources.defer(() => rm(folder, { recursive: true }))
  const pages = [...SERVERS, 'lambda'].map((name) => readQuickstart(name, 3000))
  const pinned = await pinnedVersions(pages.flatMap(({ packages }) => packages))
  registry = resources.use(await startRegistry(await packPackages(folder), { ...pinned, wrangler: WRANGLER }))
})
afterAll(() => resources.disposeAsync())

it('tests every quickstart', () => {
  const pages = globSync('docs/quickstarts/*.md', { cwd: WORKSPACE }).map((page) => basename(page, '.md'))
  expect([...SERVERS, 'lambda'].sort()).toEqual(pages.sort())
})

it.each(SERVERS)('%s: answers a verified delivery, and rejects a forged one', async (name) => {
  const port = await freePort()
  const page = readQuickstart(name, port)
  const began = performance.now()
  const terminal = await createProject(name, page)
  await using receiver = terminal.start(page.start)
  const url = `http://localhost:${port}/webhooks/notes`
  // This pattern never matches: the promise rejects with the output when the receiver ends.
  await Promise.race([answering(url), receiver.printed(/(?!)/)])
  const report = await terminal.run(page.send ?? '').catch(async (error) => {
    throw new Error(`the receiver printed:\n${await receiver.printed(/^/)}`, { cause: error })
  })
  expect(report).toContain('0 failed')
  await expect.poll(() => receiver.printed(/^/)).toMatch(page.printed)
  reportTime(name, began)

  const deliver = async (secret: string) =>
    (await fetch(url, { method: 'POST', ...(await signAttempt(secret, anEvent({ kind: 'note.ended' }))) })).status
  expect(await deliver(await signingSecretOf(terminal.folder))).toBe(204)
  expect(await deliver(FORGERS_SECRET)).toBe(401)
})

it('lambda: answers a verified delivery, and rejects a forged one', async () => {
  const page = readQuickstart('lambda', 3000)
  const began = performance.now()
  const terminal = await createProject('lambda', page)
  expect(await terminal.run(page.start)).toMatch(page.printed)
  reportTime('lambda', began)

  const invoke = join(terminal.folder, 'invoke.ts')
  const signed = await readFile(invoke, 'utf8')
  const forged = signed.replace("process.env['NOTES_SIGNING_SECRET'] ?? ''", `'${FORGERS_SECRET}'`)
  expect(forged).not.toBe(signed)
  await writeFile(invoke, forged)
  expect(await terminal.run(page.start)).toContain('the function answered 401')
})

/** Prints the time from the first command to a verified delivery. */
function reportTime(name: string, began: number): void {
  console.log(`quickstart ${name}: a verified delivery after ${Math.ceil((performance.now() - began) / 1_000)} s`)
}

/** Runs the commands of a page that create its project, and writes its files. */
async function createProject(name: string, page: Quickstart): Promise<Terminal> {
  const parent = join(folder, name)
  await mkdir(parent)
  const terminal = await openTerminal(parent, registry.url)
  const project = (await terminal.run(`${page.create}\npwd`)).trimEnd().split('\n').at(-1) ?? ''
  for (const { path, code } of page.files) {
    await mkdir(join(project, dirname(path)), { recursive: true })
    await writeFile(join(project, path), code)
  }
  return terminal.at(project)
}

/** The secret that a command of the page wrote to `.env`. */
async function signingSecretOf(project: string): Promise<string> {
  return parseEnv(await readFile(join(project, '.env'), 'utf8'))['NOTES_SIGNING_SECRET'] ?? ''
}

/** Resolves when a server answers at `url` with any status. */
async function answering(url: string): Promise<void> {
  const answers = async () => {
    try {
      await (await fetch(url)).text()
      return true
    } catch {
      return false
    }
  }
  await expect.poll(answers, { timeout: 600_000 }).toBe(true)
}

/** The versions of the packages that the workspace has installed. */
async function pinnedVersions(names: readonly string[]): Promise<Record<string, string>> {
  const folders = ['.', ...globSync(['packages/*', 'examples/*', 'tests/runtimes'], { cwd: WORKSPACE })]
  const versions = names.map(async (name): Promise<[string, string][]> => {
    const manifests = folders.map((place) => join(place, 'node_modules', name, 'package.json'))
    const [manifest] = globSync(manifests, { cwd: WORKSPACE })
    return manifest === undefined ? [] : [[name, JSON.parse(await readFile(join(WORKSPACE, manifest), 'utf8')).version]]
  })
  return Object.fromEntries((await Promise.all(versions)).flat())
}
