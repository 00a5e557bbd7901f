import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'

/** A program of this folder that runs as a process of its own, so that its processor time is nobody else's. */
export interface StartedProgram<Said> {
  /** The first thing that it said. */
  readonly said: Said
  readonly process: ChildProcess
}

/** Starts a program and waits until it says something. It must end when its channel closes, as it does with this process. */
export async function startProgram<Said>(file: string, ...args: readonly string[]): Promise<StartedProgram<Said>> {
  const child = fork(join(import.meta.dirname, file), args)
  const ended = once(child, 'exit').then(([status]) => {
    throw new Error(`${file} ${args[0] ?? ''} ended with status ${status} before it said anything`)
  })
  const [said] = await Promise.race([once(child, 'message'), ended])
  return { said, process: child }
}
