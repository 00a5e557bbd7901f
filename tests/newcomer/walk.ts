import { readFileSync } from 'node:fs'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { packPackages } from '../../scripts/pack-packages.ts'
import { run, WORKSPACE } from '../../scripts/run.ts'
import { blocksOfMarkdown, type CodeBlock } from '../docs/code-blocks.ts'
import { freePort } from '../servers/free-port.ts'
import { type Program, start } from './program.ts'

/** Makes a folder in which a newcomer has installed what the tutorial says: our packages from their tarballs, the rest from npm. */
export async function installAsNewcomer(folder: string): Promise<void> {
  const packed = await packPackages(await made(join(folder, 'tarballs')))
  const tarballs = Object.fromEntries(packed.map(({ name, tarball }) => [name, `file:${tarball}`]))
  const manifest = { private: true, type: 'module', dependencies: tarballs, overrides: tarballs }
  await writeFile(join(folder, 'package.json'), JSON.stringify(manifest))
  // The other packages that the tutorial installs.
  const named = /^npm install (.+)$/m.exec(page('docs/tutorial.md'))?.[1]?.split(' ') ?? []
  const others = named.filter((name) => tarballs[name] === undefined)
  if (others.length === named.length) throw new Error('the tutorial installs none of our packages')
  await run('npm', ['install', '--no-audit', '--no-fund', '--prefer-offline', ...others], folder)
}

/**
 * Runs the receiver and the sync of the README against a service on this machine, and makes an event happen.
 *
 * @returns what the receiver printed about the event, and what the sync printed
 */
export async function followReadme(folder: string): Promise<string> {
  await using service = await startService(folder)
  const port = await freePort()
  const [receiver, sync] = blocksOfMarkdown('README.md', page('README.md')).filter(({ language }) => language === 'ts')
  const here = code(receiver).replaceAll('3000', `${port}`)
  await writeFile(join(folder, 'app.ts'), here)
  await writeFile(join(folder, 'sync.ts'), code(sync))

  const endpoint = await service.register(`http://127.0.0.1:${port}/webhooks/notes`)
  const environment = {
    NOTES_BASE_URL: service.baseUrl,
    NOTES_API_KEY: service.apiKey,
    NOTES_SIGNING_SECRET: endpoint.signing_secret,
  }
  await using app = start(process.execPath, ['app.ts'], folder, environment)
  await app.printed(/listening/)
  await service.verifyAgain(endpoint)
  await run('npx', ['notewire', 'trigger', 'note.ended', '--base-url', service.baseUrl], folder)
  const received = await app.printed(/note_\w+ \S/)
  await using syncing = start(process.execPath, ['sync.ts'], folder, environment)
  return received + (await syncing.printed(/(note_\w+ [^\n]* ready\n.*){4}/s))
}

/**
 * Writes the files of the tutorial and runs its commands, in their order.
 *
 * @returns what the programs printed
 */
export async function followTutorial(folder: string): Promise<string> {
  const port = await freePort()
  const baseUrl = `http://127.0.0.1:${await freePort()}`
  const url = `http://127.0.0.1:${port}/webhooks/notes`
  for (const block of blocksOfMarkdown('docs/tutorial.md', page('docs/tutorial.md'))) {
    const name = /^\/\/ (\S+\.ts)\n/.exec(block.code)?.[1]
    if (name !== undefined) await writeFile(join(folder, name), block.code.replaceAll('3000', `${port}`))
  }

  // Without a terminal, `--yes` confirms the question, and `trigger` sends the event of the key `e`.
  const args = ['notewire', 'listen', '--yes', '--forward-to', url, '--base-url', baseUrl]
  await using listening = start('npx', args, folder)
  await listening.printed(/^Wrote .* to \.env/m)
  const node = (file: string) => run(process.execPath, ['--env-file=.env', file], folder)
  await using receiver = start(process.execPath, ['--env-file=.env', 'receiver.ts'], folder)
  await receiver.printed(/listening/)
  const printed = [await listening.printed(/204 +endpoint\.verification/)]
  await run(process.execPath, ['--env-file=.env', '--input-type=module', '--eval', WAIT_UNTIL_ACTIVE], folder)
  for (let notes = 0; notes < 2; notes += 1) {
    await run('npx', ['notewire', 'trigger', 'note.ended', '--base-url', baseUrl], folder)
  }
  printed.push(await receiver.printed(/note_\w+: \d+ characters/))
  printed.push(await run('npx', ['notewire', 'doctor', url], folder))
  printed.push(await node('read.ts'), await node('mirror.ts'), await node('mirror.ts'))
  return printed.join('')
}

// `listen` shows the verification before the service has received its answer.
const WAIT_UNTIL_ACTIVE = `
  import { NotesClient } from '@notewire/client'
  const { webhookEndpoints } = new NotesClient()
  for (const { endpoint_id } of await webhookEndpoints.list()) await webhookEndpoints.waitUntilActive(endpoint_id)
`

/** A service that a newcomer has started with `npx notewire mock`. */
interface NewcomersService extends AsyncDisposable {
  readonly baseUrl: string
  readonly apiKey: string
  register(url: string): Promise<Registered>
  /** Has the service send the verification again, by setting the URL that the endpoint has. */
  verifyAgain(endpoint: Registered): Promise<void>
}

interface Registered {
  readonly endpoint_id: string
  readonly url: string
  readonly signing_secret: string
}

async function startService(folder: string): Promise<NewcomersService> {
  const program: Program = start('npx', ['notewire', 'mock', '--notes', '3', '--port', '0'], folder)
  const printed = await program.printed(/API key +\S+/)
  const baseUrl = /Base URL +(\S+)/.exec(printed)?.[1] ?? ''
  const apiKey = /API key +(\S+)/.exec(printed)?.[1] ?? ''
  const ask = async (method: string, path: string, body: object): Promise<Registered> => {
    const headers = { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' }
    const answer = await fetch(`${baseUrl}/v1/webhook-endpoints${path}`, {
      method,
      headers,
      body: JSON.stringify(body),
    })
    if (!answer.ok) throw new Error(`${method} ${path} answered ${answer.status}`)
    return await answer.json()
  }
  return {
    baseUrl,
    apiKey,
    register: (url) => ask('POST', '', { url, events: ['note.ended', 'note.deleted'] }),
    async verifyAgain({ endpoint_id, url }) {
      await ask('PATCH', `/${endpoint_id}`, { url })
    },
    [Symbol.asyncDispose]: () => program[Symbol.asyncDispose](),
  }
}

function code(block: CodeBlock | undefined): string {
  if (block === undefined) throw new Error('the page has no such block')
  return block.code
}

function page(path: string): string {
  return readFileSync(join(WORKSPACE, path), 'utf8')
}

async function made(folder: string): Promise<string> {
  await mkdir(folder)
  return folder
}
