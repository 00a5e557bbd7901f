import { DatabaseSync } from 'node:sqlite'
import { temporaryPath } from 'notewire-test-servers'
import { describe, expect, it, onTestFinished } from 'vitest'
import { ManualClock } from '../../../fixtures/manual-clock.ts'
import { sqliteStore } from './sqlite-store.ts'

const KEEP_MS = 97_200_000

describe('prune', () => {
  async function setUp() {
    const path = temporaryPath(onTestFinished)
    const clock = new ManualClock()
    const store = sqliteStore(path, { clock })
    await store.migrate()
    const database = new DatabaseSync(path)
    onTestFinished(async () => {
      database.close()
      await store.close()
    })
    const claim = (eventId: string, noteId: string, revision = 1) =>
      store.claim({
        integration: 's',
        eventId,
        note: { noteId, change: { kind: 'note.updated', revision } },
        gate: 'strict',
        leaseMs: 20_000,
        keepMs: KEEP_MS,
      })
    const apply = async (...event: Parameters<typeof claim>) => {
      const result = await claim(...event)
      if (result.status === 'claimed') await store.commit(result.claim)
    }
    const rows = () =>
      ['notewire_events', 'notewire_notes'].map(
        (table) => database.prepare(`SELECT count(*) AS count FROM ${table}`).get()?.['count'],
      )
    return { clock, store, claim, apply, rows, database }
  }

  const processed = (rows: number) => `
    WITH RECURSIVE row (number) AS (SELECT 1 UNION ALL SELECT number + 1 FROM row WHERE number < ${rows})
    INSERT INTO notewire_events (integration, event_id, fencing_token, kept_until)
    SELECT 'integration ' || number % 3, 'event ' || number, 1, ${new ManualClock().now()} + number % 2 FROM row`

  it('removes expired records among thousands, and counts them', async () => {
    const { clock, store, rows, database } = await setUp()
    database.exec(processed(4_000))
    expect(await store.prune()).toBe(2_000)
    expect(rows()).toEqual([2_000, 0])
    await clock.advance(1)
    expect(await store.prune()).toBe(2_000)
    expect(rows()).toEqual([0, 0])
  })

  it('lets other connections write in between', async () => {
    const { store, database } = await setUp()
    database.exec(processed(4_000))
    let ended = false
    let writes = 0
    const pruning = store.prune().finally(() => {
      ended = true
    })
    while (!ended) {
      database.exec('BEGIN IMMEDIATE; COMMIT')
      writes += 1
      await new Promise((resolve) => setImmediate(resolve))
    }
    expect(await pruning).toBe(2_000)
    expect(writes).toBeGreaterThan(8)
  })

  it('removes expired leases only', async () => {
    const { clock, store, claim, rows } = await setUp()
    await claim('abandoned', 'note 1')
    await clock.advance(15_000)
    await claim('held', 'note 2')
    await clock.advance(5_000)
    expect(await store.prune()).toBe(0)
    expect(rows()).toEqual([1, 1])
    expect(await claim('held', 'note 2')).toEqual({ status: 'busy' })
  })

  it('keeps the revision of a note as long as its latest event', async () => {
    const { clock, store, apply, claim, rows } = await setUp()
    await apply('first', 'note 1', 1)
    await clock.advance(KEEP_MS / 2)
    await apply('second', 'note 1', 2)
    await clock.advance(KEEP_MS / 2)
    expect(await store.prune()).toBe(1)
    expect(rows()).toEqual([1, 1])
    expect(await claim('third', 'note 1', 2)).toEqual({ status: 'stale', appliedRevision: 2 })
  })
})
