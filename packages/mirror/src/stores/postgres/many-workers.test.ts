import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import type { Pool } from 'pg'
import { afterEach, expect, it } from 'vitest'
import { aLiveState } from '../../../fixtures/store-checks/builders.ts'
import { reads } from '../../../fixtures/store-reads.ts'
import { type Counted, countOn } from '../../../fixtures/stores/postgres/count-on.ts'
import { startDatabases, type TestDatabases } from '../../../fixtures/stores/postgres/start-database.ts'
import type { MirrorStore } from '../mirror-store.ts'
import { COMMIT_FUNCTION } from './commit-function.ts'
import { postgresMirror } from './index.ts'

const WORKERS = 16
const TURNS = 150
const PAIRS = ['pair 0', 'pair 1', 'pair 2', 'pair 3']

let databases: TestDatabases
afterEach(() => databases.cleanUp.disposeAsync())

it('loses no change and shows none too early, with 16 workers over four pools that write the same notes', async () => {
  databases = await startDatabases()
  const url = await databases.emptyDatabase()
  const pools = Array.from({ length: 4 }, () => databases.poolOf(url, { max: 5 }))
  const stores = pools.map((pool) => postgresMirror(pool))
  const [pool, store] = [pools[0] as Pool, stores[0] as MirrorStore]
  await store.migrate()
  await widenTheWindows(pool)

  const done: Counted[] = []
  let isOver = false
  const work = async (_: unknown, worker: number) => {
    const own = stores[worker % stores.length] as MirrorStore
    let last = 0
    for (let turn = 0; turn < TURNS; turn += 1) {
      const counted = await countOn(own, PAIRS[(worker + turn) % PAIRS.length] as string)
      expect(counted.sequence).toBeGreaterThan(last)
      last = counted.sequence
      if (counted.outcome === 'committed') done.push(counted)
      await addOnce(own, `once ${worker} ${turn}`)
      const { sequence } = await own.readDue('default', { dueBy: 1e6, limit: 3 })
      expect(sequence).toBeGreaterThanOrEqual(last)
    }
  }
  const following = follow(store, () => isOver)
  await Promise.all(Array.from({ length: WORKERS }, work))
  isOver = true
  const seen = await following

  const numbers = new Set(done.map(({ sequence }) => sequence))
  expect(numbers.size).toBe(done.length)
  expect(done.length).toBeGreaterThan(WORKERS * 10)
  const { rows } = await pool.query(
    "SELECT sum((state->>'attempts')::int)::int AS counted FROM notewire_mirror_notes WHERE note_id LIKE '% left'",
  )
  expect(rows).toEqual([{ counted: done.length }])
  expect(await halfWritten(pool)).toEqual([])
  const { rows: all } = await pool.query(
    "SELECT note_id, position::int, (state->>'attempts')::int AS attempts FROM notewire_mirror_notes",
  )
  expect(all).toHaveLength(WORKERS * TURNS + 2 * PAIRS.length)
  // The reader has the current state of each note: no change became visible before a position that the reader had passed.
  expect(seen).toEqual(new Map(all.map(({ note_id, position, attempts }) => [note_id, { position, attempts }])))
  const deadlocks = await pool.query('SELECT sum(deadlocks)::int AS deadlocks FROM pg_stat_database')
  expect(deadlocks.rows).toEqual([{ deadlocks: 0 }])
})

it('commits atomically and returns no number twice if the server crashes', async () => {
  databases = await startDatabases({ durable: true })
  const pool = await databases.migratedPool({ max: WORKERS })
  const store = postgresMirror(pool)
  const confirmed = new Map<string, number>()
  const before: number[] = []
  const after: number[] = []
  let numbers = before
  let failures = 0
  let isOver = false
  const work = async (_: unknown, worker: number) => {
    for (let turn = worker; !isOver; turn += 1) {
      const pair = PAIRS[turn % PAIRS.length] as string
      const inTime = numbers
      try {
        const { outcome, count, sequence } = await countOn(store, pair)
        if (inTime === numbers) inTime.push(sequence)
        if (outcome === 'committed') confirmed.set(pair, Math.max(count, confirmed.get(pair) ?? 0))
      } catch {
        failures += 1
        await sleep(5)
      }
    }
  }
  const working = Promise.all(Array.from({ length: WORKERS }, work))
  await expect.poll(() => before.length, { interval: 5 }).toBeGreaterThan(300)
  await databases.server.crashAndRestart()
  const greatest = Math.max(...before)
  numbers = after
  await expect.poll(() => after.length, { interval: 5 }).toBeGreaterThan(100)
  isOver = true
  await working

  expect(failures).toBeGreaterThan(0)
  expect(Math.min(...after)).toBeGreaterThan(greatest)
  expect(new Set([...before, ...after]).size).toBe(before.length + after.length)
  await expectConfirmed(pool, confirmed)
})

