import { type ChildProcess, type SpawnOptions, spawn } from 'node:child_process'
import { once } from 'node:events'
import { connect } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'

/** The limit for a server that hangs. Long, because the machine may be slow. */
export const SERVER_TIMEOUT_MS = 60_000

/** Starts a server and resolves when it listens. It ends with this process, by `killSignal` or SIGKILL. */
export async function startServerProcess(
  program: string,
  args: readonly string[],
  port: number,
  options: SpawnOptions = {},
): Promise<ChildProcess> {
  // Debian installs servers in `/usr/sbin`, which is not in the PATH of a user.
  const env = { ...process.env, PATH: `${process.env['PATH']}:/usr/sbin` }
  const server = spawn(program, args, { stdio: 'ignore', ...options, env })
  const kill = () => server.kill(options.killSignal ?? 'SIGKILL')
  process.on('exit', kill)
  server.on('exit', () => process.off('exit', kill))
  const failed = once(server, 'error').then(([error]) => {
    throw notInstalled(program, error)
  })
  await Promise.race([listening(server, port), failed])
  return server
}

/** Sends a signal to a server, and resolves when it has ended. */
export async function endServerProcess(server: ChildProcess, signal: 'SIGTERM' | 'SIGINT' | 'SIGKILL'): Promise<void> {
  if (server.exitCode !== null || server.signalCode !== null) return
  const gone = once(server, 'exit')
  server.kill(signal)
  await gone
}

/** The error for a program that could not be started. */
export function notInstalled(program: string, cause: unknown): Error {
  const install = 'Install it: apt-get install -y redis-server pgbouncer mariadb-server'
  return new Error(`${program} did not start. ${install}`, { cause })
}

async function listening(server: ChildProcess, port: number): Promise<void> {
  const giveUpAt = Date.now() + SERVER_TIMEOUT_MS
  while (!(await accepts(port))) {
    if (server.exitCode !== null) throw new Error(`${server.spawnfile} ended with code ${server.exitCode}`)
    if (Date.now() > giveUpAt) throw new Error(`${server.spawnfile} does not listen after ${SERVER_TIMEOUT_MS} ms`)
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
