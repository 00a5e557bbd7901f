import { type Clock, OptionError } from '@notewire/protocol'
import { keepLease, leaseFrom } from '../concurrency/lease.ts'
import {
  type ConsumerCommit,
  type ConsumerCommitResult,
  type ConsumerRecord,
  type ConsumerState,
  type ConsumersRequest,
  NEW_CONSUMER,
} from '../consumers/consumer-store.ts'
import { MirrorBusyError, MirrorError } from '../errors.ts'
import type { MirrorStore } from '../stores/mirror-store.ts'
import { type RoundResult, unchanged } from './round-rule.ts'

/** No consumer has this version. */
const NO_VERSION = -1

export interface ConsumerKey<Transaction> {
  readonly store: MirrorStore<Transaction>
  readonly integration: string
  readonly name: string
  /** Where a consumer begins that is not stored yet. */
  readonly from: 'beginning' | 'now'
  readonly clock: Clock
  /** Whether the content of a removed integration is being erased. Meanwhile, its consumers get nothing. */
  readonly isErasing: () => Promise<boolean>
}

/** A lease of a consumer that this process holds. Each commit carries its fencing token. */
export class ConsumerLease<Transaction> {
  readonly #consumer: ConsumerKey<Transaction>
  readonly #token: number
  #version: number
  #isReleased = false
  readonly state: ConsumerState

  private constructor(consumer: ConsumerKey<Transaction>, token: number, version: number, state: ConsumerState) {
    this.#consumer = consumer
    this.#token = token
    this.#version = version
    this.state = state
  }

  /** Takes the lease; `undefined` if another process has taken it meanwhile. */
  static async take<Transaction>(
    consumer: ConsumerKey<Transaction>,
    { state: known, version, token }: ConsumerRecord,
  ): Promise<ConsumerLease<Transaction> | undefined> {
    const { store, integration, name, clock } = consumer
    const isStarting = version === 0 || known.fromNow?.awaitsListing === true
    const started = isStarting ? await start(consumer, version === 0 ? undefined : known) : known
    const state = { ...started, leaseUntil: leaseFrom(clock.now()).until }
    const commit = { ...unchanged(state), expectedVersion: version, token: token + 1 }
    const result = await store.commitConsumer(integration, name, commit)
    return result === 'lost' ? undefined : new ConsumerLease(consumer, token + 1, version + 1, state)
  }

