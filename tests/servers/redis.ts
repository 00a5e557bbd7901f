import type { ChildProcess } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { freePort } from './free-port.ts'
import { endServerProcess, startServerProcess } from './server-process.ts'

/** A Redis server for one test. */
export interface Redis {
  readonly url: string
  readonly port: number
  /** Kills the server with SIGKILL and starts it again on the same files. */
  crashAndRestart(): Promise<void>
  stop(): Promise<void>
  readonly [Symbol.asyncDispose]: () => Promise<void>
}

/**
 * Starts `redis-server` on a free port.
 *
 * @param durable  write every command to disk before the answer, so that a crash loses no acknowledged write
 */
export async function startRedis({ durable = false }: { readonly durable?: boolean } = {}): Promise<Redis> {
  const folder = await mkdtemp(join(tmpdir(), 'notewire-redis-'))
  const port = await freePort()
  const persistence = durable ? ['--appendonly', 'yes', '--appendfsync', 'always'] : ['--appendonly', 'no']
  const args = ['--port', String(port), '--bind', '127.0.0.1', '--dir', folder, '--save', '', ...persistence]
  const start = (): Promise<ChildProcess> => startServerProcess('redis-server', args, port)
  let server = await start()

  async function stop(): Promise<void> {
    await endServerProcess(server, 'SIGKILL')
    await rm(folder, { recursive: true, force: true })
  }
  return {
    url: `redis://127.0.0.1:${port}`,
    port,
    crashAndRestart: async () => {
      await endServerProcess(server, 'SIGKILL')
      server = await start()
    },
    stop,
    [Symbol.asyncDispose]: stop,
  }
}
