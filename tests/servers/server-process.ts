import { type ChildProcess, type SpawnOptions, spawn } from 'node:child_process'
import { once } from 'node:events'
import { connect } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'

/** Generous: this is a limit against servers that hang, not against slow machines. */
export const PATIENCE_MS = 60_000

/** Starts a server and resolves when it listens. It ends with this process, by `killSignal` or else SIGKILL. */
export async function startServerProcess(
  program: string,
  args: readonly string[],
  port: number,
  options: SpawnOptions = {},
): Promise<ChildProcess> {
  // Debian keeps servers where a user's path does not lead.
  const env = { ...process.env, PATH: `${process.env['PATH']}:/usr/sbin` }
  const server = spawn(program, args, { stdio: 'ignore', ...options, env })
  const kill = () => server.kill(options.killSignal ?? 'SIGKILL')
  process.on('exit', kill)
  server.on('exit', () => process.off('exit', kill))
  const failed = once(server, 'error').then(([error]) => {
    throw new Error(`${program} did not start. Install it: apt-get install -y redis-server pgbouncer`, { cause: error })
  })
  await Promise.race([listening(server, port), failed])
  return server
}

/** Ends a server by a signal, and resolves when it is gone. */
export async function endServerProcess(server: ChildProcess, signal: 'SIGTERM' | 'SIGINT' | 'SIGKILL'): Promise<void> {
  if (server.exitCode !== null || server.signalCode !== null) return
  const gone = once(server, 'exit')
  server.kill(signal)
  await gone
}

async function listening(server: ChildProcess, port: number): Promise<void> {
  const giveUpAt = Date.now() + PATIENCE_MS
  while (!(await accepts(port))) {
    if (server.exitCode !== null) throw new Error(`${server.spawnfile} ended with code ${server.exitCode}`)
    if (Date.now() > giveUpAt) throw new Error(`${server.spawnfile} does not listen after ${PATIENCE_MS} ms`)
    await sleep(20)
  }
}

function accepts(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1')
    const answer = (open: boolean) => {
      socket.destroy()
      resolve(open)
    }
    socket.on('connect', () => answer(true)).on('error', () => answer(false))
  })
}
