import { type Clock, OptionError } from '@notewire/protocol'
import type {
  ConsumerCommit,
  ConsumerCommitResult,
  ConsumerRecord,
  ConsumerState,
} from '../interfaces/consumer-store.ts'
import { MirrorError } from '../interfaces/errors.ts'
import type { MirrorStore } from '../interfaces/store.ts'
import { type RoundResult, unchanged } from './round-rule.ts'

/** How long a lease lasts unless it is renewed, in milliseconds: after a crash, the consumer continues so much later. */
const LEASE_MS = 30_000

const RENEW_EVERY_MS = 10_000

/** A consumer, and where it is kept. */
export interface ConsumerPlace<Transaction> {
  readonly store: MirrorStore<Transaction>
  readonly integration: string
  readonly name: string
  readonly clock: Clock
}

/** One process's turn at a consumer: it holds the lease, and every commit is fenced by it. */
export class Turn<Transaction> {
  readonly #place: ConsumerPlace<Transaction>
  readonly #token: number
  #version: number
  #hasGivenBack = false
  readonly state: ConsumerState

  private constructor(place: ConsumerPlace<Transaction>, token: number, version: number, state: ConsumerState) {
    this.#place = place
    this.#token = token
    this.#version = version
    this.state = state
  }

  /** Takes the lease; `undefined` if another process was faster. */
  static async take<Transaction>(
    place: ConsumerPlace<Transaction>,
    { state: known, version, token }: ConsumerRecord,
  ): Promise<Turn<Transaction> | undefined> {
    const { store, integration, name, clock } = place
    const startedAt = version === 0 ? await store.latestPosition(integration) : known.startedAt
    const state = { ...known, startedAt, leaseUntil: clock.now() + LEASE_MS }
    const commit = { ...unchanged(state), expectedVersion: version, token: token + 1 }
    const result = await store.commitConsumer(integration, name, commit)
    return result === 'lost' ? undefined : new Turn(place, token + 1, version + 1, state)
  }

  /** @throws MirrorError `consumer_lost` when another process has the lease */
  async commit(result: RoundResult): Promise<void> {
    const { store, integration, name } = this.#place
    requireCommitted(await store.commitConsumer(integration, name, this.#commitOf(result)))
    this.#version += 1
  }

  /** Commits in the user's own transaction. Throws at once if the store is synchronous. */
  commitIn(transaction: Transaction, result: RoundResult): Promise<void> {
    const { store, integration, name } = this.#place
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
    const { store, integration, name } = this.#place
    const { token, version } = await store.readConsumer(integration, name)
    if (token !== this.#token) throw new ConsumerLostError()
    const hasCommitted = version > this.#version
    if (!hasCommitted) this.#hasGivenBack = false
    this.#version = version
    return hasCommitted
  }

  /** Renews the lease until the signal fires, or calls `onLost` once if another process has it. Never rejects. */
  async keep(signal: AbortSignal, onLost: (error: MirrorError) => void): Promise<void> {
    const { store, integration, name, clock } = this.#place
    for (;;) {
      await clock.sleep(RENEW_EVERY_MS, signal).catch(() => undefined)
      if (signal.aborted) return
      if (this.#hasGivenBack) continue
      const until = clock.now() + LEASE_MS
      // If the store does not answer, the next renewal may still come in time. The commit is fenced in any case.
      const renewal = await store.renewConsumer(integration, name, this.#token, until).catch(() => 'unknown')
      if (renewal === 'lost' && !signal.aborted && !this.#hasGivenBack) return onLost(new ConsumerLostError())
    }
  }

  #commitOf(result: RoundResult): ConsumerCommit {
    // A commit that keeps the lease prolongs it: what was renewed since must not be taken back.
    const leaseUntil = result.state.leaseUntil === null ? null : this.#place.clock.now() + LEASE_MS
    const state = { ...result.state, leaseUntil }
    this.#hasGivenBack = leaseUntil === null
    return { ...result, state, expectedVersion: this.#version, token: this.#token }
  }
}

function requireCommitted(result: ConsumerCommitResult): void {
  if (result === 'lost') throw new ConsumerLostError()
}

/** Another process consumes: this one was too slow, or was frozen, and its lease ended. */
export class ConsumerLostError extends MirrorError {
  constructor() {
    super(
      'consumer_lost',
      'this process no longer holds the lease of the consumer, because it did not renew the lease in time, and another process continues. Let this error roll back your transaction; the other process applies the changes.',
    )
  }
}
