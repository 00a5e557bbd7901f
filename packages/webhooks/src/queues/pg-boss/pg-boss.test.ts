import { type Postgres, startPostgres } from 'notewire-test-servers'
import { PgBoss } from 'pg-boss'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createReceiver } from '../../receiver/receiver.ts'
import { anEvent } from '../../testing/an-event.ts'
import { pgBossQueue } from './pg-boss-queue.ts'
import { pgBossWorker } from './pg-boss-worker.ts'

const receiver = createReceiver({ secret: undefined, on: {} })

let postgres: Postgres
let boss: PgBoss
beforeAll(async () => {
  postgres = await startPostgres()
  boss = new PgBoss({ connectionString: postgres.url })
  boss.on('error', () => undefined)
  await boss.start()
})
afterAll(async () => {
  await boss.stop({ graceful: false })
  await postgres.stop()
})

describe('options', () => {
  it.each([
    ['no boss', {}, /boss must be a PgBoss/],
    ['an option that is none', { bos: {} }, /no option "bos"/],
  ])('are refused: %s', async (_, options, why) => {
    expect(() => pgBossQueue(options as never)).toThrow(why)
    await expect(pgBossWorker(receiver, options as never)).rejects.toThrow(why)
  })

  it('are refused: a database adapter without transactions', async () => {
    const withoutTransactions = new PgBoss({ db: { executeSql: async () => ({ rows: [] }) } })
    await expect(pgBossWorker(receiver, { boss: withoutTransactions })).rejects.toThrow(/without beginTransaction/)
  })

  it('are refused: a queue that was created for something else', async () => {
    await boss.createQueue('something-else')
    const enqueued = pgBossQueue({ boss, name: 'something-else' }).enqueue('default', anEvent({ kind: 'note.updated' }))
    await expect(enqueued).rejects.toThrow(/created for something else/)
  })
})

it('does not take an event for queued when the queue was deleted', async () => {
  const queue = pgBossQueue({ boss, name: 'deleted' })
  await queue.enqueue('default', anEvent({ kind: 'note.updated' }))
  const elsewhere = new PgBoss({ connectionString: postgres.url })
  await elsewhere.start()
  await elsewhere.deleteQueue('deleted')
  await elsewhere.stop({ graceful: false })
  await expect(queue.enqueue('default', anEvent({ kind: 'note.updated' }))).rejects.toThrow(/was deleted/)
})

it('changes how often events are tried when the option changes', async () => {
  const event = anEvent({ kind: 'note.updated' })
  await pgBossQueue({ boss, name: 'tried' }).enqueue('default', event)
  expect((await boss.getQueue('tried'))?.retryLimit).toBe(15)
  await pgBossQueue({ boss, name: 'tried', attempts: 3 }).enqueue('default', event)
  await using _worker = await pgBossWorker(receiver, { boss, name: 'tried' })
  expect((await boss.getQueue('tried'))?.retryLimit).toBe(2)
})
