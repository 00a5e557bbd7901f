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

/** Measures `enqueue`, compared with the engine's own function that adds a job. */
export async function measureQueues(): Promise<readonly Table[]> {
  return [await measureBullmq(), await measurePgBoss()]
}

async function measureBullmq(): Promise<Table> {
  await using redis = await startRedis({ durable: true })
  const connection = { url: redis.url }
  const [raw, ours] = [new Queue('raw', { connection }), new Queue('notewire', { connection })]
  try {
    return {
      title: 'Hand-off to BullMQ',
      unit: 'events/s',
      note: 'Redis writes each job to disk before it answers. Raw is queue.add without an id, hence without deduplication. Ratios of throughput to it.',
      rows: await handOffs('queue.add', (job) => raw.add('note.updated', job), bullmqQueue(ours)),
    }
  } finally {
    await Promise.all([raw.close(), ours.close()])
  }
}

async function measurePgBoss(): Promise<Table> {
  await using postgres = await startPostgres({ durable: true })
  const boss = new PgBoss(postgres.url)
  boss.on('error', console.error)
  await boss.start()
  try {
    await boss.createQueue('raw')
    return {
      title: 'Hand-off to pg-boss',
      unit: 'events/s',
      note: 'PostgreSQL waits for the disk at each job. Raw is boss.send to a queue of the standard policy, without deduplication. Ratios of throughput to it.',
      rows: await handOffs('boss.send', (job) => boss.send('raw', job), pgBossQueue({ boss })),
    }
  } finally {
    await boss.stop({ graceful: false })
  }
}

async function handOffs(rawName: string, add: (job: object) => Promise<unknown>, queue: EventQueue): Promise<Row[]> {
  const [delivery] = signDeliveries(1, 330)
  const event = readEvent(JSON.parse(String(delivery?.body)))
  const newEvent = () => ({ ...event, event_id: newEventId() })
  const contenders: readonly Contender[] = [
    { name: rawName, operate: () => add({ integration: 'default', event: newEvent() }) },
    { name: 'notewire', operate: () => queue.enqueue('default', newEvent()) },
  ]
  return [...(await measureThroughput(contenders, 1)), ...(await measureThroughput(contenders, 32))]
}
