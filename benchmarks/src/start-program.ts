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
  return { said: await nextMessage<Said>(child), process: child }
}

/** Tells a program something and waits for its answer. */
export async function askProgram<Answer>(program: ChildProcess, question: object | string): Promise<Answer> {
  const answer = nextMessage<Answer>(program)
  program.send(question)
  return await answer
}

async function nextMessage<Said>(program: ChildProcess): Promise<Said> {
  const done = new AbortController()
  const ended = once(program, 'exit', done).then(([status]) => {
    throw new Error(`${program.spawnargs.slice(-2).join(' ')} ended with status ${status} before it said anything`)
  })
  try {
    const [said] = await Promise.race([once(program, 'message', done), ended])
    return said
  } finally {
    done.abort()
  }
}
