import { NotewireError } from '@notewire/protocol'
import type { GateMode, NoteChange } from '../../interfaces/revision-gate.ts'
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
import { type IoredisClient, type NodeRedisClient, type RunScript, scriptRunner } from './redis-client.ts'
import { CLAIM, COMMIT, FORGET, RELEASE, RENEW, type Script } from './scripts.ts'

/**
 * A store in Redis 6.2 or newer, or Valkey: for any number of instances, over the client that you already have. Every
 * operation is one script, hence atomic and one round trip, by the clock of the server. There is nothing to migrate, and
 * nothing to prune.
 *
 * **Keys.** `{notewire:<integration>}:event:<event id>` and `{notewire:<integration>}:note:<note id>`, with the prefix of the client,
 * if it has one, before them. All keys of an integration are in one slot of a Redis Cluster, hence on one node: a receiver has
 * the throughput of one node, and receivers of several integrations spread.
 *
 * **Limits.** An operation fails after five seconds with {@link RedisTimeoutError}; a claim that Redis gives after that is
 * given back. Limits of your client apply as well. A claim whose answer is lost, by a broken connection or by such a limit,
 * stays `busy` until it runs out after 20 s; the service sends the event again after 30 s.
 *
 * **What can be lost.** Redis answers before a replica has what it wrote. A failover can forget the last claims and
 * commits: those that the new master had not received, and all that the old one accepted while it was cut off. Then an event
 * that is sent again can be applied again, an older revision can pass after a newer one, two workers can hold one note (the
 * first is refused at its commit), and a replay that was asked for with `forget` can be taken for a duplicate. No event
 * that was not applied is taken for one that was. A crash of a server without replica forgets nothing with `appendfsync
 * always`, a second or two with `everysec`, and all since the last snapshot without `appendonly`. Where a repeat does harm,
 * write idempotent handlers, or use a store with transactions.
 *
 * Set `maxmemory-policy noeviction`: what is evicted is forgotten.
 *
 * @param client  a `Redis` or `Cluster` of `ioredis`, or a client, pool, cluster or sentinel of `redis` that is connected;
 * it stays yours to close
 * @throws OptionError for a client of neither driver
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
    if (note?.change !== undefined) args.push(...gateArguments(gate, note.change))
    const reply = await this.#ask('claim', CLAIM, keysOf(request), args, (lateReply) => {
      // Nobody waits for this claim any longer: it would keep its event busy until its lease ends.
      const late = claimResult(lateReply, request)
      if (late.status === 'claimed') this.release(late.claim).catch(() => undefined)
    })
    return claimResult(reply, request)
  }

  async renew({ request, fencingToken }: Claim, leaseMs: number): Promise<'renewed' | 'lost'> {
    const args = [fencingToken, wholeMs(leaseMs), wholeMs(leaseMs + request.keepMs)]
    const reply = await this.#ask('renew', RENEW, keysOf(request), args)
    return reply === 'renewed' ? reply : 'lost'
  }

  async commit({ request, fencingToken }: Claim): Promise<CommitResult> {
    const { note, keepMs } = request
    const args = [fencingToken, wholeMs(keepMs)]
    if (note?.change !== undefined) args.push(String(note.change.revision), seenLine(note.change), timeOf(note.change))
    const reply = await this.#ask('commit', COMMIT, keysOf(request), args)
    return reply === 'committed' ? reply : 'lost'
  }

  async release({ request, fencingToken }: Claim): Promise<void> {
    await this.#ask('release', RELEASE, keysOf(request), [fencingToken])
  }

  async forget(integration: string, eventId: string): Promise<'forgotten' | 'unknown'> {
    const reply = await this.#ask('forget', FORGET, [eventKey(integration, eventId)], [])
    return reply === 'forgotten' ? reply : 'unknown'
  }

  /** Redis itself removes what need not be kept any longer. */
  async prune(): Promise<number> {
    return 0
  }

  #ask(
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
  if (first === 'stale') return { status: 'stale', appliedRevision: Number(second) }
  return { status: 'claimed', claim: { request, fencingToken: first } }
}

/**
 * What the gate has to know: the revision; where something can pass at an equal one, `always`, or what passes unless it is
 * seen, or nothing; and when the event occurred, which must be later than a deletion.
 */
function gateArguments(gate: GateMode, change: NoteChange): readonly string[] {
  if (gate === 'off') return []
  const revision = String(change.revision)
  if (gate === 'strict') return [revision]
  const unlessSeen = gate === 'per-kind' ? seenLine(change) : ''
  return [revision, change.kind === 'note.deleted' ? 'always' : unlessSeen, timeOf(change)]
}

/** A kind, with its recording session where there is one, in one line. Of a deletion the kind alone. */
function seenLine({ kind, recordingSessionId }: NoteChange): string {
  if (kind === 'note.deleted' || recordingSessionId === undefined) return kind
  return `${kind} ${JSON.stringify(recordingSessionId)}`
}

/** When a change occurred, in milliseconds since the Unix epoch, or nothing. */
function timeOf({ occurredAt }: NoteChange): string {
  return occurredAt === undefined ? '' : String(occurredAt)
}

// Redis takes whole numbers from 1, and no Infinity.
function wholeMs(ms: number): string {
  return String(Math.min(Math.max(Math.ceil(ms), 1), Number.MAX_SAFE_INTEGER))
}

/** Redis did not answer in time: it cannot be reached, or is overloaded. */
export class RedisTimeoutError extends NotewireError<'redis_timeout'> {
  constructor(operation: string) {
    super(
      'redis_timeout',
      `Redis did not answer "${operation}" within ${STORE_TIME_LIMIT_MS / 1000} s: it is unreachable or overloaded. ` +
        'Check the events "error" and "reconnecting" of your Redis client. The delivery will be retried.',
    )
  }
}
