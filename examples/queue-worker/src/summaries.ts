import { setTimeout as sleep } from 'node:timers/promises'
import type { Redis } from 'ioredis'

/** Takes longer than the deadline of a webhook. A real function reads the note with @notewire/client, and calls a model. */
export async function summarise(redis: Redis, noteId: string, signal: AbortSignal): Promise<void> {
  await redis.hincrby('begun', noteId, 1)
  await sleep(Number(process.env['SUMMARY_MS'] ?? 12_000), undefined, { signal })
  await redis.hset('summaries', noteId, `A summary of ${noteId}.`)
}
