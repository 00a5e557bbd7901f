import type { WebhookEvent } from '@notewire/protocol'
import type { HandlerContext } from '@notewire/webhooks'
import { never } from '../simulation/never.ts'
import type { Transaction } from './database.ts'
import type { HandlerCall } from './handler-call.ts'
import type { HistoryContext } from './history-context.ts'
import type { AddressedEvent } from './scenario.ts'
import type { SimulatedProcess } from './simulated-process.ts'

const SLOW_MS = [3_000, 9_000, 12_000, 25_000, 45_000] as const

/** The application's handler, which writes one row. It may be slow or fail. */
export function makeHandler(context: HistoryContext, process: SimulatedProcess, integration: string) {
  return (event: WebhookEvent, handlerContext: HandlerContext<Transaction>): void | Promise<void> => {
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

class HandlerRun {
  readonly #context: HistoryContext
  readonly #process: SimulatedProcess
  readonly #call: HandlerCall
  readonly #handlerContext: HandlerContext<Transaction>
  /** Whether it stops on `signal`. */
  readonly #stopsOnAbort: boolean

  constructor(
    context: HistoryContext,
    process: SimulatedProcess,
    call: HandlerCall,
    handlerContext: HandlerContext<Transaction>,
  ) {
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

  async #delay(usualMs: number): Promise<void> {
    const { random } = this.#context
    const ms = this.#context.occurs('slowHandler') ? random.pick(SLOW_MS) : random.integer(0, usualMs)
    await this.#process.sleep(ms, this.#stopsOnAbort ? this.#handlerContext.signal : undefined)
    this.#process.maybeFreeze()
    await this.#process.sleep(random.integer(0, 5))
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
    const { scenario, database, random } = this.#context
    if (scenario.effects === 'with the commit') {
      return database.writeInTransaction(this.#call, this.#process, this.#handlerContext.commit)
    }
    if (random.chance(0.7))
      return this.#process.callDatabase(`writes ${this.#what()}`, async () => database.write(this.#call))
    this.#process.tell(`writes ${this.#what()}`)
    database.write(this.#call)
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