it('commits atomically if instances are killed again and again', async () => {
  databases = await startDatabases()
  const url = await databases.emptyDatabase()
  const pool = databases.poolOf(url)
  await postgresMirror(pool).migrate()
  await widenTheWindows(pool)
  const confirmed = new Map<string, number>()
  for (let turn = 0; turn < 6; turn += 1) {
    const program = fileURLToPath(new URL('../../../fixtures/stores/postgres/counting-process.ts', import.meta.url))
    const child = spawn(process.execPath, ['--conditions=@notewire/source', program, url], {
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    const exited = once(child, 'exit')
    let lines = 0
    for await (const line of createInterface({ input: child.stdout })) {
      const [pair = '', count] = line.split('=')
      confirmed.set(pair, Math.max(Number(count), confirmed.get(pair) ?? 0))
      lines += 1
      if (lines === 20 + turn * 3) child.kill('SIGKILL')
    }
    await exited
  }
  await expectConfirmed(pool, confirmed)
  // No transaction holds a lock any more.
  for (const pair of PAIRS) expect((await countOn(postgresMirror(pool), pair)).outcome).toBe('committed')
})

/** Makes commits pause between their reads and writes, so that other commits interleave. */
async function widenTheWindows(pool: Pool): Promise<void> {
  const places = ['  IF contents <>', '  IF announcements > 0', '  INSERT INTO notewire_mirror_notes AS notes']
  const pausing = places.reduce((text, place) => {
    expect(text).toContain(place)
    return text.replace(place, `  PERFORM pg_sleep(random() * 0.003);\n${place}`)
  }, COMMIT_FUNCTION)
  await pool.query(pausing)
}

async function addOnce(store: MirrorStore, noteId: string): Promise<void> {
  const write = { state: aLiveState(noteId), expectedVersion: 0, announce: 'appeared' } as const
  expect(await store.commit('default', { notes: [write] })).toBe('committed')
}

/** Reads changes like a user's index, and keeps the latest state of each note. */
async function follow(store: MirrorStore, isOver: () => boolean) {
  const seen = new Map<string, { readonly position: number; readonly attempts: number }>()
  for (let after = 0, wasOver = false; ; ) {
    const changes = await reads(store).listChanges('default', after, 50)
    for (const { state, position } of changes) {
      expect(position).toBeGreaterThan(after)
      after = position
      seen.set(state.noteId, { position, attempts: state.attempts })
    }
    if (changes.length > 0) continue
    if (wasOver) return seen
    wasOver = isOver()
  }
}

async function expectConfirmed(pool: Pool, confirmed: ReadonlyMap<string, number>): Promise<void> {
  expect(confirmed.size).toBe(PAIRS.length)
  expect(await halfWritten(pool)).toEqual([])
  for (const [pair, count] of confirmed) {
    const { rows } = await pool.query(
      "SELECT (state->>'attempts')::int AS attempts FROM notewire_mirror_notes WHERE note_id = $1",
      [`${pair} left`],
    )
    expect(rows[0].attempts).toBeGreaterThanOrEqual(count)
  }
}

/** Lists pairs whose halves differ, or whose state and content differ; and wrong positions. */
async function halfWritten(pool: Pool): Promise<readonly unknown[]> {
  const { rows } = await pool.query(`
    SELECT one.note_id
      FROM notewire_mirror_notes AS one
      JOIN notewire_mirror_content AS content USING (integration, note_id)
      LEFT JOIN notewire_mirror_notes AS other ON other.note_id = replace(one.note_id, 'left', 'right')
      WHERE one.state->>'attempts' IS DISTINCT FROM other.state->>'attempts' AND one.note_id LIKE '%left'
        OR content.note->>'title' <> one.state->>'attempts'
        OR NOT content.search @@ to_tsquery('simple', one.state->>'attempts')
    UNION ALL
    SELECT 'position ' || position FROM notewire_mirror_notes WHERE position > 0 GROUP BY integration, position HAVING count(*) > 1
    UNION ALL
    SELECT 'latest position' FROM notewire_mirrors
      WHERE position <> (SELECT max(position) FROM notewire_mirror_notes)`)
  return rows
}
