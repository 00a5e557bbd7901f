import { setTimeout as sleep } from 'node:timers/promises'
import type { Redis } from 'ioredis'

/** Takes longer than a webhook may. A real one reads the note through @notewire/client, and asks a model. */
export async function summarise(redis: Redis, noteId: string, signal: AbortSignal): Promise<void> {
  await redis.hincrby('begun', noteId, 1)
  await sleep(Number(process.env['SUMMARY_MS'] ?? 12_000), undefined, { signal })
  await redis.hset('summaries', noteId, `A summary of ${noteId}.`)
}
