import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'

const NEXT = fileURLToPath(import.meta.resolve('next/dist/bin/next'))
const PROJECT = fileURLToPath(new URL('..', import.meta.url))
const TIMEOUT_MS = 120_000

/** The built application, running. */
export interface NextServer extends AsyncDisposable {
  /** Everything that it has printed. */
  readonly output: () => string
}

/** Builds the application like a build server, without a database or a secret. */
export async function build(): Promise<void> {
  const { child, output } = run(['build'], {})
  await once(child, 'close')
  if (child.exitCode !== 0) throw new Error(`next build failed:\n${output()}`)
}

/** Starts the built application. */
export async function start(port: number, environment: Readonly<Record<string, string>>): Promise<NextServer> {
  const { child, output } = run(['start', '--hostname', '127.0.0.1', '--port', String(port)], environment)
  for (let waitedMs = 0; !output().includes('Ready in'); waitedMs += 50) {
    if (waitedMs > TIMEOUT_MS || child.exitCode !== null) throw new Error(`next did not start:\n${output()}`)
    await sleep(50)
  }
  return {
    output,
    async [Symbol.asyncDispose]() {
      const closed = once(child, 'close')
      child.kill()
      await closed
    },
  }
}

function run(args: readonly string[], environment: Readonly<Record<string, string>>) {
  const env = { ...process.env, ...environment, NEXT_TELEMETRY_DISABLED: '1', NODE_ENV: 'production' } as const
  const child = spawn(process.execPath, [NEXT, ...args], { cwd: PROJECT, env, stdio: ['ignore', 'pipe', 'pipe'] })
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
