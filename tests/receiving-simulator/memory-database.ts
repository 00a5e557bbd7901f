import { type Claim, memoryStore } from '@notewire/webhooks'
import { type AskingProcess, type Database, type Transaction, TransactionLostError } from './database.ts'
import { type HandlerCall, rowOf } from './handler-call.ts'
import type { Stage } from './stage.ts'

/** `memoryStore`, with rows beside it and transactions over both: at a distance, as a server is. */
export function memoryDatabase(stage: Stage): Database {
  const store = memoryStore({ clock: stage.schedule.clock(0) })
  const rows: string[] = []

  function write(call: HandlerCall): void {
    rows.push(rowOf(call))
    stage.judge.landed(call)
  }

  async function writeInTransaction(
    call: HandlerCall,
    process: AskingProcess,
    commit: (transaction: Transaction) => Promise<void>,
  ): Promise<void> {
    const { grant } = call
    const fails = () => {
      grant.unsure = true
    }
    call.marking = true
    const mark = async (claim: Claim) => {
      const renewal = await store.renew(claim, claim.request.leaseMs)
      if (renewal === 'lost') return 'lost'
      stage.judge.renewed(grant)
      return 'committed'
    }
    try {
      await commit({ mark: (claim) => process.ask('marks the event in a transaction', () => mark(claim), fails) })
      if (stage.strikes('failingHandler')) throw new Error('the transaction was rolled back')
    } catch (error) {
      process.tell('rolls back')
      // Some let the error of their transaction leave the handler; some swallow it.
      if (stage.random.chance(0.5)) throw error
      return
    }
    await process.ask('commits the transaction', () => commitTransaction(call), fails)
  }

  async function commitTransaction(call: HandlerCall): Promise<string> {
    if ((await store.commit(call.grant.claim)) === 'lost') throw new TransactionLostError()
    write(call)
    stage.judge.marked(call.grant, call)
    call.ended = true
    return 'committed'
  }

  return { store, write, writeInTransaction, rows: () => rows }
}
