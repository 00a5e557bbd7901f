import { type Clock, OptionError } from '@notewire/protocol'
import type {
  ConsumerCommit,
  ConsumerCommitResult,
  ConsumerRecord,
  ConsumerState,
} from '../interfaces/consumer-store.ts'
import { MirrorError } from '../interfaces/errors.ts'
import type { MirrorStore } from '../interfaces/store.ts'
import { LEASE_MS, type RoundResult, unchanged } from './round-rule.ts'

const RENEW_EVERY_MS = 10_000

/** Identifies a consumer in its store. */
export interface ConsumerKey<Transaction> {
  readonly store: MirrorStore<Transaction>
  readonly integration: string
  readonly name: string
  readonly clock: Clock
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
    const now = clock.now()
    const startedAt = version === 0 ? await store.latestPosition(integration) : known.startedAt
    const state = { ...known, startedAt, leaseUntil: now + LEASE_MS }
    const commit = { ...unchanged(state), expectedVersion: version, token: token + 1, now }
    const result = await store.commitConsumer(integration, name, commit)
    return result === 'lost' ? undefined : new ConsumerLease(consumer, token + 1, version + 1, state)
  }

  /** @throws MirrorError `consumer_lost` when another process has the lease */
  async commit(result: RoundResult): Promise<void> {
    const { store, integration, name } = this.#consumer
    requireCommitted(await store.commitConsumer(integration, name, this.#commitOf(result)))
    this.#version += 1
  }

  /** Commits in the user's transaction. Throws synchronously if the store is synchronous. */
  commitIn(transaction: Transaction, result: RoundResult): Promise<void> {
    const { store, integration, name } = this.#consumer
    if (store.commitConsumerIn === undefined) {
      throw new OptionError(
        'store',
        'commit needs a store with transactions, and this store has none. Use sqliteMirror with a file or a Durable Object, or postgresMirror, or do not call commit.',
      )
    }
    const committed = store.commitConsumerIn(transaction, integration, name, this.#commitOf(result))
    if (typeof committed !== 'string') return committed.then(requireCommitted)
    requireCommitted(committed)
    return Promise.resolve()
  }

  /**
   * Whether the user's transaction has committed.
   *
   * @throws MirrorError `consumer_lost`
   */
  async hasCommitted(): Promise<boolean> {
    const { store, integration, name } = this.#consumer
    const { token, version } = await store.readConsumer(integration, name)
    if (token !== this.#token) throw new ConsumerLostError()
    const hasCommitted = version > this.#version
    if (!hasCommitted) this.#isReleased = false
    this.#version = version
    return hasCommitted
  }

  /** Renews the lease until the signal fires. Calls `onLost` once if another process has taken it. Never rejects. */
  async renewUntil(signal: AbortSignal, onLost: (error: MirrorError) => void): Promise<void> {
    const { store, integration, name, clock } = this.#consumer
    for (;;) {
      await clock.sleep(RENEW_EVERY_MS, signal).catch(() => undefined)
      if (signal.aborted) return
      if (this.#isReleased) continue
      const now = clock.now()
      // If the store fails, the next renewal may still be in time. Commits are fenced in any case.
      const renewal = await store
        .renewConsumer(integration, name, this.#token, now + LEASE_MS, now)
        .catch(() => 'unknown')
      if (renewal === 'lost' && !signal.aborted && !this.#isReleased) return onLost(new ConsumerLostError())
    }
  }

  #commitOf(result: RoundResult): ConsumerCommit {
    // A commit that keeps the lease also renews it. Otherwise the commit would overwrite a concurrent renewal.
    const now = this.#consumer.clock.now()
    const leaseUntil = result.state.leaseUntil === null ? null : now + LEASE_MS
    const state = { ...result.state, leaseUntil }
    this.#isReleased = leaseUntil === null
    return { ...result, state, expectedVersion: this.#version, token: this.#token, now }
  }
}

function requireCommitted(result: ConsumerCommitResult): void {
  if (result === 'lost') throw new ConsumerLostError()
}

/** The lease was not renewed in time, and another process has taken it. */
export class ConsumerLostError extends MirrorError {
  constructor() {
    super(
      'consumer_lost',
      'this process no longer holds the lease of the consumer, because it did not renew the lease in time, and another process continues. Let this error roll back your transaction; the other process applies the changes.',
    )
  }
}
