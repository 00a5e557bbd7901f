import { readFile } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import { createMirrors, type Mirrors, type MirrorsOptions } from '@notewire/mirror'
import { postgresMirror } from '@notewire/mirror/postgres'
import { anEvent } from '@notewire/webhooks/testing'
import { Pool } from 'pg'

// Runs as a separate process: mirrors of many integrations in PostgreSQL. Executes the orders that it receives, and answers their costs.
const [url = '', baseUrl = ''] = process.argv.slice(2)

export type Order =
  | { readonly fill: number }
  | { readonly idleMinutes: number }
  | { readonly polls: number; readonly withFullListing: boolean }
  | { readonly hintSeconds: number; readonly hintsPerSecond: number; readonly integrations: number }

/** The cost of an order. Times in milliseconds. */
export interface Spent {
  readonly elapsed: number
  /** Processor time of this process and of its connections in PostgreSQL, which are only counted on Linux. */
  readonly cpu: number
  readonly statements: number
}

export interface Hints extends Spent {
  readonly latencies: readonly number[]
  readonly lost: number
  /** The number of notes that the three backfills had copied at the end. */
  readonly backfilled: number
}

const DAY_MS = 86_400_000
const pool = new Pool({ connectionString: url, max: 16, idleTimeoutMillis: 0 })
pool.on('error', () => undefined)
let statements = 0
const counting = {
  query(text: string, values?: unknown[]) {
    statements += 1
    return pool.query(text, values)
  },
}
const mirrorsWith = (options: Partial<MirrorsOptions>) =>
  createMirrors({
    store: postgresMirror(counting),
    keep: ['note'],
    pollEveryMs: DAY_MS,
    connect: (integration) => ({ baseUrl, apiKey: `ntw_live_${integration}.key` }),
    ...options,
  })
const mirrors = mirrorsWith({})

process.on('disconnect', () => process.exit())
process.on('message', async (order: Order) => process.send?.(await execute(order)))
process.send?.('ready')

async function execute(order: Order): Promise<Spent> {
  if ('fill' in order) return await spent(() => fill(order.fill))
  if ('idleMinutes' in order) return await spent(() => whileRunning(mirrors, () => sleep(order.idleMinutes * 60_000)))
  if ('polls' in order) return await poll(order.polls, order.withFullListing)
  return await hint(order)
}

async function fill(integrations: number): Promise<void> {
  for (let index = 0; index < integrations; index += 100) {
    await Promise.all(Array.from({ length: 100 }, (_, place) => mirrors.add(`account-${index + place}`)))
  }
  await whileRunning(mirrors, untilNoneIsDue)
}

/** Makes integrations due for a poll, and optionally for a full listing. */
async function poll(count: number, withFullListing: boolean): Promise<Spent> {
  await pool.query(
    `UPDATE notewire_integrations
      SET record = record || jsonb_build_object('dueAt', extract(epoch FROM now()) * 1000, 'rank', 1, 'pollEveryMs', 1)
      WHERE integration IN (SELECT integration FROM notewire_integrations ORDER BY integration LIMIT $1)`,
    [count],
  )
  const polling = withFullListing ? mirrorsWith({ fullListingEveryMs: 1 }) : mirrors
  await polling.status()
  return await spent(() => whileRunning(polling, untilNoneIsDue))
}

async function hint(order: Extract<Order, { readonly hintSeconds: number }>): Promise<Hints> {
  const { hintSeconds, hintsPerSecond, integrations } = order
  const receiver = mirrors.receivers({ secretOf: (_integration) => undefined })
  const outstanding = new Map<
    string,
    { readonly integration: string; readonly noteId: string; revision: number; at: number }
  >()
  const latencies: number[] = []
  for (const name of ['big-0', 'big-1', 'big-2', 'limited', 'hanging']) await mirrors.add(name)
  let isOver = false

  async function watch(): Promise<void> {
    while (!isOver || outstanding.size > 0) {
      const waiting = [...outstanding.values()]
      const { rows } = await pool.query(
        `SELECT integration, note_id, revision FROM notewire_live_notes
          WHERE (integration, note_id) IN (SELECT * FROM unnest($1::text[], $2::text[])) AND is_settled`,
        [waiting.map(({ integration }) => integration), waiting.map(({ noteId }) => noteId)],
      )
      for (const { integration, note_id, revision } of rows) {
        const key = `${integration} ${note_id}`
        const hinted = outstanding.get(key)
        if (hinted === undefined || Number(revision) < hinted.revision) continue
        latencies.push(performance.now() - hinted.at)
        outstanding.delete(key)
      }
      if (isOver && waiting.some(({ at }) => performance.now() - at > 60_000)) return
      await sleep(20)
    }
  }

  async function sendOne(index: number): Promise<void> {
    // Each hint is for another integration, because a running poll would read two changed notes at once.
    const integration = `account-${(index * 7) % integrations}`
    const note = index % 20
    const answer = await fetch(`${baseUrl}/change?account=${integration}&note=${note}`, { method: 'POST' })
    const { revision, noteId } = (await answer.json()) as { revision: number; noteId: string }
    outstanding.set(`${integration} ${noteId}`, { integration, noteId, revision, at: performance.now() })
    await receiver.process(anEvent({ kind: 'note.updated', noteId, revision }), { integration })
  }

  const took = await spent(() =>
    whileRunning(mirrors, async () => {
      await sleep(5_000)
      const watching = watch()
      const sent: Promise<void>[] = []
      const begin = performance.now()
      for (let index = 0; index < hintSeconds * hintsPerSecond; index += 1) {
        await sleep(Math.max(0, begin + (index * 1_000) / hintsPerSecond - performance.now()))
        sent.push(sendOne(index))
      }
      await Promise.all(sent)
      isOver = true
      await watching
    }),
  )
  const { rows } = await pool.query(
    `SELECT count(*) AS notes FROM notewire_mirror_notes WHERE integration LIKE 'big-%'`,
  )
  return { ...took, latencies, lost: outstanding.size, backfilled: Number(rows[0].notes) }
}

async function untilNoneIsDue(): Promise<void> {
  const isAnyLeft = async () => {
    const { rows } = await pool.query(
      'SELECT FROM notewire_integrations WHERE lease_until IS NOT NULL OR due_at <= extract(epoch FROM now()) * 1000 LIMIT 1',
    )
    return rows.length > 0
  }
  while (await isAnyLeft()) await sleep(250)
}

async function whileRunning(running: Mirrors, act: () => Promise<unknown>): Promise<void> {
  const end = new AbortController()
  const run = running.run({ signal: end.signal })
  await act()
  end.abort()
  await run
}

async function spent(act: () => Promise<unknown>): Promise<Spent> {
  const [before, postgresBefore, statementsBefore] = [process.cpuUsage(), await postgresCpu(), statements]
  const begin = performance.now()
  await act()
  const elapsed = performance.now() - begin
  const { user, system } = process.cpuUsage(before)
  const counted = statements - statementsBefore
  return { elapsed, cpu: (user + system) / 1_000 + (await postgresCpu()) - postgresBefore, statements: counted }
}

const MS_A_TICK = 10

/** Processor time of the connections of this database, in milliseconds. They stay open. */
async function postgresCpu(): Promise<number> {
  const { rows } = await pool.query('SELECT pid FROM pg_stat_activity WHERE datname = current_database()')
  const times = rows.map(async ({ pid }) => {
    const fields = (await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '')).split(' ')
    return (Number(fields[13]) + Number(fields[14])) * MS_A_TICK
  })
  return (await Promise.all(times)).reduce((sum, time) => sum + time, 0)
}
