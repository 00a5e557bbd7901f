import { IdempotencyConfig, makeIdempotent } from '@aws-lambda-powertools/idempotency'
import { CachePersistenceLayer } from '@aws-lambda-powertools/idempotency/cache'
import type { CacheClient } from '@aws-lambda-powertools/idempotency/cache/types'
import { KEEP_MS, LEASE_MS, newEventId } from './claims.ts'

// The Lambda context. Without it Powertools logs a warning for each event, and the events of a dead worker stay claimed.
const CONTEXT = { getRemainingTimeInMillis: () => LEASE_MS }

/** Runs an empty function once per event with Powertools. */
export function oncePowertools(client: CacheClient): () => Promise<unknown> {
  const runOnce = makeIdempotent(async (_eventId: string, _context: typeof CONTEXT) => undefined, {
    persistenceStore: new CachePersistenceLayer({ client }),
    config: new IdempotencyConfig({ expiresAfterSeconds: KEEP_MS / 1000 }),
  })
  return () => runOnce(newEventId(), CONTEXT)
}
