import { IdempotencyConfig, makeIdempotent } from '@aws-lambda-powertools/idempotency'
import { CachePersistenceLayer } from '@aws-lambda-powertools/idempotency/cache'
import type { CacheClient } from '@aws-lambda-powertools/idempotency/cache/types'
import { KEEP_MS, LEASE_MS, newEventId } from './claims.ts'

// What Lambda tells a handler. Powertools warns at each event without it, and lets nobody take over from a dead worker.
const CONTEXT = { getRemainingTimeInMillis: () => LEASE_MS }

/** Runs an empty function once an event, by Powertools. */
export function oncePowertools(client: CacheClient): () => Promise<unknown> {
  const runOnce = makeIdempotent(async (_eventId: string, _context: typeof CONTEXT) => undefined, {
    persistenceStore: new CachePersistenceLayer({ client }),
    config: new IdempotencyConfig({ expiresAfterSeconds: KEEP_MS / 1000 }),
  })
  return () => runOnce(newEventId(), CONTEXT)
}
