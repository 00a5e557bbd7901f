import { deepStrictEqual } from 'node:assert'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { MirrorStore } from '@notewire/mirror'
import { postgresMirror } from '@notewire/mirror/postgres'
import { sqliteMirror } from '@notewire/mirror/sqlite'
import { postgresStore } from '@notewire/webhooks/postgres'
import { redisStore } from '@notewire/webhooks/redis'
import { sqliteStore } from '@notewire/webhooks/sqlite'
import { startPostgres, startRedis } from '../servers/index.ts'
import { openPool } from '../servers/test-databases.ts'
import type { KeptNote } from './kept-notes.ts'
import { type MirrorReads, readMirror } from './mirror-reads.ts'
import { copyMirrors, type MirrorStory, tellMirrorStory } from './mirror-story.ts'
import { dumpPostgres, FROZEN_SEARCH_PATH, freezeClock, type Pool, recordingConnection } from './postgres-tables.ts'
import { type Answered, ask, FROZEN_AT, QUESTIONS, tellReceiverStory } from './receiver-story.ts'
import { atFrozenTime, connectRedis, dumpRedis, type RedisClient } from './redis-keys.ts'
import { dumpSqlite, recordingDriver } from './sqlite-tables.ts'

/** The mirrors of a database, and the time at which they were read. */
export interface FrozenMirrors {
  readonly at: number
  readonly mirrors: readonly FrozenMirror[]
}

/** A mirror, what could be read from it, and the notes of the service that it goes on with. */
export interface FrozenMirror {
  readonly integration: string
  readonly service: readonly KeptNote[]
  readonly noteIds: readonly string[]
  readonly reads: MirrorReads
}

/** What this version leaves in each database, and what it answers: the text of each file by its name. */
export async function freezeTables(): Promise<ReadonlyMap<string, string>> {
  await using cleanUp = new AsyncDisposableStack()
  const folder = await mkdtemp(join(tmpdir(), 'notewire-tables-'))
  cleanUp.defer(() => rm(folder, { recursive: true }))
  const postgres = cleanUp.use(await startPostgres())
  const redis = cleanUp.use(await startRedis())
  const { client, close } = await connectRedis(redis.port)
  cleanUp.defer(close)

  async function poolAtFrozenTime(database: string): Promise<Pool> {
    const url = await postgres.createDatabase(database)
    const pool = openPool(url, { options: FROZEN_SEARCH_PATH })
    cleanUp.defer(() => pool.end())
    await pool.query(freezeClock(FROZEN_AT))
    return pool
  }

  const story = await tellMirrorStory()
  const [inSqlite, inPostgres, inRedis] = [
    await freezeReceiverInSqlite(join(folder, 'receiver.db')),
    await freezeReceiverInPostgres(await poolAtFrozenTime('receiver')),
    await freezeReceiverInRedis(client),
  ]
  deepStrictEqual(inPostgres.answers, inSqlite.answers)
  deepStrictEqual(inRedis.answers, inSqlite.answers)
  const [mirrorInSqlite, mirrorInPostgres] = [
    await freezeMirrorInSqlite(join(folder, 'mirror.db'), story),
    await freezeMirrorInPostgres(await poolAtFrozenTime('mirror'), story),
  ]
  deepStrictEqual(mirrorInPostgres.mirrors, mirrorInSqlite.mirrors)

  return new Map([
    ['receiver.sqlite.sql', inSqlite.dump],
    ['receiver.postgres.sql', inPostgres.dump],
    ['receiver.redis.json', inRedis.dump],
    ['receiver.answers.json', jsonOf(inSqlite.answers)],
    ['mirror.sqlite.sql', mirrorInSqlite.dump],
    ['mirror.postgres.sql', mirrorInPostgres.dump],
    ['mirror.answers.json', jsonOf({ at: story.clock.now(), mirrors: mirrorInSqlite.mirrors } satisfies FrozenMirrors)],
  ])
}

interface FrozenReceiver {
  readonly dump: string
  readonly answers: readonly Answered[]
}

async function freezeReceiverInSqlite(path: string): Promise<FrozenReceiver> {
  const { driver, schema } = recordingDriver(path)
  const migrating = sqliteStore(driver)
  await migrating.migrate()
  await migrating.close()
  const store = sqliteStore(path, { clock: { now: () => FROZEN_AT } })
  await tellReceiverStory(store)
  await store.close()
  const dump = dumpSqlite(path, schema)
  const answers = await ask(store, QUESTIONS)
  await store.close()
  return { dump, answers }
}

async function freezeReceiverInPostgres(pool: Pool): Promise<FrozenReceiver> {
  const { connection, schema } = recordingConnection(pool)
  await postgresStore(connection).migrate()
  const store = postgresStore(pool)
  await tellReceiverStory(store)
  return { dump: await dumpPostgres(pool, schema), answers: await ask(store, QUESTIONS) }
}

async function freezeReceiverInRedis(client: RedisClient): Promise<FrozenReceiver> {
  const store = redisStore(atFrozenTime(client, FROZEN_AT))
  await tellReceiverStory(store)
  return { dump: jsonOf(await dumpRedis(client)), answers: await ask(store, QUESTIONS) }
}

async function freezeMirrorInSqlite(path: string, story: MirrorStory) {
  const { driver, schema } = recordingDriver(path)
  const migrating = sqliteMirror(driver)
  await migrating.migrate()
  await migrating.close?.()
  const store = sqliteMirror(path)
  const mirrors = await writeMirrors(store, story)
  await store.close?.()
  return { dump: dumpSqlite(path, schema), mirrors }
}

async function freezeMirrorInPostgres(pool: Pool, story: MirrorStory) {
  const { connection, schema } = recordingConnection(pool)
  await postgresMirror(connection).migrate()
  const mirrors = await writeMirrors(postgresMirror(pool), story)
  return { dump: await dumpPostgres(pool, schema), mirrors }
}

async function writeMirrors(store: MirrorStore, story: MirrorStory): Promise<readonly FrozenMirror[]> {
  await copyMirrors(story.store, store, story.mirrors)
  const frozen: FrozenMirror[] = []
  for (const { integration, notes, noteIds } of story.mirrors) {
    const reads = await readMirror(store, integration, noteIds, story.clock)
    frozen.push({ integration, service: [...notes.values()], noteIds, reads })
  }
  return frozen
}

function jsonOf(value: unknown): string {
  return `${JSON.stringify(value, null, 2)}\n`
}
