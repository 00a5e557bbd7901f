import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'

/** A program of this folder that runs as a separate process, so that its processor time can be measured. */
export interface StartedProgram<Message> {
  /** The first message of the program. */
  readonly firstMessage: Message
  readonly process: ChildProcess
}

/** Starts a program and waits for its first message. It must end when its channel closes, which happens when this process ends. */
export async function startProgram<Message>(
  file: string,
  ...args: readonly string[]
): Promise<StartedProgram<Message>> {
  return await firstMessageOf(fork(join(import.meta.dirname, file), args))
}

/** The same with a limit for the heap of V8, which otherwise lets garbage grow as long as there is memory. */
export async function startInHeap<Message>(
  megabytes: number,
  file: string,
  ...args: readonly string[]
): Promise<StartedProgram<Message>> {
  const execArgv = [...process.execArgv, `--max-old-space-size=${megabytes}`]
  return await firstMessageOf(fork(join(import.meta.dirname, file), args, { execArgv }))
}

async function firstMessageOf<Message>(child: ChildProcess): Promise<StartedProgram<Message>> {
  return { firstMessage: await nextMessage<Message>(child), process: child }
}

/** Sends a message to a program and waits for its answer. */
export async function askProgram<Answer>(program: ChildProcess, question: object | string | number): Promise<Answer> {
  const answer = nextMessage<Answer>(program)
  program.send(question)
  return await answer
}

async function nextMessage<Message>(program: ChildProcess): Promise<Message> {
  const done = new AbortController()
  const ended = once(program, 'exit', done).then(([status]) => {
    throw new Error(`${program.spawnargs.slice(-2).join(' ')} ended with status ${status} before its first message`)
  })
  try {
    const [firstMessage] = await Promise.race([once(program, 'message', done), ended])
    return firstMessage
  } finally {
    done.abort()
  }
}
