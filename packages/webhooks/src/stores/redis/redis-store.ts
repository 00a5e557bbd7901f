import { NotewireError } from '@notewire/protocol'
import type { NoteChange } from '../../interfaces/revision-gate.ts'
import {
  type Claim,
  type ClaimRequest,
  type ClaimResult,
  type CommitResult,
  type ReceiverStore,
  STORE_TIME_LIMIT_MS,
} from '../../interfaces/store.ts'
import { withinTimeLimit } from '../../storage/time-limit.ts'
import { eventKey, keysOf } from './keys.ts'
import { appliedIn, seenLine } from './note-value.ts'
import { type IoredisClient, type NodeRedisClient, type RunScript, scriptRunner } from './redis-client.ts'
import { CLAIM, COMMIT, FORGET, RELEASE, RENEW, type Script } from './scripts.ts'

/**
 * A store in Redis 6.2 or newer, or Valkey: for any number of instances, over your own client. Every operation is one script, so it is
 * atomic and takes one round trip. It uses the clock of the server. There is nothing to migrate or prune.
 *
 * **Keys.** `{notewire:<integration>}:event:<event id>` and `{notewire:<integration>}:note:<note id>`, after the key prefix of the client,
 * if it has one. All keys of an integration are in one slot of a Redis Cluster, and so on one node: the throughput of an integration is
 * limited to one node, and several integrations are spread over the nodes.
 *
 * **Limits.** An operation fails after five seconds with {@link RedisTimeoutError}. If Redis grants a claim after that, the store releases
 * it. Time limits of your client apply as well. If the answer to a claim is lost, because of a broken connection or such a time limit,
 * the event is `busy` until the lease expires after 20 s; the service sends the event again after 30 s.
 *
 * **What can be lost.** Redis answers before a replica has received the write. A failover can lose the last claims and commits: those
 * that the new master had not received, and all that the old master accepted while it was cut off. After such a loss an event that is
 * sent again can be applied again, an older revision can be applied after a newer one, two workers can claim one note (the commit of the
 * first is rejected), and an event that you forgot with `forget` can be a duplicate. An event that was not applied never counts as
 * applied. A crash of a server without a replica loses nothing with `appendfsync always`, one or two seconds with `everysec`, and
 * everything since the last snapshot without `appendonly`. If applying an event twice does harm, write idempotent handlers, or use a
 * store with transactions.
 *
 * Set `maxmemory-policy noeviction`, because evicted keys are lost.
 *
 * @param client  a `Redis` or `Cluster` of `ioredis`, or a connected client, pool, cluster or sentinel of `redis`. Close it yourself
 * @throws OptionError if the client is from neither driver
 * @example
 * ```ts
 * import { createReceiver } from '@notewire/webhooks'
 * import { redisStore } from '@notewire/webhooks/redis'
 * import { Redis } from 'ioredis'
 *
 * const redis = new Redis(process.env['REDIS_URL'] ?? 'redis://localhost')
 *
 * export const receiver = createReceiver({
 *   secret: () => process.env['NOTES_SIGNING_SECRET'],
 *   store: redisStore(redis),
 *   on: { 'note.deleted': ({ data }) => console.log(data.note_id, 'is gone') },
 * })
 * ```
 */
export function redisStore(client: IoredisClient | NodeRedisClient): ReceiverStore {
  return new RedisStore(scriptRunner(client))
}

class RedisStore implements ReceiverStore {
  readonly #run: RunScript

  constructor(run: RunScript) {
    this.#run = run
  }

  async claim(request: ClaimRequest): Promise<ClaimResult> {
    const { note, gate, leaseMs, keepMs } = request
    const args = [wholeMs(leaseMs), wholeMs(leaseMs + keepMs)]
    if (note?.change?.revision !== undefined && gate !== 'off') {
      args.push(revisionOf(note.change), gate, seenLine(note.change), timeOf(note.change))
    }
    const reply = await this.#runScript('claim', CLAIM, keysOf(request), args, (lateReply) => {
      // The receiver no longer waits for this claim. Without the release, the event would be busy until the lease expires.
      const late = claimResult(lateReply, request)
      if (late.status === 'claimed') this.release(late.claim).catch(() => undefined)
    })
    return claimResult(reply, request)
  }

  async renew({ request, fencingToken }: Claim, leaseMs: number): Promise<'renewed' | 'lost'> {
    const args = [fencingToken, wholeMs(leaseMs), wholeMs(leaseMs + request.keepMs)]
    const reply = await this.#runScript('renew', RENEW, keysOf(request), args)
    return reply === 'renewed' ? reply : 'lost'
  }

  async commit({ request, fencingToken }: Claim): Promise<CommitResult> {
    const { note, keepMs } = request
    const args = [fencingToken, wholeMs(keepMs)]
    if (note?.change !== undefined) {
      args.push(revisionOf(note.change), seenLine(note.change), timeOf(note.change))
    }
    const reply = await this.#runScript('commit', COMMIT, keysOf(request), args)
    return reply === 'committed' ? reply : 'lost'
  }

  async release({ request, fencingToken }: Claim): Promise<void> {
    await this.#runScript('release', RELEASE, keysOf(request), [fencingToken])
  }

  async forget(integration: string, eventId: string): Promise<'forgotten' | 'unknown'> {
    const reply = await this.#runScript('forget', FORGET, [eventKey(integration, eventId)], [])
    return reply === 'forgotten' ? reply : 'unknown'
  }

  /** Does nothing: Redis removes expired keys. */
  async prune(): Promise<number> {
    return 0
  }

  #runScript(
    operation: string,
    script: Script,
    keys: readonly string[],
    args: readonly string[],
    onLate?: (reply: string) => void,
  ): Promise<string> {
    const work = this.#run(script, keys, args)
    return withinTimeLimit(work, STORE_TIME_LIMIT_MS, () => new RedisTimeoutError(operation), onLate)
  }
}

function claimResult(reply: string, request: ClaimRequest): ClaimResult {
  if (reply === 'duplicate' || reply === 'busy') return { status: reply }
  const [first = '', second] = reply.split(' ')
  if (first === 'stale') return { status: 'stale', appliedRevision: second === '' ? undefined : Number(second) }
  return { status: 'claimed', claim: { request, fencingToken: first, applied: appliedIn(reply) } }
}

/** The revision of a change, or an empty string. */
function revisionOf({ revision }: NoteChange): string {
  return revision === undefined ? '' : String(revision)
}

/** The time at which a change occurred, in milliseconds since the Unix epoch, or an empty string. */
function timeOf({ occurredAt }: NoteChange): string {
  return occurredAt === undefined ? '' : String(occurredAt)
}

// Redis accepts whole numbers of at least 1, and no Infinity.
function wholeMs(ms: number): string {
  return String(Math.min(Math.max(Math.ceil(ms), 1), Number.MAX_SAFE_INTEGER))
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
