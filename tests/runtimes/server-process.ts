import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import type { Runtime } from './runtimes.ts'

/** A server in a process of its own. */
export interface ServerProcess extends AsyncDisposable {
  readonly url: string
}

/**
 * Starts a file that is a server, and waits until it prints where it listens.
 *
 * @throws an error with all that it printed, when it ends instead
 */
export async function startServer(
  { program, args }: Runtime,
  folder: string,
  file: string,
  environment: Readonly<Record<string, string>>,
): Promise<ServerProcess> {
  const env = { ...process.env, ...environment, PORT: '0' }
  // A process group of its own: `deno` of npm is a script that starts Deno, and would leave it behind.
  const server = spawn(program, [...args, file], { cwd: folder, env, detached: true })
  const url = await addressPrintedBy(server)
  return {
    url,
    async [Symbol.asyncDispose]() {
      const closed = once(server, 'close')
      if (server.pid !== undefined) process.kill(-server.pid)
      await closed
    },
  }
}

function addressPrintedBy(server: ChildProcess): Promise<string> {
  let printed = ''
  return new Promise((resolve, reject) => {
    const read = (text: Buffer) => {
      printed += text
      const url = /listening at (\S+)\s/.exec(printed)?.[1]
      if (url !== undefined) resolve(url)
    }
    server.stdout?.on('data', read)
    server.stderr?.on('data', read)
    server.once('error', reject)
    server.once('exit', (status) => reject(new Error(`the server ended with status ${status}:\n${printed}`)))
  })
}
