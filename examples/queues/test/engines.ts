import { Queue } from 'bullmq'
import { Redis } from 'ioredis'
import { startPostgres, startRedis } from 'notewire-test-servers'
import { Client } from 'pg'
import { PgBoss } from 'pg-boss'

/** A queue engine on a real server, and the names of its programs. */
export interface Engine {
  readonly program: string
  readonly deadLetters: string
  /** The address of the server, for the programs. */
  readonly settings: Readonly<Record<string, string>>
  /** Adds a job with one attempt, as any program could that reaches the queue. */
  add(job: object): Promise<unknown>
  /** All that the engine keeps of its jobs, as text. */
  kept(): Promise<string>
  /** Lets the store of the workers fail for a note, until the returned function is called. */
  breakStore(noteId: string): Promise<() => Promise<unknown>>
  crashAndRestart(): Promise<unknown>
  stop(): Promise<void>
  close(): Promise<void>
}

export async function startBullmq(): Promise<Engine> {
  const server = await startRedis({ durable: true })
  const queue = new Queue('notes', { connection: { url: server.url } })
  const redis = new Redis(server.url)
  // A test stops the server.
  for (const each of [queue, redis]) each.on('error', () => undefined)
  return {
    program: 'bullmq.ts',
    deadLetters: 'bullmq-dead-letters.ts',
    settings: { REDIS_URL: server.url },
    add: (job) => queue.add('note.ended', job, { attempts: 1 }),
    kept: async () => JSON.stringify((await queue.getJobs()).map((job) => job.asJSON())),
    async breakStore(noteId) {
      // The script of the store fails at a key of another type.
      const key = `{notewire:default}:note:${noteId}`
      await redis.rpush(key, 'not a note')
      return () => redis.del(key)
    },
    crashAndRestart: () => server.crashAndRestart(),
    stop: () => server.stop(),
    async close() {
      queue.disconnect().catch(() => undefined)
      redis.disconnect()
      await server.stop()
    },
  }
}

export async function startPgBoss(): Promise<Engine> {
  const server = await startPostgres({ durable: true })
  const boss = new PgBoss(server.url)
  // A test stops the server.
  boss.on('error', () => undefined)
  await boss.start()
  const query = async (text: string) => {
    const client = new Client(server.url)
    await client.connect()
    try {
      return (await client.query(text)).rows
    } finally {
      await client.end()
    }
  }
  return {
    program: 'pg-boss.ts',
    deadLetters: 'pg-boss-dead-letters.ts',
    settings: { DATABASE_URL: server.url },
    add: (job) => boss.send('notes', job, { retryLimit: 0 }),
    kept: async () => JSON.stringify(await query('SELECT * FROM pgboss.job')),
    async breakStore() {
      await query('ALTER TABLE notewire_notes RENAME TO away')
      return () => query('ALTER TABLE away RENAME TO notewire_notes')
    },
    crashAndRestart: () => server.crashAndRestart(),
    stop: () => server.stop(),
    async close() {
      await boss.stop({ graceful: false }).catch(() => undefined)
      await server.stop()
    },
  }
}
