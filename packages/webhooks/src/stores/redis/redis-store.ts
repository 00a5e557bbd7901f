import { NotewireError, refuseSurplusOptions } from '@notewire/protocol'
import { withinTimeLimit } from '@notewire/storage'
import { type AppliedRevision, raiseRevision } from '../../interfaces/revision-gate.ts'
import { type Claim, type ClaimRequest, type ReceiverStore, STORE_TIME_LIMIT_MS } from '../../interfaces/store.ts'
import { claimResult, type Lease, releaseUnused } from '../look-result.ts'
import { type IoredisClient, type NodeRedisClient, scriptRunner } from './redis-client.ts'
import { CLAIM, FORGET, WRITE } from './scripts.ts'

export type { IoredisClient, NodeRedisClient } from './redis-client.ts'

/**
 * A store in Redis 6.2 or newer, or Valkey: for any number of instances, over your own client. Every operation is one script, so it is
 * atomic and takes one round trip; a claim that is `stale` is two. It uses the clock of the server. There is nothing to migrate or prune.
 *
 * **Keys.** `{notewire:<integration>}:event:<event id>` and `{notewire:<integration>}:note:<note id>`, after the key prefix of the client,
 * if it has one. All keys of an integration are in one slot of a Redis Cluster, and so on one node: the throughput of an integration is
 * limited to one node, and several integrations are spread over the nodes.
 *
 * An operation fails after five seconds with {@link RedisTimeoutError}; time limits of your client apply as well. If Redis grants a claim after
 * that, the store releases it. If the answer to a claim is lost, the event is `busy` until the lease expires after 20 s; the service sends the
 * event again after 30 s.
 *
 * Redis answers before a replica has received a write, so a failover can lose the last claims and commits. Events can then be applied again
 * or in the wrong order, but an event that was not applied never counts as applied. If that does harm, use a store with transactions. Set
 * `maxmemory-policy noeviction`, because evicted keys are lost.
 *
 * @param client  a `Redis` or `Cluster` of `ioredis`, or a connected client, pool, cluster or sentinel of `redis`. Close it yourself
 * @throws OptionError if the client is from neither driver
 * @example
 * ```ts
 * import { createReceiver } from '@notewire/webhooks'
 * import { redisStore } from '@notewire/webhooks/redis'
 * import { Redis } from 'ioredis'
 *
 * const store = redisStore(new Redis(process.env['REDIS_URL'] ?? 'redis://localhost'))
 * export const receiver = createReceiver({ secret: () => process.env['NOTES_SIGNING_SECRET'], store, on: {} })
 * ```
 */
export function redisStore(client: IoredisClient | NodeRedisClient): ReceiverStore
export function redisStore(client: IoredisClient | NodeRedisClient, ...surplus: readonly unknown[]): ReceiverStore {
  refuseSurplusOptions('redisStore', surplus)
  const run = scriptRunner(client)

  async function leaseOf(request: ClaimRequest): Promise<Lease> {
    const { leaseMs, keepMs } = request
    return leaseIn(await run(CLAIM, keysOf(request), [wholeMs(leaseMs), wholeMs(leaseMs + keepMs)]))
  }

  /** Writes the values of a claim. Returns `false` if the claim was lost. */
  async function write({ request, fencingToken }: Claim, writing: Writing): Promise<boolean> {
    const { leaseMs, eventState = '', noteState = '' } = writing
    const leased = leaseMs === undefined ? '0' : wholeMs(leaseMs)
    const states = [eventState, noteState].slice(0, keysOf(request).length)
    const reply = await run(WRITE, keysOf(request), [fencingToken, leased, wholeMs(request.keepMs), ...states])
    return reply === 'written'
  }

  function limited<Result>(operation: string, work: Promise<Result>, onLate?: (result: Result) => void) {
    return withinTimeLimit(work, STORE_TIME_LIMIT_MS, () => new RedisTimeoutError(operation), onLate)
  }

  async function release(held: Claim): Promise<void> {
    await limited('release', write(held, {}))
  }

  return {
    async claim(request) {
      const lease = await limited('claim', leaseOf(request), (late) => {
        // The receiver no longer waits for this claim. Without the release, the event would be busy until the lease expires.
        void releaseUnused(request, late, release)
      })
      return await claimResult(request, lease, release)
    },
    async renew(held, leaseMs) {
      return (await limited('renew', write(held, { leaseMs }))) ? 'renewed' : 'lost'
    },
    async commit(held) {
      // What was applied is still the same: another claim would have changed the token.
      const { note } = held.request
      const noteState = note?.change && JSON.stringify(raiseRevision(held.applied, note.change))
      return (await limited('commit', write(held, { eventState: 'processed', noteState }))) ? 'committed' : 'lost'
    },
    release,
    async forget(integration, eventId) {
      const reply = await limited('forget', run(FORGET, keysOf({ integration, eventId }), []))
      return reply === 'forgotten' ? reply : 'unknown'
    },
    /** Does nothing: Redis removes expired keys. */
    prune: async () => 0,
  }
}

interface Writing {
  /** Omitted if there is no lease afterwards. */
  readonly leaseMs?: number
  readonly eventState?: 'processed'
  readonly noteState?: string | undefined
}

/** Reads the reply of `CLAIM`. */
function leaseIn(reply: string): Lease {
  const [token, isLeased, event = '', note = ''] = reply.split('\n')
  const eventState = stateOf(event)
  const noteState = stateOf(note)
  const known = {
    applied: noteState === '' ? undefined : (JSON.parse(noteState) as AppliedRevision),
    isProcessed: eventState !== '',
    isForgotten: eventState === 'forgotten',
    isLeased: isLeased === '1',
  }
  return { known: { ...known, eventVersion: undefined, noteVersion: undefined }, token: token || undefined }
}

/** What follows the token and the two times of a value. */
function stateOf(value: string): string {
  return value.split(' ').slice(3).join(' ')
}

/** Three hundred years: callers may pass `Infinity`, and Lua writes numbers of up to 14 digits exactly. */
const LONGEST_MS = 1e13

// Redis accepts whole numbers of at least 1.
function wholeMs(ms: number): string {
  return String(Math.min(Math.max(Math.ceil(ms), 1), LONGEST_MS))
}

/** Redis did not answer in time: it is unreachable or overloaded. */
export class RedisTimeoutError extends NotewireError<'redis_timeout'> {
  constructor(operation: string) {
    super(
      'redis_timeout',
      `Redis did not answer "${operation}" within ${STORE_TIME_LIMIT_MS / 1000} s: it is unreachable or overloaded. ` +
        'Check the events "error" and "reconnecting" of your Redis client. The delivery will be retried.',
    )
  }
}

/** The keys of a claim: the key of its event and, if it has a note, the key of its note. */
function keysOf({
  integration,
  eventId,
  note,
}: Pick<ClaimRequest, 'integration' | 'eventId' | 'note'>): readonly string[] {
  const tag = hashTag(integration)
  const event = `${tag}:event:${eventId}`
  return note === undefined ? [event] : [event, `${tag}:note:${note.noteId}`]
}

// All keys of an integration are in one slot of a cluster, because one commit writes the keys of an event and its note. The slot cannot
// depend on the note, because `forget` knows no note id. A hash tag ends at the first closing brace, and must not be empty.
function hashTag(integration: string): string {
  return `{notewire:${integration.replaceAll(/[%{}]/g, (character) => encodeURIComponent(character))}}`
}
