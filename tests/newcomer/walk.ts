import { readFileSync } from 'node:fs'
import { mkdir, rm, writeFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import type { PackedPackage } from '../../scripts/pack-packages.ts'
import { run, WORKSPACE } from '../../scripts/run.ts'
import { blocksOfMarkdown } from '../docs/code-blocks.ts'
import { freePort } from '../servers/free-port.ts'
import { start } from './program.ts'

/** Makes a folder in which a newcomer has installed what a page says, and nothing else: our packages from their tarballs, the rest from npm. */
export async function installAsNewcomer(folder: string, path: string, packed: readonly PackedPackage[]): Promise<void> {
  const tarballs = Object.fromEntries(packed.map(({ name, tarball }) => [name, `file:${tarball}`]))
  const named = /^npm install (.+)$/m.exec(page(path))?.[1]?.split(' ') ?? []
  const ours = named.flatMap((name) => (tarballs[name] === undefined ? [] : [[name, tarballs[name]]]))
  if (ours.length === 0) throw new Error(`${path} installs none of our packages`)
  // A repeated test finds the folder of its first attempt.
  await rm(folder, { recursive: true, force: true })
  await mkdir(folder)
  const manifest = { private: true, type: 'module', dependencies: Object.fromEntries(ours), overrides: tarballs }
  await writeFile(join(folder, 'package.json'), JSON.stringify(manifest))
  const others = named.filter((name) => tarballs[name] === undefined)
  await run('npm', ['install', '--no-audit', '--no-fund', '--prefer-offline', ...others], folder)
}

/**
 * Runs the receiver and the sync of the README with the `.env` that `listen` writes, and checks the receiver.
 *
 * @returns what the programs printed
 */
export async function followReadme(folder: string): Promise<string> {
  await using steps = await startReceiver(folder, 'README.md')
  const received = await steps.endNote(/note_\w+ \S/)
  return [received, await steps.startAgain(), await steps.node('sync.ts'), await steps.checkReceiver()].join('')
}

/**
 * Writes the files of the tutorial and runs its commands, in their order.
 *
 * @returns what the programs printed
 */
export async function followTutorial(folder: string): Promise<string> {
  await using steps = await startReceiver(folder, 'docs/tutorial.md')
  await steps.endNote(/note_\w+ \S/)
  const received = await steps.endNote(/(^note_\w+ .*){2}/ms)
  const checked = await steps.checkReceiver()
  const read = await steps.node('read.ts')
  return [received, checked, read, await steps.node('mirror.ts'), await steps.node('mirror.ts')].join('')
}

/**
 * Runs the program of the page on new transcripts.
 *
 * @returns what it printed
 */
export async function followNewTranscripts(folder: string): Promise<string> {
  await using steps = await startReceiver(folder, 'docs/mirror/new-transcripts.md', { file: 'new-transcripts.ts' })
  return await steps.endNote(/^transcript of note_\w+$/m)
}

/**
 * Runs the program of the page on transactions with an empty database.
 *
 * @returns the rows of its table, as JSON
 */
export async function followExactlyOnce(folder: string, databaseUrl: string): Promise<string> {
  const environment = { DATABASE_URL: databaseUrl }
  await using steps = await startReceiver(folder, 'docs/receiving/exactly-once.md', { environment })
  await steps.endNote(/listening/)
  return await run(process.execPath, ['--input-type=module', '--eval', PRINT_COPIES], folder, environment)
}

interface Steps extends AsyncDisposable {
  /** Has the service end a note. @returns what the receiver has printed, once that has what is sought */
  endNote(sought: RegExp): Promise<string>
  /** Starts the receiver a second time, on the same port. @returns how it failed */
  startAgain(): Promise<string>
  /** Runs `notewire doctor`. */
  checkReceiver(): Promise<string>
  /** Runs a file of the page with the `.env`. */
  node(file: string): Promise<string>
}

interface ReceiverProgram {
  readonly file?: string
  readonly environment?: Readonly<Record<string, string>>
}

/** Writes the files of a page, starts `listen` and the receiver, and waits until the endpoint is active. */
async function startReceiver(
  folder: string,
  path: string,
  { file: program = 'receiver.ts', environment = {} }: ReceiverProgram = {},
): Promise<Steps> {
  const port = await freePort()
  const baseUrl = `http://127.0.0.1:${await freePort()}`
  const url = `http://localhost:${port}/webhooks/notes`
  for (const { code } of blocksOfMarkdown(path, page(path))) {
    const name = /^\/\/ (\S+\.ts)\n/.exec(code)?.[1]
    if (name !== undefined) await writeFile(join(folder, basename(name)), code.replaceAll('3000', `${port}`))
  }

  const programs = new AsyncDisposableStack()
  // Without a terminal, `--yes` confirms the question, and `trigger` sends the event of the key `e`.
  const args = ['notewire', 'listen', '--yes', '--forward-to', url, '--base-url', baseUrl]
  const listening = programs.use(start('npx', args, folder))
  await listening.printed(/^Wrote .* to \.env/m)
  const receiver = programs.use(start(process.execPath, ['--env-file=.env', program], folder, environment))
  await receiver.printed(/listening/)
  await listening.printed(/204 +endpoint\.verification/)
  await run(process.execPath, ['--env-file=.env', '--input-type=module', '--eval', WAIT_UNTIL_ACTIVE], folder)
  return {
    async endNote(sought) {
      await run('npx', ['notewire', 'trigger', 'note.ended', '--base-url', baseUrl], folder)
      return await receiver.printed(sought)
    },
    startAgain: () => run(process.execPath, ['--env-file=.env', 'receiver.ts'], folder).catch(String),
    checkReceiver: () => run('npx', ['notewire', 'doctor', url], folder),
    node: (file) => run(process.execPath, ['--env-file=.env', file], folder),
    [Symbol.asyncDispose]: () => programs.disposeAsync(),
  }
}

// `listen` shows the verification before the service has received its answer.
const WAIT_UNTIL_ACTIVE = `
  import { NotesClient } from '@notewire/client'
  const { webhookEndpoints } = new NotesClient()
  for (const { endpoint_id } of await webhookEndpoints.list()) await webhookEndpoints.waitUntilActive(endpoint_id)
`

// The receiver prints nothing about a note.
const PRINT_COPIES = `
  import { setTimeout } from 'node:timers/promises'
  import { Pool } from 'pg'
  const pool = new Pool({ connectionString: process.env.DATABASE_URL })
  for (let attempt = 0; attempt < 600; attempt += 1) {
    const { rows } = await pool.query('SELECT * FROM copies')
    if (rows.length > 0) console.log(JSON.stringify(rows))
    if (rows.length > 0) break
    await setTimeout(100)
  }
  await pool.end()
`

function page(path: string): string {
  return readFileSync(join(WORKSPACE, path), 'utf8')
}
