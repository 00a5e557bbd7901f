import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { environmentOutside } from '../../scripts/run.ts'

const PATIENCE_MS = 90_000

/** A program that goes on until it is stopped. */
export interface Program extends AsyncDisposable {
  /**
   * Resolves with everything that it has printed, once that has what is sought.
   *
   * @throws an error with the output if it ends without, or has not printed it within 90 s
   */
  printed(sought: RegExp): Promise<string>
}

/** Starts a program as a newcomer would, who has no tool of the workspace. */
export function start(
  program: string,
  args: readonly string[],
  folder: string,
  environment: Readonly<Record<string, string>> = {},
): Program {
  const env = { ...environmentOutside(), ...environment }
  // A group of its own, since npx starts another process.
  const child = spawn(program, args, { cwd: folder, env, detached: true, stdio: ['ignore', 'pipe', 'pipe'] })
  let output = ''
  let more = Promise.withResolvers<void>()
  const keep = (chunk: Buffer) => {
    output += chunk
    more.resolve()
    more = Promise.withResolvers()
  }
  for (const stream of [child.stdout, child.stderr]) stream.on('data', keep)
  const ended = once(child, 'close')
  return {
    async printed(sought) {
      const late = AbortSignal.timeout(PATIENCE_MS)
      const stopped = Promise.race([
        ended.then(() => 'ended'),
        once(late, 'abort').then(() => 'did not print it in time'),
      ])
      while (!sought.test(output)) {
        const reason = await Promise.race([more.promise, stopped])
        if (reason !== undefined && !sought.test(output)) {
          throw new Error(`${program} ${args.join(' ')}: ${reason}: ${sought}\n${output}`)
        }
      }
      return output
    },
    async [Symbol.asyncDispose]() {
      if (!hasEnded(child) && child.pid !== undefined) process.kill(-child.pid, 'SIGTERM')
      await ended
    },
  }
}

function hasEnded(child: ChildProcess): boolean {
  return child.exitCode !== null || child.signalCode !== null
}
