import { setTimeout as sleep } from 'node:timers/promises'
import fc from 'fast-check'
import type { Pool } from 'pg'
import { expect, it, onTestFinished } from 'vitest'
import { startDatabases } from '../../../fixtures/stores/postgres/start-databases.ts'
import type { Claim, ClaimRequest } from '../../interfaces/store.ts'
import { CLAIM_FUNCTION } from './claim-function.ts'
import { type PostgresStore, postgresStore } from './index.ts'
import { COMMIT_FUNCTION } from './lease-functions.ts'

const WORKERS = 16
const CLAIMS = 2_000

it('applies every event once and in order, with 16 workers that claim 2,000 times each, abandon claims, and commit late', async () => {
  const { pool, store } = await setUp()
  const random = randomNumbers()
  // In one integration the gate ignores late events; in the other, all events must be applied.
  const gated = shuffledEvents(random, 'gated', 'deletions-at-equal')
  const ungated = shuffledEvents(random, 'ungated', 'off')
  const requests = gated.flatMap((request, index) => [request, ungated[index] as ClaimRequest])
  // All workers are at about the same position, so that their claims conflict.
  const pick = (turn: number): ClaimRequest => {
    const request = requests[
      Math.floor((turn / CLAIMS) * requests.length + random(12)) % requests.length
    ] as ClaimRequest
    return request.gate === 'off' && random(8) === 0 ? { ...request, note: undefined } : request
  }
  await pauseFunctions(pool)

  await Promise.all(
    Array.from({ length: WORKERS }, async () => {
      for (let turn = 0; turn < CLAIMS; turn += 1) {
        const comesLate = random(6) === 0
        const answer = await store.claim({ ...pick(turn), leaseMs: 20_000 })
        if (answer.status !== 'claimed') continue
        if (comesLate) {
          await endLeaseSoon(pool, answer.claim.fencingToken)
          await sleep(3 + random(6))
        }
        if (random(10) === 0) await store.release(answer.claim)
        // Only an expired claim can be lost.
        else if ((await applyOnce(pool, answer.claim)) === 'lost') expect(comesLate).toBe(true)
      }
    }),
  )
  const held = 'SELECT FROM notewire_notes WHERE lease_ends_at > clock_timestamp()'
  expect((await pool.query(held)).rowCount).toBe(0)
  for (const request of requests) await applyFinally(pool, store, request)

  const { rows } = await pool.query('SELECT integration, event_id, note_id, revision FROM effects ORDER BY position')
  const names = rows.map((row) => `${row.integration} ${row.event_id}`)
  expect(new Set(names).size).toBe(names.length)
  expect(rows.filter(({ integration }) => integration === 'ungated')).toHaveLength(ungated.length)
  for (const noteId of NOTES) {
    const applied = rows
      .filter((row) => row.integration === 'gated' && row.note_id === noteId)
      .map((row) => Number(row.revision))
    expect(applied).toEqual(applied.toSorted((a, b) => a - b))
    expect(applied.at(-1)).toBe(Math.max(...gated.filter(({ note }) => note?.noteId === noteId).map(revisionOf)))
  }
  expect((await pool.query('SELECT sum(deadlocks)::int AS deadlocks FROM pg_stat_database')).rows).toEqual([
    { deadlocks: 0 },
  ])
})

it('loses nothing and applies nothing twice if the server crashes', async () => {
  const { pool, store, crashAndRestart } = await setUp({ durable: true })
  const requests = shuffledEvents(randomNumbers(), 'crash', 'off').map((request) => ({
    ...request,
    note: { noteId: `note of ${request.eventId}` },
  }))
  const confirmed = new Set<string>()
  let failures = 0
  let next = 0
  const work = Promise.all(
    Array.from({ length: WORKERS }, async () => {
      for (let request = requests[next++]; request !== undefined; request = requests[next++]) {
        try {
          const answer = await store.claim(request)
          if (answer.status === 'claimed' && (await applyOnce(pool, answer.claim)) === 'committed') {
            confirmed.add(request.eventId)
          }
        } catch {
          failures += 1
          await sleep(5)
        }
      }
    }),
  )
  await expect.poll(() => confirmed.size, { interval: 5 }).toBeGreaterThan(100)
  await crashAndRestart()
  await work
  expect(failures).toBeGreaterThan(0)

  for (const request of requests) {
    if (confirmed.has(request.eventId)) expect((await store.claim(request)).status).toBe('duplicate')
  }
  // Interrupted events are still claimed until their leases expire.
  await pool.query(
    "UPDATE notewire_events SET lease_ends_at = clock_timestamp() - interval '1 minute' WHERE lease_ends_at IS NOT NULL",
  )
  await pool.query(
    "UPDATE notewire_notes SET lease_ends_at = clock_timestamp() - interval '1 minute' WHERE lease_ends_at IS NOT NULL",
  )
  for (const request of requests) await applyFinally(pool, store, request)
  const { rows } = await pool.query('SELECT event_id, count(*)::int FROM effects GROUP BY event_id')
  expect(rows).toHaveLength(requests.length)
  expect(rows.filter(({ count }) => count !== 1)).toEqual([])
})

