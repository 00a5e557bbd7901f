import { type ChildProcess, execFile, type SpawnOptions } from 'node:child_process'
import { chown, mkdtemp, open, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import pg from 'pg'
import { freePort } from './free-port.ts'
import { postgresTemplate } from './postgres-template.ts'
import { endServerProcess, SERVER_TIMEOUT_MS, startServerProcess } from './server-process.ts'
import { serverUser } from './server-user.ts'

const run = promisify(execFile)

/** The error code of PostgreSQL while it starts. */
const CANNOT_CONNECT_NOW = '57P03'

/** A PostgreSQL server for one test. */
export interface Postgres {
  /** The URL of the database `postgres`, for its superuser. */
  readonly url: string
  readonly port: number
  /** Creates an empty database. Returns its URL. */
  createDatabase(name: string): Promise<string>
  /** Kills the server with SIGKILL. */
  crash(): Promise<void>
  /** Starts the server again on the same files after a crash. */
  restart(): Promise<void>
  crashAndRestart(): Promise<void>
  stop(): Promise<void>
  readonly [Symbol.asyncDispose]: () => Promise<void>
}

/**
 * Starts PostgreSQL on a free port.
 *
 * @param durable  wait for the disk at each commit, as a server in production does
 */
export async function startPostgres({ durable = false }: { readonly durable?: boolean } = {}): Promise<Postgres> {
  const folder = await mkdtemp(join(tmpdir(), 'notewire-postgres-'))
  if (serverUser !== undefined) await chown(folder, serverUser.uid, serverUser.gid)
  // Outside of a test run, a server has a template of its own.
  const template = await postgresTemplate(process.env['TEST_FOLDER'] ?? folder)
  const port = await freePort()
  const urlOf = (database: string) => `postgres://postgres:postgres@127.0.0.1:${port}/${database}`
  const url = urlOf('postgres')

  const files = join(folder, 'files')
  const asServerUser = { ...serverUser, cwd: folder }
  // `cp` of node:fs does not keep the owner.
  await run('cp', ['-Rp', template.files, files])

  const settings = [
    'max_connections=200',
    'unix_socket_directories=',
    ...(durable ? [] : ['fsync=off', 'synchronous_commit=off']),
  ]
  const args = ['-D', files, '-p', String(port), ...settings.flatMap((setting) => ['-c', setting])]
  async function start(): Promise<ChildProcess> {
    const path = join(folder, 'log')
    const log = await open(path, 'w')
    try {
      // SIGKILL would leak the shared memory.
      const options: SpawnOptions = { ...asServerUser, killSignal: 'SIGINT', stdio: ['ignore', log.fd, log.fd] }
      const server = await startServerProcess(template.postgres, args, port, options)
      await acceptsQueries(url)
      return server
    } catch (cause) {
      throw new Error(`PostgreSQL did not start:\n${await readFile(path, 'utf8')}`, { cause })
    } finally {
      await log.close()
    }
  }
  let server = await start()

  async function stop(): Promise<void> {
    await endServerProcess(server, 'SIGINT')
    await rm(folder, { recursive: true, force: true })
  }
  async function crash(): Promise<void> {
    await endServerProcess(server, 'SIGKILL')
  }
  async function restart(): Promise<void> {
    server = await untilStarted(start)
  }
  return {
    url,
    port,
    createDatabase: async (name) => {
      await query(url, `create database ${pg.escapeIdentifier(name)}`)
      return urlOf(name)
    },
    crash,
    restart,
    crashAndRestart: async () => {
      await crash()
      await restart()
    },
    stop,
    [Symbol.asyncDispose]: stop,
  }
}

async function query(url: string, sql: string): Promise<void> {
  const client = new pg.Client(url)
  await client.connect()
  await client.query(sql)
  await client.end()
}

/** Waits for the first successful query: the server listens before it has read its files. */
async function acceptsQueries(url: string): Promise<void> {
  const giveUpAt = Date.now() + SERVER_TIMEOUT_MS
  for (;;) {
    try {
      return await query(url, 'select 1')
    } catch (error) {
      const isStarting = error instanceof pg.DatabaseError && error.code === CANNOT_CONNECT_NOW
      if (!isStarting || Date.now() > giveUpAt) throw error
      await sleep(20)
    }
  }
}

// The children of a killed server end a moment later. Until then their shared memory prevents the start of a new server.
async function untilStarted(start: () => Promise<ChildProcess>): Promise<ChildProcess> {
  const giveUpAt = Date.now() + SERVER_TIMEOUT_MS
  for (;;) {
    try {
      return await start()
    } catch (error) {
      if (Date.now() > giveUpAt) throw error
      await sleep(100)
    }
  }
}
