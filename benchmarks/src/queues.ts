import { readEvent } from '@notewire/protocol/schemas'
import type { EventQueue } from '@notewire/webhooks'
import { bullmqQueue } from '@notewire/webhooks/bullmq'
import { pgBossQueue } from '@notewire/webhooks/pg-boss'
import { Queue } from 'bullmq'
import { startPostgres, startRedis } from 'notewire-test-servers'
import { PgBoss } from 'pg-boss'
import { newEventId } from './claims.ts'
import { signDeliveries } from './deliveries.ts'
import type { Row, Table } from './report.ts'
import { type Contender, measureThroughput } from './throughput.ts'

/** Our lower limit, as a share of the queue's own function. */
const AIM = 0.9

/** Measures `enqueue`, compared with the queue's own function that adds a job. */
export async function measureQueues(): Promise<readonly Table[]> {
  return [
    {
      title: 'How fast does an event reach a queue?',
      unit: 'events/s',
      moreIsBetter: true,
      note: 'Redis and PostgreSQL write each job to disk before they answer. *The bare call* is `queue.add` or `boss.send` without deduplication.',
      rows: [...(await inBullmq()), ...(await inPgBoss())],
    },
  ]
}

async function inBullmq(): Promise<readonly Row[]> {
  await using redis = await startRedis({ durable: true })
  const connection = { url: redis.url }
  const [raw, ours] = [new Queue('raw', { connection }), new Queue('notewire', { connection })]
  try {
    return await handOffs('BullMQ', (job) => raw.add('note.updated', job), bullmqQueue(ours))
  } finally {
    await Promise.all([raw.close(), ours.close()])
  }
}

async function inPgBoss(): Promise<readonly Row[]> {
  await using postgres = await startPostgres({ durable: true })
  const boss = new PgBoss(postgres.url)
  boss.on('error', console.error)
  await boss.start()
  try {
    await boss.createQueue('raw')
    return await handOffs('pg-boss', (job) => boss.send('raw', job), pgBossQueue({ boss }))
  } finally {
    await boss.stop({ graceful: false })
  }
}

async function handOffs(
  name: string,
  add: (job: object) => Promise<unknown>,
  queue: EventQueue,
): Promise<readonly Row[]> {
  const [delivery] = signDeliveries(1, 330)
  const event = readEvent(JSON.parse(String(delivery?.body)))
  const newEvent = () => ({ ...event, event_id: newEventId() })
  const contenders: readonly Contender[] = [
    {
      name: 'the bare call',
      operate: () => add({ integration: 'default', event: newEvent() }),
      isAlternative: true,
    },
    { name: 'notewire', operate: () => queue.enqueue('default', newEvent()), aim: AIM },
  ]
  return [...(await measureThroughput(name, contenders, 1)), ...(await measureThroughput(name, contenders, 32))]
}
