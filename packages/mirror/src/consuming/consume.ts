import { type ErrorFacts, errorFactsOf } from '@notewire/protocol'
import { Wakeup } from '../concurrency/wakeup.ts'
import type { ConsumerRecord, ConsumerState } from '../consumers/consumer-store.ts'
import { IntegrationRemovedError } from '../errors.ts'
import { backoffAfter } from '../rules/backoff.ts'
import { isOfStore } from '../service/failures.ts'
import type { MirrorStore } from '../stores/mirror-store.ts'
import { applyAndCommit } from './apply-and-commit.ts'
import { ConsumerLease, ConsumerLostError, readConsumer } from './consumer-lease.ts'
import type { Delivery } from './delivery.ts'
import type { Round } from './round.ts'
import {
  afterRound,
  afterSingle,
  chooseDeliveries,
  dueTime,
  dueUntil,
  type RoundResult,
  reachesEnd,
  unchanged,
} from './round-rule.ts'

/** Result of `consumeDue`. */
export interface ConsumeReport {
  /** The number of changes that were applied. */
  readonly applied: number
  /** The number of changes that failed. They are retried later, or parked. */
  readonly failed: number
  /**
   * When to call again, in milliseconds since the Unix epoch: now if there are more changes, at the next retry of a note, or when another
   * process's lease ends. `null` if there is nothing to do until the next change.
   */
  readonly nextAt: number | null
}

const NOTHING_DONE = { applied: 0, failed: 0 } as const

/** The shortest time between two polls of the store by an idle consumer, for changes of other processes. In milliseconds. */
const MIN_POLL_MS = 1_000

/** What a consumer does in each round, before its store was opened. */
type RoundParts<Transaction> = Omit<Round<Transaction>, 'store'>

/** Consumes until the signal fires, or until a removed integration has no more removals. Retries with growing pauses if the store fails. */
export async function consume<Transaction>(
  parts: RoundParts<Transaction>,
  open: () => Promise<MirrorStore<Transaction>>,
): Promise<void> {
  const store = await openStore(parts, open)
  if (store === undefined) return
  const round = { ...parts, store }
  const { signal, clock, onChange, longestIdleMs = MIN_POLL_MS } = round
  const changes = new Wakeup()
  const stopListening = onChange?.(() => changes.wake())
  let pollMs = MIN_POLL_MS
  for (let failures = 0; !signal.aborted; ) {
    try {
      const { count } = changes
      const idleMs = idleTime(await runRound(round), clock.now())
      if (idleMs > 0 && changes.count === count) await changes.nextWithin(Math.min(idleMs, pollMs), clock, signal)
      pollMs = idleMs > 0 ? Math.min(pollMs * 2, longestIdleMs) : MIN_POLL_MS
      reportEnd(round, failures)
      failures = 0
    } catch (error) {
      if (error instanceof IntegrationRemovedError) break
      await pauseAfter(error, failures, round)
      failures += 1
    }
  }
  stopListening?.()
}

/** @returns `undefined` if the signal fires first */
async function openStore<Transaction>(
  parts: RoundParts<Transaction>,
  open: () => Promise<MirrorStore<Transaction>>,
): Promise<MirrorStore<Transaction> | undefined> {
  for (let failures = 0; !parts.signal.aborted; failures += 1) {
    try {
      const store = await open()
      reportEnd(parts, failures)
      return store
    } catch (error) {
      if (!isOfStore(error)) throw error
      await pauseAfter(error, failures, parts)
    }
  }
  return undefined
}

async function pauseAfter<Transaction>(error: unknown, failures: number, parts: RoundParts<Transaction>) {
  const { clock, signal, onProblem } = parts
  onProblem({ error })
  reportBeginning(parts, failures, error)
  await clock.sleep(backoffAfter(failures), signal).catch(() => undefined)
}

function idleTime(done: RoundEnd, now: number): number {
  return 'idleUntil' in done ? (done.idleUntil ?? Number.POSITIVE_INFINITY) - now : 0
}

/** Consumes one batch, if one is due. */
export async function consumeDue<Transaction>(round: Round<Transaction>): Promise<ConsumeReport> {
  const done = await runRound(round)
  const now = round.clock.now()
  const record = await readDue(round, now)
  const nextAt = record.state.fromNow?.awaitsListing ? now + MIN_POLL_MS : dueTime(record, now)
  return { ...('idleUntil' in done ? NOTHING_DONE : done), nextAt }
}

/** Result of a round. If nothing was due: the time of the next due work if no note changes, or `null` if there is none. */
type RoundEnd = Pick<ConsumeReport, 'applied' | 'failed'> | { readonly idleUntil: number | null }

