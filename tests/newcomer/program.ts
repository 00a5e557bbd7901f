import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { environmentOutside } from '../../scripts/run.ts'

/** A program that goes on until it is stopped. */
export interface Program extends AsyncDisposable {
  /** Resolves with everything that it has printed, once that has what is sought; rejects when it ends without. */
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
      while (!sought.test(output)) {
        const closed = await Promise.race([more.promise.then(() => false), ended.then(() => true)])
        if (closed && !sought.test(output)) throw new Error(`${program} ${args.join(' ')} ended:\n${output}`)
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
