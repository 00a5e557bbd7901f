import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'

const PROJECT = fileURLToPath(new URL('..', import.meta.url))
const VITE = fileURLToPath(new URL('bin/vite.js', import.meta.resolve('vite/package.json')))
const TIMEOUT_MS = 20_000

/** The built application, running. */
export interface BuiltServer {
  readonly url: string
  /** Resolves with everything that the application has printed, when it matches. */
  readonly printed: (pattern: RegExp) => Promise<string>
  readonly stop: () => Promise<void>
}

/** Builds the application like a build server, without a secret. */
export async function build(): Promise<void> {
  const { NOTES_SIGNING_SECRET: _unknown, ...environment } = process.env
  const { child, output } = run([VITE, 'build'], environment)
  await once(child, 'close')
  if (child.exitCode !== 0) throw new Error(`vite build failed:\n${output()}`)
}

/** Starts the built application on a free port. */
export async function start(environment: Readonly<Record<string, string>>): Promise<BuiltServer> {
  const free = { HOST: '127.0.0.1', PORT: '0' }
  const { child, output } = run(['build/index.js'], { ...process.env, ...free, ...environment })
  const printed = (pattern: RegExp) => outputWith(pattern, child, output)
  const url = /http:\S+/.exec(await printed(/Listening on http:\S+\n/))?.[0] ?? ''
  const stop = async () => {
    const closed = once(child, 'close')
    child.kill()
    await closed
  }
  return { url, printed, stop }
}

function run(args: readonly string[], environment: NodeJS.ProcessEnv) {
  const env = { ...environment, NODE_ENV: 'production' } as const
  const child = spawn(process.execPath, args, { cwd: PROJECT, env, stdio: ['ignore', 'pipe', 'pipe'] })
  // If the tests fail, the application does not keep running.
  process.once('exit', () => child.kill())
  let output = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text) => {
      output += text
    })
  }
  return { child, output: () => output }
}

async function outputWith(pattern: RegExp, child: ChildProcess, output: () => string): Promise<string> {
  for (let waitedMs = 0; waitedMs < TIMEOUT_MS && child.exitCode === null; waitedMs += 20) {
    if (pattern.test(output())) return output()
    await sleep(20)
  }
  throw new Error(`the application has not printed ${pattern}, but:\n${output()}`)
}
