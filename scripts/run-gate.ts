import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { delimiter, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Gate } from './gates.ts'
import { WORKSPACE } from './run.ts'

/** How a gate ended. */
export interface GateEnd {
  readonly gate: Gate
  readonly seconds: number
  /** Why it did not pass; `undefined` if it passed. */
  readonly failure: string | undefined
}

/** Within this time after SIGTERM, Vitest names the tests that are running. */
const LAST_WORDS_MS = 3_000

/**
 * Runs the command of a gate. Stops it, with all its descendants, at its limit.
 *
 * @param output  where it prints: a file descriptor, or `inherit`
 * @param stop  stops it earlier
 */
export async function runGate(gate: Gate, output: number | 'inherit', stop?: AbortSignal): Promise<GateEnd> {
  const began = performance.now()
  const PATH = [join(WORKSPACE, 'node_modules/.bin'), process.env['PATH']].join(delimiter)
  const program = spawn(gate.command, {
    shell: true,
    cwd: WORKSPACE,
    env: { ...process.env, PATH },
    stdio: ['ignore', output, output],
  })
  const limit = AbortSignal.timeout(gate.limitSeconds * 1_000)
  const mustEnd = stop === undefined ? limit : AbortSignal.any([limit, stop])
  let ending: Promise<void> | undefined
  const end = () => {
    ending = endTree(program.pid)
  }
  mustEnd.addEventListener('abort', end)
  const [status, signal] = await once(program, 'exit')
  mustEnd.removeEventListener('abort', end)
  await ending
  return { gate, seconds: (performance.now() - began) / 1_000, failure: failureOf() }

  function failureOf(): string | undefined {
    if (stop?.aborted) return 'it was stopped, because another gate failed'
    if (limit.aborted) return `it exceeded its limit of ${gate.limitSeconds} s and was stopped`
    return status === 0 ? undefined : `exit status ${status ?? signal}`
  }
}

/** Ends a process and its descendants, including those with process groups of their own. */
async function endTree(root: number | undefined): Promise<void> {
  if (root === undefined) return
  const tree = treeOf(root)
  send('SIGTERM', tree)
  await sleep(LAST_WORDS_MS)
  send('SIGKILL', [...tree, ...tree.flatMap(treeOf)])
}

function treeOf(root: number): readonly number[] {
  const rows = execFileSync('ps', ['-A', '-o', 'pid=,ppid='], { encoding: 'utf8' })
    .trim()
    .split('\n')
    .map((row) => row.trim().split(/ +/).map(Number))
  const tree = [root]
  for (const parent of tree) for (const [pid = 0, parentPid] of rows) if (parentPid === parent) tree.push(pid)
  return tree
}

function send(signal: 'SIGTERM' | 'SIGKILL', processes: readonly number[]): void {
  for (const pid of processes) {
    try {
      process.kill(pid, signal)
    } catch {
      // It has ended.
    }
  }
}
