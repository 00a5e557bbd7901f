import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'

const NEXT = fileURLToPath(import.meta.resolve('next/dist/bin/next'))
const PROJECT = fileURLToPath(new URL('..', import.meta.url))
const TIMEOUT_MS = 20_000

/** The built application, running. */
export interface NextServer {
  readonly url: string
  /** Resolves with the match when the application has printed it. */
  readonly printed: (pattern: RegExp) => Promise<string>
  readonly stop: (signal?: NodeJS.Signals) => Promise<void>
}

/** Builds the application like a build server, without a secret. Returns everything that the build has printed. */
export async function build(): Promise<string> {
  const { NOTES_SIGNING_SECRET: _unknown, ...environment } = process.env
  const { child, output } = run(['build'], environment)
  await once(child, 'close')
  if (child.exitCode !== 0) throw new Error(`next build failed:\n${output()}`)
  return output()
}

/** Starts the built application, on a free port. */
export async function start(environment: Readonly<Record<string, string>>): Promise<NextServer> {
  const { child, printed } = run(['start', '--hostname', '127.0.0.1', '--port', '0'], {
    ...process.env,
    ...environment,
  })
  const stop = async (signal?: NodeJS.Signals) => {
    const closed = once(child, 'close')
    child.kill(signal)
    await closed
  }
  const url = await printed(/http:\/\/127\.0\.0\.1:[1-9]\d*/)
  await printed(/Ready in/)
  return { url, printed, stop }
}

function run(args: readonly string[], environment: NodeJS.ProcessEnv) {
  const env = { ...environment, NEXT_TELEMETRY_DISABLED: '1', NODE_ENV: 'production' } as const
  const child = spawn(process.execPath, [NEXT, ...args], { cwd: PROJECT, env, stdio: ['ignore', 'pipe', 'pipe'] })
  // If the tests fail, the application does not keep running.
  process.once('exit', () => child.kill())
  let output = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text) => {
      output += text
    })
  }
  const printed = async (pattern: RegExp) => {
    for (let waitedMs = 0; waitedMs < TIMEOUT_MS && child.exitCode === null; waitedMs += 50) {
      const found = pattern.exec(output)
      if (found !== null) return found[0]
      await sleep(50)
    }
    throw new Error(`next has not printed ${pattern}, but:\n${output}`)
  }
  return { child, output: () => output, printed }
}
