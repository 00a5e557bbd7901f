import { type Postgres, startPostgres } from 'notewire-test-servers'
import { PgBoss } from 'pg-boss'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createReceiver } from '../../receiver/receiver.ts'
import { anEvent } from '../../testing/an-event.ts'
import { pgBossQueue } from './pg-boss-queue.ts'
import { pgBossWorker } from './pg-boss-worker.ts'

const receiver = createReceiver({ secret: () => undefined, on: {} })

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
    ['no boss', {}, /boss must be a started PgBoss/],
    ['an unknown option', { bos: {} }, /no option "bos"/],
  ])('are refused: %s', async (_, options, why) => {
    expect(() => pgBossQueue(options as never)).toThrow(why)
    await expect(pgBossWorker(receiver, options as never)).rejects.toThrow(why)
  })

  it('are refused: a database adapter without transactions', async () => {
    const withoutTransactions = new PgBoss({ db: { executeSql: async () => ({ rows: [] }) } })
    await expect(pgBossWorker(receiver, { boss: withoutTransactions })).rejects.toThrow(/has no beginTransaction/)
  })

  it('are refused: a queue with another policy', async () => {
    await boss.createQueue('something-else')
    const enqueued = pgBossQueue({ boss, name: 'something-else' }).enqueue('default', anEvent({ kind: 'note.updated' }))
    await expect(enqueued).rejects.toThrow(/not created for this receiver/)
  })
})

it('rejects an event if the queue was deleted', async () => {
  const queue = pgBossQueue({ boss, name: 'deleted' })
  await queue.enqueue('default', anEvent({ kind: 'note.updated' }))
  const elsewhere = new PgBoss({ connectionString: postgres.url })
  await elsewhere.start()
  await elsewhere.deleteQueue('deleted')
  await elsewhere.stop({ graceful: false })
  await expect(queue.enqueue('default', anEvent({ kind: 'note.updated' }))).rejects.toThrow(/was deleted/)
})

it.each([
  ['NUL', 'a\0b', 'a\ufffdb'],
  ['a lone surrogate', 'a\ud800b', 'a\ufffdb'],
  ['the text of an escape', 'a\\u0000b', 'a\\u0000b'],
  ['a surrogate pair', 'a😀b', 'a😀b'],
])('queues an event with %s in a field', async (_, text, stored) => {
  const event = { ...anEvent({ kind: 'note.updated' }), [`key ${text}`]: { text } }
  const received = Promise.withResolvers<object>()
  const handler = createReceiver({
    secret: () => undefined,
    on: { 'note.updated': (given) => received.resolve(given) },
  })
  await pgBossQueue({ boss, name: 'odd-texts' }).enqueue('default', event)
  await using _worker = await pgBossWorker(handler, { boss, name: 'odd-texts' })
  expect(await received.promise).toMatchObject({ event_id: event.event_id, [`key ${stored}`]: { text: stored } })
})

it('changes the number of attempts if the option changes', async () => {
  const event = anEvent({ kind: 'note.updated' })
  await pgBossQueue({ boss, name: 'tried' }).enqueue('default', event)
  expect((await boss.getQueue('tried'))?.retryLimit).toBe(15)
  await pgBossQueue({ boss, name: 'tried', attempts: 3 }).enqueue('default', event)
  await using _worker = await pgBossWorker(receiver, { boss, name: 'tried' })
  expect((await boss.getQueue('tried'))?.retryLimit).toBe(2)
})
