import { OptionError } from '@notewire/protocol'
import type { Logger } from '../interfaces/logger.ts'
import type { Claim, CommitResult, ReceiverStore } from '../interfaces/store.ts'
import { withRevision } from './claim-request.ts'
import { ClaimLostError, type HandlerContext } from './handlers.ts'
import type { GivenUpBecause, ReceivedEvent } from './received-event.ts'

interface Tools<Transaction> {
  readonly store: ReceiverStore<Transaction>
  readonly logger: Logger
}

/** An event whose claim this process holds, and what its handler has done with it. */
export class ClaimedEvent<Transaction> {
  readonly received: ReceivedEvent
  /** `monotonicNow` before the claim was requested: a lower bound for the start of the lease. */
  readonly claimedAt: number
  /** Why the receiver stopped waiting for the handler. */
  givenUp: GivenUpBecause | undefined
  /** Whether another worker has the claim, or its lease has expired. */
  isLost = false
  /** Ends the renewals of the lease. */
  endLease: () => void = () => undefined
  readonly #tools: Tools<Transaction>
  #claim: Claim
  #isCommitted = false

  constructor(received: ReceivedEvent, claim: Claim, claimedAt: number, tools: Tools<Transaction>) {
    this.received = received
    this.claimedAt = claimedAt
    this.#claim = claim
    this.#tools = tools
  }

  /** The claim, with the revision to commit. */
  get claim(): Claim {
    return this.#claim
  }

  /** Whether the handler has called `context.commit`. */
  get isCommitted(): boolean {
    return this.#isCommitted
  }

  /** What the handler gets. */
  context(prepared: unknown): HandlerContext<Transaction> {
    return Object.assign(this.received.context(this.#claim.applied, this.#tools.logger), {
      prepared,
      commit: (transaction: Transaction) => this.#commitIn(transaction),
      setAppliedRevision: (revision: number) => {
        this.#claim = { ...this.#claim, request: withRevision(this.#claim.request, revision) }
      },
    })
  }

  /** Throws at once if the driver is synchronous, so that the handler's transaction is rolled back. */
  #commitIn(transaction: Transaction): Promise<void> {
    if (this.givenUp !== undefined) throw new ClaimLostError()
    this.#isCommitted = true
    // Until it ends, the transaction locks the claim, and a renewal would only wait for that lock.
    this.endLease()
    const { store } = this.#tools
    if (store.commitIn === undefined) throw new OptionError('store', WITHOUT_TRANSACTIONS)
    const result = store.commitIn(transaction, this.#claim)
    if (typeof result === 'string') this.#refuseLost(result)
    return Promise.resolve(result).then((settled) => this.#refuseLost(settled))
  }

  #refuseLost(result: CommitResult): void {
    if (result === 'committed') return
    this.isLost = true
    throw new ClaimLostError()
  }
}

const WITHOUT_TRANSACTIONS =
  'context.commit needs a store with transactions, and this store has none. Use sqliteStore or postgresStore, or do not call context.commit.'
