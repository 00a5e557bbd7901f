import { setTimeout as sleep } from 'node:timers/promises'
import type { Pool } from 'pg'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { startDatabases, type TestDatabases } from '../../../fixtures/stores/postgres/start-databases.ts'
import type { Claim, ClaimRequest, ReceiverStore } from '../../interfaces/store.ts'
import { CLAIM_FUNCTION } from './claim-function.ts'
import { COMMIT_FUNCTION } from './lease-functions.ts'
import { postgresStore } from './postgres-store.ts'

let databases: TestDatabases
let pool: Pool
beforeAll(async () => {
  databases = await startDatabases()
  pool = await databases.migratedPool()
})
afterAll(() => databases.cleanUp.disposeAsync())

const GATE_LOCK = 1

let requests = 0
function aRequest(traits: Partial<ClaimRequest> = {}): ClaimRequest {
  requests += 1
  return {
    integration: 'default',
    eventId: `event_${requests}`,
    gate: 'off',
    leaseMs: 60_000,
    keepMs: 3_600_000,
    ...traits,
  }
}

const noteOf = (noteId: string) => ({ noteId, change: { kind: 'note.updated', revision: 1 } }) as const

/** A store one of whose functions pauses in the middle until `pass` is called. */
async function pausedStore(functionText: string, before: string) {
  expect(functionText.split(before)).toHaveLength(2)
  const pausing = functionText.replace(before, `PERFORM pg_advisory_xact_lock(${GATE_LOCK});\n${before}`)
  for (const each of [COMMIT_FUNCTION, CLAIM_FUNCTION]) {
    await pool.query(renamed(each === functionText ? pausing : each))
  }
  const gate = await pool.connect()
  await gate.query('SELECT pg_advisory_lock($1)', [GATE_LOCK])
  let isOpen = false
  const pass = async () => {
    if (isOpen) return
    isOpen = true
    await gate.query('SELECT pg_advisory_unlock($1)', [GATE_LOCK])
    gate.release()
  }
  onTestFinished(pass)
  const store = postgresStore({
    query: (text, values) => pool.query(renamed(text), values),
  })
  return {
    store,
    async waits() {
      for (;;) {
        const { rows } = await pool.query("SELECT 1 FROM pg_locks WHERE locktype = 'advisory' AND NOT granted")
        if (rows.length > 0) return
        await sleep(5)
      }
    },
    pass,
  }
}

function renamed(text: string): string {
  return text.replaceAll(/notewire_(?:claim|commit)_event(?=\()/g, '$&_paused')
}

async function claimed(store: ReceiverStore, request: ClaimRequest): Promise<Claim> {
  const result = await store.claim(request)
  if (result.status !== 'claimed') throw new Error(`the claim was answered ${result.status}`)
  return result.claim
}

describe('a lease that is renewed after another claim has read that it expired', () => {
  it.each([
    ['of a note', aRequest({ note: noteOf('renewed'), leaseMs: 1 }), aRequest({ note: noteOf('renewed') })],
    ['of an event', aRequest({ eventId: 'renewed', leaseMs: 1 }), aRequest({ eventId: 'renewed' })],
  ])('is not taken over: %s', async (_of, held, other) => {
    const store = postgresStore(pool)
    const holder = await claimed(store, held)
    await sleep(20)
    const paused = await pausedStore(CLAIM_FUNCTION, '  new_token := ')
    const answer = paused.store.claim(other)
    await paused.waits()
    expect(await store.renew(holder, 60_000)).toBe('renewed')
    await paused.pass()
    expect(await answer).toEqual({ status: 'busy' })
    expect(await store.commit(holder)).toBe('committed')
  })
})

it('a note can be claimed if its event was claimed for another note concurrently', async () => {
  const store = postgresStore(pool)
  const paused = await pausedStore(CLAIM_FUNCTION, '  IF event.version IS NULL THEN')
  const answer = paused.store.claim(aRequest({ eventId: 'contended', note: noteOf('loser') }))
  await paused.waits()
  await claimed(store, aRequest({ eventId: 'contended', note: noteOf('winner') }))
  await paused.pass()
  expect(await answer).toEqual({ status: 'busy' })
  await claimed(store, aRequest({ note: noteOf('loser') }))
})

it('a running commit prevents another claim of its note, even if its lease has expired', async () => {
  const store = postgresStore(pool)
  const holder = await claimed(store, aRequest({ note: noteOf('committed'), leaseMs: 1 }))
  await sleep(20)
  const paused = await pausedStore(COMMIT_FUNCTION, '  UPDATE notewire_events SET')
  const answer = paused.store.commit(holder)
  await paused.waits()
  expect(await store.claim(aRequest({ note: noteOf('committed') }))).toEqual({ status: 'busy' })
  await paused.pass()
  expect(await answer).toBe('committed')
})

it('a commit changes nothing if another worker claims its event concurrently, without the note', async () => {
  const store = postgresStore(pool)
  const holder = await claimed(store, aRequest({ eventId: 'taken', note: noteOf('kept'), leaseMs: 1 }))
  await sleep(20)
  const paused = await pausedStore(COMMIT_FUNCTION, '  UPDATE notewire_events SET')
  const answer = paused.store.commit(holder)
  await paused.waits()
  const other = await claimed(store, aRequest({ eventId: 'taken' }))
  await paused.pass()
  expect(await answer).toBe('lost')
  const { rows } = await pool.query("SELECT applied FROM notewire_notes WHERE note_id = 'kept'")
  expect(rows).toEqual([{ applied: null }])
  expect(await store.commit(other)).toBe('committed')
})

describe('a fencing token is higher than all before it, even if the clock of the server was set back', () => {
  const AHEAD = 9_000_000_000_000_000n

  it('of the note', async () => {
    const store = postgresStore(pool)
    await store.release(await claimed(store, aRequest({ note: noteOf('ahead') })))
    await pool.query('UPDATE notewire_notes SET fencing_token = $1 WHERE note_id = $2', [AHEAD, 'ahead'])
    const claim = await claimed(store, aRequest({ note: noteOf('ahead') }))
    expect(BigInt(claim.fencingToken)).toBeGreaterThan(AHEAD)
  })

  it('of the event', async () => {
    const store = postgresStore(pool)
    await store.release(await claimed(store, aRequest({ eventId: 'ahead' })))
    await pool.query('UPDATE notewire_events SET fencing_token = $1 WHERE event_id = $2', [AHEAD, 'ahead'])
    const claim = await claimed(store, aRequest({ eventId: 'ahead' }))
    expect(BigInt(claim.fencingToken)).toBeGreaterThan(AHEAD)
  })

  it('also after the rows were pruned', async () => {
    const store = postgresStore(pool)
    const request = aRequest({ note: noteOf('pruned'), keepMs: 0 })
    const before = await claimed(store, request)
    await store.commit(before)
    await sleep(5)
    await store.prune()
    const { rows } = await pool.query("SELECT 1 FROM notewire_notes WHERE note_id = 'pruned'")
    expect(rows).toEqual([])
    const after = await claimed(store, request)
    expect(BigInt(after.fencingToken)).toBeGreaterThan(BigInt(before.fencingToken))
  })
})
