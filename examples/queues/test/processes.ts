import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'

export const SECRET = 'whsec_dGhlIHNlY3JldCBvZiBhIHRlc3QsIGFuZCBubyBvdGhlcg'

/** A program of `src`, and the lines that it has printed. */
export interface Program {
  readonly lines: readonly string[]
  /** Resolves with its exit code. */
  readonly ended: Promise<number | null>
  end(signal: 'SIGKILL' | 'SIGTERM'): Promise<void>
}

const running = new Set<Program>()

export function start(program: string, args: readonly string[], settings: Readonly<Record<string, string>>): Program {
  const env = { ...process.env, NOTES_SIGNING_SECRET: SECRET, ...settings }
  const path = join(import.meta.dirname, '../src', program)
  const stdio = ['ignore', 'pipe', process.env['SHOW_ERRORS'] ? 'inherit' : 'ignore'] as const
  const child: ChildProcess = spawn(process.execPath, [...process.execArgv, path, ...args], { env, stdio: [...stdio] })
  const lines: string[] = []
  if (child.stdout) createInterface({ input: child.stdout }).on('line', (line) => lines.push(line))
  const ended = once(child, 'close').then(([code]): number | null => {
    running.delete(started)
    return code
  })
  const end = async (signal: 'SIGKILL' | 'SIGTERM') => {
    child.kill(signal)
    await ended
  }
  const started = { lines, ended, end }
  running.add(started)
  return started
}

export async function killAll(): Promise<void> {
  await Promise.all([...running].map((program) => program.end('SIGKILL')))
}

/** Repeats a check until it is true. */
export async function eventually(what: string, check: () => boolean | Promise<boolean>): Promise<void> {
  for (const giveUpAt = Date.now() + 150_000; !(await check()); await sleep(100)) {
    if (Date.now() > giveUpAt) throw new Error(`not within 150 s: ${what}`)
  }
}