/** Shortens a lease. `renew` would skip rows that are locked for a moment. */
async function endLeaseSoon(pool: Pool, fencingToken: string): Promise<void> {
  for (const table of ['notewire_notes', 'notewire_events']) {
    await pool.query(
      `UPDATE ${table} SET lease_ends_at = clock_timestamp() + interval '5 ms'
         WHERE fencing_token = $1 AND lease_ends_at IS NOT NULL`,
      [fencingToken],
    )
  }
}

/** Makes claims and commits pause between reading and writing, so that other operations run in between. */
async function pauseFunctions(pool: Pool): Promise<void> {
  for (const [text, places] of [
    [CLAIM_FUNCTION, ['  new_token := ', '  IF event.version IS NULL THEN']],
    [COMMIT_FUNCTION, ['  UPDATE notewire_events SET']],
  ] as const) {
    let pausing: string = text
    for (const place of places) {
      expect(text.split(place)).toHaveLength(2)
      pausing = pausing.replace(place, `  PERFORM pg_sleep(random() * 0.004);\n${place}`)
    }
    await pool.query(pausing)
  }
}

const NOTES = ['n0', 'n1', 'n2', 'n3', 'n4', 'n5']

/** 1,200 events about six notes, each with its own revision, roughly in order. */
function shuffledEvents(
  random: (below: number) => number,
  integration: string,
  gate: ClaimRequest['gate'],
): readonly ClaimRequest[] {
  return Array.from({ length: 1_200 }, (_, index): ClaimRequest => {
    const noteId = NOTES[index % NOTES.length] as string
    return {
      integration,
      eventId: `event ${index}`,
      note: { noteId, change: { kind: 'note.updated', revision: index } },
      gate,
      leaseMs: 20_000,
      keepMs: 259_200_000,
    }
  })
    .map((request, index) => ({ request, place: index + random(60) }))
    .toSorted((a, b) => a.place - b.place)
    .map(({ request }) => request)
}

function revisionOf({ note }: ClaimRequest): number {
  return note?.change?.revision ?? Number.NaN
}

/** Random numbers from the seed of fast-check, which a failed run prints. */
function randomNumbers(): (below: number) => number {
  let state = (fc.readConfigureGlobal().seed ?? 1) >>> 0
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return Math.floor((state / 2 ** 32) * below)
  }
}

/** Writes a row and commits the event in one transaction, so that the rows show which commits took effect. */
async function applyOnce(pool: Pool, claim: Claim): Promise<string> {
  const { integration, eventId, note } = claim.request
  const client = await pool.connect()
  let broken: Error | undefined
  try {
    await client.query('BEGIN')
    await client.query('INSERT INTO effects (integration, event_id, note_id, revision) VALUES ($1, $2, $3, $4)', [
      integration,
      eventId,
      note?.noteId,
      note?.change?.revision,
    ])
    const result = await postgresStore(client).commit(claim)
    await client.query(result === 'committed' ? 'COMMIT' : 'ROLLBACK')
    return result
  } catch (error) {
    broken = error as Error
    throw error
  } finally {
    client.release(broken)
  }
}

/** Applies an event unless it was applied. Repeats the claim, as the service sends an event again until it is acknowledged. */
async function applyFinally(pool: Pool, store: PostgresStore, request: ClaimRequest): Promise<void> {
  for (;;) {
    const answer = await store.claim(request)
    if (answer.status === 'claimed') await applyOnce(pool, answer.claim)
    else if (answer.status !== 'busy') return
  }
}

async function setUp(options: { readonly durable?: boolean } = {}) {
  const databases = await startDatabases(options)
  onTestFinished(() => databases.cleanUp.disposeAsync())
  const pool = await databases.migratedPool({ max: WORKERS })
  const store = postgresStore(pool)
  await pool.query(
    'CREATE TABLE effects (position bigserial PRIMARY KEY, integration text, event_id text, note_id text, revision bigint)',
  )
  return { pool, store, crashAndRestart: () => databases.server.crashAndRestart() }
}
