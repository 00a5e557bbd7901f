import { globSync } from 'node:fs'
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { parseEnv } from 'node:util'
import { NotesClient } from '@notewire/client'
import { anEvent, signAttempt } from '@notewire/webhooks/testing'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { packPackages } from '../scripts/pack-packages.ts'
import { WORKSPACE } from '../scripts/run.ts'
import { type LocalRegistry, startRegistry } from './quickstarts/local-registry.ts'
import { printedByReceivers, type Quickstart, quickstartSections, readQuickstart } from './quickstarts/page.ts'
import { openTerminal, type Terminal } from './quickstarts/terminal.ts'
import { freePort } from './servers/free-port.ts'

const QUICKSTARTS = [...quickstartSections().keys()]
// The workspace does not install it.
const WRANGLER = '4.164.0'
const FORGERS_SECRET = 'whsec_YS1zZWNyZXQtdGhhdC10aGUtcmVjZWl2ZXItZG9lcy1ub3Qta25vdw'

const resources = new AsyncDisposableStack()
let folder: string
let registry: LocalRegistry
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'notewire-quickstarts-'))
  resources.defer(() => rm(folder, { recursive: true }))
  const pages = QUICKSTARTS.map((name) => readQuickstart(name, 3000))
  const pinned = await pinnedVersions(pages.flatMap(({ packages }) => packages))
  registry = resources.use(await startRegistry(await packPackages(folder), { ...pinned, wrangler: WRANGLER }))
})
afterAll(() => resources.disposeAsync())

it('finds the quickstarts', () => expect(QUICKSTARTS).toContain('Express'))

it.concurrent.for(QUICKSTARTS)('%s: prints a note that has ended, and rejects a forged delivery', async (name) => {
  const port = await freePort()
  const page = readQuickstart(name, port)
  const began = performance.now()
  const terminal = await createProject(name, page)
  const service = `--base-url http://127.0.0.1:${await freePort()}`
  // Without a terminal, `--yes` confirms the question, and `trigger` sends the event of the key `e`.
  await using listening = terminal.start(`${page.listen} --yes ${service}`)
  await listening.printed(/^Wrote .* to \.env/m)
  await using receiver = terminal.start(page.start)
  // This pattern never matches: the promise rejects with the output when the receiver ends.
  const ended = receiver.printed(/(?!)/)
  await Promise.race([listening.printed(/204 +endpoint\.verification/), ended])
  const settings = await settingsOf(terminal.folder)
  await activeEndpoint(settings)
  await terminal.run(`${page.listen.replace(/ listen .*/, ' trigger')} note.ended ${service}`)
  await Promise.race([receiver.printed(printedByReceivers()), ended])
  reportTime(name, began)

  const url = `http://localhost:${port}/webhooks/notes`
  const deliver = async (secret: string) =>
    (await fetch(url, { method: 'POST', ...(await signAttempt(secret, anEvent({ kind: 'note.deleted' }))) })).status
  expect(await deliver(settings['NOTES_SIGNING_SECRET'] ?? '')).toBe(204)
  expect(await deliver(FORGERS_SECRET)).toBe(401)
})

/** Prints the time from the first command to a note that was printed. */
function reportTime(name: string, began: number): void {
  console.log(`quickstart ${name}: a note after ${Math.ceil((performance.now() - began) / 1_000)} s`)
}

/** Runs the commands of a page that create its project, and writes its files. */
async function createProject(name: string, page: Quickstart): Promise<Terminal> {
  // A test that is repeated must not find the project of its first run.
  const parent = await mkdtemp(join(folder, `${name}-`))
  const terminal = await openTerminal(parent, registry.url)
  const project = (await terminal.run(`${page.create}\npwd`)).trimEnd().split('\n').at(-1) ?? ''
  for (const { path, code } of page.files) {
    await mkdir(join(project, dirname(path)), { recursive: true })
    await writeFile(join(project, path), code)
  }
  return terminal.at(project)
}

/** What `listen` wrote to `.env`. */
async function settingsOf(project: string): Promise<NodeJS.Dict<string>> {
  return parseEnv(await readFile(join(project, '.env'), 'utf8'))
}

/** `listen` shows the verification before the service has received its answer. */
async function activeEndpoint(settings: NodeJS.Dict<string>): Promise<void> {
  const { webhookEndpoints } = new NotesClient({
    baseUrl: settings['NOTES_BASE_URL'],
    apiKey: settings['NOTES_API_KEY'],
  })
  for (const { endpoint_id } of await webhookEndpoints.list()) await webhookEndpoints.waitUntilActive(endpoint_id)
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
