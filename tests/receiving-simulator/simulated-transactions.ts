import type { ClaimRequest, Seen, TransactionResult, TransactionStore, TransactionWork } from '@notewire/webhooks/store'
import { never } from '../simulation/never.ts'
import type { Transaction } from './database.ts'
import type { HandlerCall } from './handler-call.ts'
import type { HistoryContext } from './history-context.ts'
import type { SimulatedProcess } from './simulated-process.ts'
import type { SimulatedStore } from './simulated-store.ts'

/**
 * The connection of one process to the shared store, whose transactions take effect in one instant. Reports each effect to the checker.
 */
export class SimulatedTransactions implements TransactionStore<Transaction> {
  readonly #process: SimulatedProcess
  readonly #context: HistoryContext
  readonly #store: SimulatedStore

  constructor(process: SimulatedProcess, context: HistoryContext, store: SimulatedStore) {
    this.#process = process
    this.#context = context
    this.#store = store
  }

  look(request: ClaimRequest) {
    const { chronicle } = this.#context
    return this.#process.callDatabase(`looks up ${request.integration} ${request.eventId}`, async () => {
      const result = await this.#transactions.look(request)
      chronicle.count(`look: ${result.status}`)
      return result
    })
  }

  /** The connection may break before the transaction, and after its commit, so that nobody learns of it. */
  async transact(request: ClaimRequest, seen: Seen, work: TransactionWork<Transaction>): Promise<TransactionResult> {
    const { chronicle, random, checker } = this.#context
    const what = `the transaction of ${request.integration} ${request.eventId}`
    if (this.#process.dead || this.#process.maybeCrash(`before ${what}`)) return await never()
    await this.#process.sleep(random.pick([0, 1, 5, 20]))
    const breaks = this.#context.occurs('storeError') ? random.pick(['before', 'after']) : 'never'
    if (breaks === 'before') throw new Error('the database does not answer')
    let written: HandlerCall | undefined
    const call = (): unknown => {
      const result = work.call({
        write: (each) => {
          this.#context.database.write(each)
          written = each
        },
      })
      if (this.#process.maybeCrash(`in ${what}`)) throw new Error('the process has crashed')
      return result
    }
    const result = await this.#transactions.transact(request, seen, { ...work, call }).catch((error: unknown) => {
      if (this.#process.dead) return undefined
      this.#process.tell(`rolls back ${what}`)
      throw error
    })
    if (result === undefined) return await never()
    chronicle.count(`transaction: ${result.status}`)
    this.#process.tell(`ends ${what}: ${result.status}`)
    if (result.status === 'committed') {
      if (written !== undefined) checker.effectWritten(written)
      checker.committed(NO_LEASE(request), this.#store.findEvent(request.integration, request.eventId))
    }
    if (this.#process.maybeCrash(`after ${what}`)) return await never()
    await this.#process.sleep(random.pick([0, 1, 5, 20]))
    if (breaks === 'after') throw new Error('the database does not answer')
    return result
  }

  forget(integration: string, eventId: string) {
    return this.#store.forget(integration, eventId)
  }

  prune() {
    return this.#store.prune()
  }

  get #transactions() {
    const { transactions } = this.#context.database
    if (transactions === undefined) throw new Error('this history has no transactions')
    return transactions
  }
}

/** In place of the grant of a claim. Its lease has no length: row locks exclude other workers. */
export const NO_LEASE = (request: ClaimRequest) => ({
  claim: { request, fencingToken: '' },
  grantedAt: Number.NEGATIVE_INFINITY,
  validUntil: Number.NEGATIVE_INFINITY,
  takenOver: false,
  mayHaveEnded: false,
  mayExpire: false,
})
