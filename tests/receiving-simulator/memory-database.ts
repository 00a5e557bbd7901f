import { type Claim, memoryStore } from '@notewire/webhooks'
import { type CallingProcess, type Database, type Transaction, TransactionLostError } from './database.ts'
import { type HandlerCall, rowOf } from './handler-call.ts'
import type { HistoryContext } from './history-context.ts'

/** `memoryStore` and rows with common transactions, which processes call over a simulated network. */
export function memoryDatabase(context: HistoryContext): Database {
  const store = memoryStore({ clock: context.schedule.clock(0) })
  const rows: string[] = []

  function write(call: HandlerCall): void {
    rows.push(rowOf(call))
    context.checker.effectWritten(call)
  }

  async function writeInTransaction(
    call: HandlerCall,
    process: CallingProcess,
    commit: (transaction: Transaction) => Promise<void>,
  ): Promise<void> {
    const { grant } = call
    const onFailure = () => {
      grant.mayHaveEnded = true
    }
    call.committing = true
    const commitClaim = async (claim: Claim) => {
      const renewal = await store.renew(claim, claim.request.leaseMs)
      if (renewal === 'lost') return 'lost'
      context.checker.renewed(grant)
      return 'committed'
    }
    try {
      await commit({
        commitClaim: (claim) =>
          process.callDatabase('commits the claim in a transaction', () => commitClaim(claim), onFailure),
      })
      if (context.occurs('failingHandler')) throw new Error('the transaction was rolled back')
    } catch (error) {
      process.tell('rolls back')
      // Some handlers rethrow the error of their transaction, others swallow it.
      if (context.random.chance(0.5)) throw error
      return
    }
    await process.callDatabase('commits the transaction', () => commitTransaction(call), onFailure)
  }

  async function commitTransaction(call: HandlerCall): Promise<string> {
    if ((await store.commit(call.grant.claim)) === 'lost') throw new TransactionLostError()
    write(call)
    context.checker.committed(call.grant, call)
    call.ended = true
    return 'committed'
  }

  return { store, write, writeInTransaction, rows: () => rows }
}