  /**
   * Commits. If `retryParked` has written the consumer meanwhile, it commits again.
   *
   * @throws MirrorError `consumer_lost` when another process has the lease
   */
  async commit(result: RoundResult): Promise<void> {
    const { store, integration, name } = this.#consumer
    while ((await store.commitConsumer(integration, name, this.#commitOf(result))) === 'lost') {
      const { token, version } = await readConsumer(this.#consumer)
      if (token !== this.#token || version === this.#version) throw new ConsumerLostError()
      this.#version = version
    }
    this.#version += 1
  }

  /**
   * Commits in the user's transaction. Throws synchronously if the store is synchronous.
   *
   * @param commitId  with it, `hasCommitted` finds the commit
   */
  commitIn(transaction: Transaction, result: RoundResult, commitId: string): Promise<void> {
    const { store, integration, name } = this.#consumer
    if (!store.takesTransactions) {
      throw new OptionError(
        'store',
        'commit needs a store with transactions, and this store has none. Use sqliteMirror with a file or a Durable Object, or postgresMirror, or do not call commit.',
      )
    }
    const marked = { ...result, state: { ...result.state, commitId } }
    const committed = store.commitConsumer(integration, name, this.#commitOf(marked), transaction)
    if (typeof committed !== 'string') return committed.then(requireCommitted)
    requireCommitted(committed)
    return Promise.resolve()
  }

  /** Fails the user's transaction, after `wait`. Throws synchronously if the store is synchronous. */
  refuseIn(transaction: Transaction, error: MirrorError, wait: Promise<unknown>): Promise<void> {
    const { store, integration } = this.#consumer
    // It writes nothing, and shows whether the store is synchronous. No consumer has this name, so that it locks no row that `wait` writes.
    const commit = { ...unchanged(this.state), expectedVersion: NO_VERSION, token: this.#token }
    const refused = store.commitConsumer(integration, '', commit, transaction)
    if (typeof refused === 'string') throw error
    return Promise.allSettled([refused, wait]).then(() => {
      throw error
    })
  }

  /**
   * Whether a transaction of the user has committed a `commitIn` with this id. A higher version does not show it: `retryParked` raises it, too.
   *
   * @throws MirrorError `consumer_lost`
   */
  async hasCommitted(commitId: string): Promise<boolean> {
    const { token, version, state } = await readConsumer(this.#consumer)
    const hasCommitted = state.commitId === commitId
    // Another process may have taken the lease since the commit. Its version must not become the expected one.
    if (token === this.#token) this.#version = version
    else if (!hasCommitted) throw new ConsumerLostError()
    if (!hasCommitted) this.#isReleased = false
    return hasCommitted
  }

  /** Works under the lease, and renews it until it is released. */
  async keep<Result>(work: (signal: AbortSignal) => Promise<Result>): Promise<Result> {
    const { store, integration, name, clock } = this.#consumer
    const renew = async () => {
      if (this.#isReleased) return true
      const renewal = { token: this.#token, leaseUntil: leaseFrom(clock.now()).until }
      return (await store.commitConsumer(integration, name, renewal)) === 'committed' || this.#isReleased
    }
    return await keepLease({ clock, renew, lost: () => new ConsumerLostError() }, work)
  }

  #commitOf(result: RoundResult): ConsumerCommit {
    // A commit that keeps the lease also renews it. Otherwise the commit would overwrite a concurrent renewal.
    const leaseUntil = result.state.leaseUntil === null ? null : leaseFrom(this.#consumer.clock.now()).until
    const state = { ...result.state, leaseUntil }
    this.#isReleased = leaseUntil === null
    return { ...result, state, expectedVersion: this.#version, token: this.#token }
  }
}

/** The maximum number of attempts of `makeDue`. Each conflict means that the consumer was written meanwhile. */
const MAX_ATTEMPTS = 200

/**
 * Makes notes of a consumer due again, also while it consumes.
 *
 * @returns the number of these notes
 */
export async function makeDue<Transaction>(
  consumer: Pick<ConsumerKey<Transaction>, 'store' | 'integration' | 'name' | 'clock'>,
  choose: (record: ConsumerRecord, now: number) => RoundResult,
): Promise<number> {
  const { store, integration, name, clock } = consumer
  for (let attempts = 0; attempts < MAX_ATTEMPTS; attempts += 1) {
    const record = await readConsumer(consumer, { isDetailed: true })
    const { version: expectedVersion, token } = record
    const result = choose(record, clock.now())
    if (result.notes.size === 0) return 0
    const commit = { ...result, expectedVersion, token }
    if ((await store.commitConsumer(integration, name, commit)) === 'committed') return result.notes.size
  }
  throw new MirrorBusyError()
}

/** Reads a consumer, as a new one if it was never written. */
export async function readConsumer<Transaction>(
  { store, integration, name }: Pick<ConsumerKey<Transaction>, 'store' | 'integration' | 'name'>,
  request: Omit<ConsumersRequest, 'name'> = {},
): Promise<ConsumerRecord> {
  const [record] = await store.listConsumers(integration, { ...request, name })
  if (record === undefined) throw new Error(`the store returned no record of the consumer "${name}"`)
  return record
}

/** Decides where a consumer starts. One that starts from now, before the first listing has ended, waits for its end: `waiting` is its state. */
async function start<Transaction>(
  { store, integration, from }: ConsumerKey<Transaction>,
  waiting: ConsumerState | undefined,
): Promise<ConsumerState> {
  const { sequence, progress, position: startPosition } = await store.readProgress(integration)
  if (waiting === undefined && from === 'beginning') return { ...NEW_CONSUMER, startPosition }
  const awaitsListing = progress.poll.backfilledAt === null
  const fromNow = { sequence: waiting?.fromNow?.sequence ?? sequence, awaitsListing }
  // If it has waited, notes may have changed meanwhile, so that it begins at the first position.
  if (awaitsListing || waiting !== undefined) return { ...NEW_CONSUMER, startPosition, fromNow }
  return { ...NEW_CONSUMER, cursor: startPosition, base: startPosition, startPosition, fromNow }
}

function requireCommitted(result: ConsumerCommitResult): void {
  if (result === 'lost') throw new ConsumerLostError()
}

/** The lease was not renewed in time, and another process has taken it. */
export class ConsumerLostError extends MirrorError {
  constructor() {
    super(
      'consumer_lost',
      'this process no longer holds the lease of the consumer, because it did not renew the lease in time, and another process continues; or retryParked was called while apply ran. Let this error roll back your transaction; the changes are passed again.',
    )
  }
}
