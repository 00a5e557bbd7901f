import { type ChildProcess, execFile, type SpawnOptions } from 'node:child_process'
import { mkdtemp, open, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import pg from 'pg'
import { freePort } from './free-port.ts'
import { postgresPrograms } from './postgres-programs.ts'
import { endServerProcess, PATIENCE_MS, startServerProcess } from './server-process.ts'
import { serverUser } from './server-user.ts'

const run = promisify(execFile)

/** What PostgreSQL answers while it starts. */
const CANNOT_CONNECT_NOW = '57P03'

/** A PostgreSQL server of one test's own. */
export interface Postgres {
  /** Of the database `postgres`, as its superuser. */
  readonly url: string
  readonly port: number
  /** Makes an empty database and gives its URL. */
  createDatabase(name: string): Promise<string>
  /** Ends all its processes by SIGKILL and starts it again on the same files. */
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
  const { initdb, postgres } = await postgresPrograms(folder)
  const port = await freePort()
  const urlOf = (database: string) => `postgres://postgres:postgres@127.0.0.1:${port}/${database}`
  const url = urlOf('postgres')

  const files = join(folder, 'files')
  const asServerUser = { ...serverUser, cwd: folder }
  const initially = ['--username=postgres', '--auth=trust', '--encoding=UTF8', '--lc-messages=C', '--no-sync']
  await run(initdb, [`--pgdata=${files}`, ...initially], asServerUser)

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
      // At SIGKILL its shared memory would stay behind.
      const options: SpawnOptions = { ...asServerUser, killSignal: 'SIGINT', stdio: ['ignore', log.fd, log.fd] }
      const server = await startServerProcess(postgres, args, port, options)
      await takesQueries(url)
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
  return {
    url,
    port,
    createDatabase: async (name) => {
      await query(url, `create database ${pg.escapeIdentifier(name)}`)
      return urlOf(name)
    },
    crashAndRestart: async () => {
      await endServerProcess(server, 'SIGKILL')
      server = await untilStarted(start)
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

/** It listens before it has read its files. */
async function takesQueries(url: string): Promise<void> {
  const giveUpAt = Date.now() + PATIENCE_MS
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

// Its children notice within moments that it is gone; until they have ended, their memory keeps a new server from starting.
async function untilStarted(start: () => Promise<ChildProcess>): Promise<ChildProcess> {
  const giveUpAt = Date.now() + PATIENCE_MS
  for (;;) {
    try {
      return await start()
    } catch (error) {
      if (Date.now() > giveUpAt) throw error
      await sleep(100)
    }
  }
}
