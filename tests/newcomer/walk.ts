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
  const here = code(receiver).replace('.listen(3000)', `.listen(${port}, () => console.log('listening'))`)
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
  await using service = await startService(folder)
  const port = await freePort()
  const local = (text: string) =>
    text.replaceAll('http://127.0.0.1:4010', service.baseUrl).replaceAll('3000', `${port}`)
  const blocks = blocksOfMarkdown('docs/tutorial.md', page('docs/tutorial.md'))
  const environment = blocks.find(({ language }) => language === 'ini')
  await writeFile(join(folder, '.env'), local(code(environment)))
  for (const block of blocks.filter(({ language }) => language === 'ts')) {
    const name = /^\/\/ (\S+\.ts)\n/.exec(block.code)?.[1] ?? ''
    await writeFile(join(folder, name), local(block.code))
  }

  const node = (file: string) => run(process.execPath, ['--env-file=.env', file], folder)
  await using receiver = start(process.execPath, ['--env-file=.env', 'receiver.ts'], folder)
  await receiver.printed(/listening/)
  const printed = [await node('register.ts')]
  printed.push(await run('npx', ['notewire', 'trigger', 'note.ended', '--base-url', service.baseUrl], folder))
  printed.push(await receiver.printed(/has ended: \d+ characters/))
  printed.push(await run('npx', ['notewire', 'doctor', local('http://127.0.0.1:3000/webhooks/notes')], folder))
  printed.push(await node('read.ts'), await node('mirror.ts'), await node('mirror.ts'))
  return printed.join('')
}

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
