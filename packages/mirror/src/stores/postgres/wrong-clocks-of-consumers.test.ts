import { type Clock, systemClock } from '@notewire/protocol'
import type { Pool } from 'pg'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { NoteWriter } from '../../consuming/fixtures/note-writer.ts'
import { type ConsumerChange, openMirror } from '../../index.ts'
import { startDatabases, type TestDatabases } from './fixtures/start-database.ts'
import { postgresMirror } from './index.ts'

const HOUR_MS = 3_600_000
const YEAR_MS = 365 * 24 * HOUR_MS
const LEASE_MS = 30_000

let databases: TestDatabases
let pool: Pool
let notes: NoteWriter
beforeAll(async () => {
  databases = await startDatabases()
})
beforeEach(async () => {
  pool = databases.poolOf(await databases.emptyDatabase())
  const store = postgresMirror(pool)
  await store.migrate()
  notes = new NoteWriter(store)
  await notes.show('a', 'First')
  await notes.show('b', 'Second')
})
afterAll(() => databases.cleanUp.disposeAsync())

/** A consumer whose process's clock is off by some milliseconds. */
function consumerOff(byMs: number) {
  const clock: Clock = { ...systemClock, now: () => Date.now() + byMs }
  const mirror = openMirror({ store: postgresMirror(pool), clock })
  const consume = (apply: (changes: readonly ConsumerChange[]) => void | Promise<void> = () => undefined) =>
    mirror.consumeDue({ name: 'index', apply })
  return { clock, mirror, consume }
}

/** Runs `act` while a process whose clock is off applies a change, as if it had died. */
async function whileHeld(byMs: number, act: () => Promise<void>): Promise<void> {
  const [begun, ended] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const holding = consumerOff(byMs).consume(() => {
    begun.resolve()
    return ended.promise
  })
  await begun.promise
  await act().finally(ended.resolve)
  await holding
}

describe('in PostgreSQL, a process whose clock is off', () => {
  it.each([-YEAR_MS, -HOUR_MS, 40_000, HOUR_MS, 300 * 24 * HOUR_MS])(
    'by %d ms holds a consumer no longer than its lease',
    async (byMs) => {
      await whileHeld(byMs, async () => {
        const { applied, nextAt } = await consumerOff(0).consume()
        expect(applied).toBe(0)
        expect((nextAt ?? 0) - Date.now()).toBeGreaterThan(LEASE_MS - 5_000)
        expect((nextAt ?? 0) - Date.now()).toBeLessThanOrEqual(LEASE_MS + 1_000)
      })
    },
  )

  it.each([-YEAR_MS, -HOUR_MS, -40_000, 40_000, HOUR_MS, 300 * 24 * HOUR_MS])(
    'by %d ms takes no live lease, and takes a free consumer',
    async (byMs) => {
      const { clock, consume } = consumerOff(byMs)
      await whileHeld(0, async () => {
        const { applied, nextAt } = await consume()
        expect(applied).toBe(0)
        expect(Math.abs((nextAt ?? 0) - clock.now() - LEASE_MS)).toBeLessThan(5_000)
      })
      await notes.show('c', 'Third')
      expect(await consume()).toMatchObject({ applied: 1 })
    },
  )

  it.each([-YEAR_MS, -HOUR_MS, HOUR_MS, 300 * 24 * HOUR_MS])(
    'by %d ms delays the retry of a change only by its pause',
    async (byMs) => {
      const failing = (changes: readonly ConsumerChange[]) => {
        if (changes.some(({ noteId }) => noteId === 'a')) throw new Error('not now')
      }
      const { nextAt } = await consumerOff(byMs).consume(failing)
      expect((nextAt ?? 0) - Date.now() - byMs).toBeLessThanOrEqual(1_000)
      const right = consumerOff(0)
      expect(await right.consume()).toMatchObject({ applied: 0 })
      await new Promise((resolve) => setTimeout(resolve, 1_100))
      expect(await right.consume()).toMatchObject({ applied: 1, nextAt: null })
    },
  )

  it.each([-YEAR_MS, 300 * 24 * HOUR_MS])('by %d ms delays a backoff only by its pause', async (byMs) => {
    const failing = () => {
      throw new Error('not now')
    }
    await consumerOff(byMs).consume(failing)
    const { backoff } = await consumerOff(0).mirror.consumerStatus('index')
    expect(Math.abs((backoff?.until.getTime() ?? 0) - Date.now())).toBeLessThan(60_000)
  })
})
