import type { WebhookEvent } from '@notewire/protocol'
import type { EventContext, HandlerContext, TransactionContext } from '@notewire/webhooks'
import { never } from '../simulation/never.ts'
import type { Transaction } from './database.ts'
import type { HandlerCall } from './handler-call.ts'
import type { HistoryContext } from './history-context.ts'
import type { AddressedEvent } from './scenario.ts'
import type { SimulatedProcess } from './simulated-process.ts'
import { NO_LEASE } from './simulated-transactions.ts'

const SLOW_MS = [3_000, 9_000, 12_000, 25_000, 45_000] as const

/** The application's handler, which writes one row. It may be slow or fail. */
export function makeHandler(context: HistoryContext, process: SimulatedProcess, integration: string) {
  return (event: WebhookEvent, handlerContext: HandlerContext): void | Promise<void> => {
    const grant = process.grantOf({ integration, event })
    if (grant === undefined) throw new Error('a handler runs without a claim')
    process.tell(`begins to handle ${integration} ${event.event_id}`)
    const call = context.checker.handlerCalled({ integration, event }, process, grant)
    const run = new HandlerRun(context, process, call, handlerContext)
    try {
      const work = context.random.chance(0.2) ? run.apply() : run.applyWithDelays()
      if (work === undefined) return run.end()
      return work.then(
        () => run.end(),
        (error: unknown) => run.fail(error),
      )
    } catch (error) {
      return run.fail(error)
    }
  }
}

/** The same in transactions of the receiver: what takes time comes before the transaction, in `prepare`. */
export function makeTransactionHandler(context: HistoryContext, process: SimulatedProcess, integration: string) {
  async function prepare(_event: WebhookEvent, eventContext: EventContext): Promise<void> {
    await delay(context, process, 80, context.random.chance(0.5) ? eventContext.signal : undefined)
    if (context.occurs('failingHandler')) throw new Error('before the transaction')
    if (process.maybeCrash('before the transaction')) await never()
  }

  function handle(event: WebhookEvent, { transaction }: TransactionContext<Transaction>): void {
    const request = { integration, eventId: event.event_id, gate: 'off', leaseMs: 0, keepMs: 0 } as const
    const call = context.checker.handlerCalled({ integration, event }, process, NO_LEASE(request))
    try {
      if (context.occurs('failingHandler')) throw new Error('before the effect')
      transaction.write(call)
      if (context.occurs('failingHandler')) throw new Error('after the effect')
    } finally {
      call.ended = true
    }
  }

  return { prepare, handle }
}

async function delay(
  context: HistoryContext,
  process: SimulatedProcess,
  usualMs: number,
  signal: AbortSignal | undefined,
): Promise<void> {
  const { random } = context
  const ms = context.occurs('slowHandler') ? random.pick(SLOW_MS) : random.integer(0, usualMs)
  await process.sleep(ms, signal)
  process.maybeFreeze()
  await process.sleep(random.integer(0, 5))
}

class HandlerRun {
  readonly #context: HistoryContext
  readonly #process: SimulatedProcess
  readonly #call: HandlerCall
  readonly #handlerContext: HandlerContext
  /** Whether it stops on `signal`. */
  readonly #stopsOnAbort: boolean

  constructor(context: HistoryContext, process: SimulatedProcess, call: HandlerCall, handlerContext: HandlerContext) {
    this.#context = context
    this.#process = process
    this.#call = call
    this.#handlerContext = handlerContext
    this.#stopsOnAbort = context.random.chance(0.5)
  }

  async applyWithDelays(): Promise<void> {
    await this.#delay(80)
    await this.apply()
    await this.#delay(20)
    if (this.#context.occurs('failingHandler')) throw new Error('after the effect')
  }

  #delay(usualMs: number): Promise<void> {
    return delay(this.#context, this.#process, usualMs, this.#stopsOnAbort ? this.#handlerContext.signal : undefined)
  }

  /** Synchronous if the database call is. */
  apply(): undefined | Promise<void> {
    if (this.#context.occurs('failingHandler')) throw new Error('before the effect')
    if (this.#process.maybeCrash('in a handler, before its effect')) return never()
    const work = this.#write()
    if (work === undefined && this.#process.maybeCrash('in a handler, after its effect')) return never()
    return work
  }

  #write(): undefined | Promise<void> {
    const { database, random, checker } = this.#context
    const write = () => {
      database.write(this.#call)
      checker.effectWritten(this.#call)
    }
    if (random.chance(0.7)) return this.#process.callDatabase(`writes ${this.#what()}`, async () => write())
    this.#process.tell(`writes ${this.#what()}`)
    write()
    return undefined
  }

  end(): void {
    this.#call.ended = true
    this.#process.tell(`has handled ${this.#what()}`)
  }

  fail(error: unknown): never {
    this.#call.threw = true
    this.#call.ended = true
    this.#process.tell(`fails to handle ${this.#what()}: ${error instanceof Error ? error.message : String(error)}`)
    throw error
  }

  #what(): string {
    const { integration, event }: AddressedEvent = this.#call
    return `${integration} ${event.event_id}`
  }
}