async function runRound<Transaction>(round: Round<Transaction>): Promise<RoundEnd> {
  const { clock } = round
  const now = clock.now()
  const record = await readDue(round, now)
  const dueAt = dueTime(record, now)
  // A consumer that starts from now is stored in its first round, even if there is no change yet.
  const isStarted = record.version > 0 || round.from === 'beginning'
  if (isStarted && (dueAt === null || dueAt > now)) return { idleUntil: dueAt }
  if (record.state.fromNow?.awaitsListing && !(await hasListed(round))) return { idleUntil: now + MIN_POLL_MS }
  const lease = await ConsumerLease.take(round, record)
  if (lease === undefined) return { idleUntil: clock.now() + MIN_POLL_MS }
  const ended = Promise.withResolvers<void>()
  try {
    return await lease.keep((lost) =>
      lease.state.fromNow?.awaitsListing
        ? waitForListing(lease, clock.now())
        : deliver(lease, { ...round, ended: ended.promise }, lost, record),
    )
  } catch (error) {
    if (error instanceof ConsumerLostError) return { idleUntil: clock.now() + MIN_POLL_MS }
    throw error
  } finally {
    ended.resolve()
  }
}

/** Reads the consumer. While content is erased, nothing is due. */
async function readDue<Transaction>(round: Round<Transaction>, now: number): Promise<ConsumerRecord> {
  const record = await readConsumer(round)
  return (await round.isErasing()) ? { ...record, hasChanges: false, nextDueAt: now + MIN_POLL_MS } : record
}

async function hasListed<Transaction>({ store, integration }: Round<Transaction>): Promise<boolean> {
  const { progress } = await store.readProgress(integration)
  return progress.poll.backfilledAt !== null
}

async function waitForListing<Transaction>(lease: ConsumerLease<Transaction>, now: number): Promise<RoundEnd> {
  await lease.commit(unchanged({ ...lease.state, leaseUntil: null }))
  return { idleUntil: now + MIN_POLL_MS }
}

async function deliver<Transaction>(
  lease: ConsumerLease<Transaction>,
  round: Round<Transaction> & { readonly ended: Promise<void> },
  lost: AbortSignal,
  record: ConsumerRecord,
) {
  const { store, integration, name, clock, batchSize, signal } = round
  const { state } = lease
  const limit = batchSize + state.failures
  const dueBy = dueUntil(record, clock.now())
  const listed = await store.listConsumable(integration, name, { after: state.cursor, dueBy, limit })
  // The content was read before the removal, and must not be passed on. The next round reads the removals.
  if (await round.isErasing()) throw new ConsumerLostError()
  const deliveries = chooseDeliveries(listed, state, limit)
  const batch = deliveries.slice(0, batchSize)
  const applied = batch.filter(({ kind }) => kind !== 'nothing')
  const whole = afterRound(state, batch, new Map(), reachesEnd(listed, batch, limit), clock.now())
  const context = { ...round, lost, signal: AbortSignal.any([signal, lost]) }
  const thrown = await applyAndCommit(lease, applied, whole, context)
  if (thrown === undefined) {
    reportRound(round, state, whole, new Map())
    return { applied: applied.length, failed: 0 }
  }

  const failures = new Map<string, ErrorFacts>()
  const singles = deliveries.filter(({ kind }) => kind !== 'nothing')
  for (const single of singles) {
    // An error during shutdown does not count as a failure of the note.
    if (signal.aborted) break
    const error =
      singles.length === 1 ? thrown : await applyAndCommit(lease, [single], afterSingle(state, single), context)
    if (error === undefined || signal.aborted) continue
    const { noteId } = single.note.state
    failures.set(noteId, errorFactsOf(error.thrown))
    const isRepeated = hasFailed(state, single)
    reportBeginning(round, Number(isRepeated) + failures.size - 1, error.thrown, noteId)
    round.onProblem({ error: error.thrown, noteId, isRepeated })
  }
  if (signal.aborted) {
    await lease.commit(unchanged({ ...state, leaseUntil: null }))
    return NOTHING_DONE
  }
  const result = afterRound(state, deliveries, failures, reachesEnd(listed, deliveries, limit), clock.now())
  await lease.commit(result)
  reportRound(round, state, result, failures)
  return { applied: singles.length - failures.size, failed: failures.size }
}

/** Logs which notes were parked, and that the consumer no longer backs off. */
function reportRound<Transaction>(
  { report }: Pick<Round<Transaction>, 'report'>,
  before: ConsumerState,
  after: RoundResult,
  failures: ReadonlyMap<string, ErrorFacts>,
): void {
  for (const [noteId, note] of after.notes) {
    if (failures.has(noteId) && typeof note?.parkedAt === 'number') report('consumer-parked', undefined, noteId)
  }
  if (before.failures > 0 && after.state.failures === 0) report('consumer-over')
}

/** @param before  how many failures were reported already */
function reportBeginning<Transaction>(
  { report }: Pick<Round<Transaction>, 'report'>,
  before: number,
  error: unknown,
  noteId?: string,
): void {
  if (before === 0) report('consumer-begun', error, noteId)
}

function reportEnd<Transaction>({ report }: Pick<Round<Transaction>, 'report'>, failures: number): void {
  if (failures > 0) report('consumer-over')
}

function hasFailed({ failures }: ConsumerState, { note: { kept } }: Delivery): boolean {
  return failures > 0 || (kept?.attempts ?? 0) > 0
}
