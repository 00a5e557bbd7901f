import type { WebhookEvent } from '@notewire/protocol'
import type { HandlerContext } from '@notewire/webhooks'
import { never } from '../simulation/never.ts'
import type { AddressedEvent } from './circumstances.ts'
import type { Transaction } from './database.ts'
import type { HandlerCall } from './handler-call.ts'
import type { Life } from './life.ts'
import type { Stage } from './stage.ts'

const SLOW_MS = [3_000, 9_000, 12_000, 25_000, 45_000] as const

/** A handler of the application's: it takes its time, writes one row, and fails now and then. */
export function makeHandler(stage: Stage, life: Life, integration: string) {
  return (event: WebhookEvent, context: HandlerContext<Transaction>): unknown => {
    const grant = life.grantOf({ integration, event })
    if (grant === undefined) throw new Error('a handler runs without a claim')
    life.tell(`begins to handle ${integration} ${event.event_id}`)
    const call = stage.judge.handlerBegins({ integration, event }, life, grant)
    const run = new HandlerRun(stage, life, call, context)
    try {
      const work = stage.random.chance(0.2) ? run.apply() : run.takeTime()
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
  readonly #stage: Stage
  readonly #life: Life
  readonly #call: HandlerCall
  readonly #context: HandlerContext<Transaction>
  /** Whether it stops when the context's signal fires. */
  readonly #obeys: boolean

  constructor(stage: Stage, life: Life, call: HandlerCall, context: HandlerContext<Transaction>) {
    this.#stage = stage
    this.#life = life
    this.#call = call
    this.#context = context
    this.#obeys = stage.random.chance(0.5)
  }

  async takeTime(): Promise<void> {
    await this.#pass(80)
    await this.apply()
    await this.#pass(20)
    if (this.#stage.strikes('failingHandler')) throw new Error('after the effect')
  }

  async #pass(usualMs: number): Promise<void> {
    const { random } = this.#stage
    const ms = this.#stage.strikes('slowHandler') ? random.pick(SLOW_MS) : random.integer(0, usualMs)
    await this.#life.sleep(ms, this.#obeys ? this.#context.signal : undefined)
    this.#life.mayFreeze()
    await this.#life.sleep(random.integer(0, 5))
  }

  /** At once where the database is asked at once, and a promise elsewhere. */
  apply(): undefined | Promise<void> {
    if (this.#stage.strikes('failingHandler')) throw new Error('before the effect')
    if (this.#life.mayCrash('in a handler, before its effect')) return never()
    const work = this.#write()
    if (work === undefined && this.#life.mayCrash('in a handler, after its effect')) return never()
    return work
  }

  #write(): undefined | Promise<void> {
    const { circumstances, database, random } = this.#stage
    if (circumstances.effects === 'with the mark') {
      return database.writeInTransaction(this.#call, this.#life, this.#context.commit)
    }
    if (random.chance(0.7)) return this.#life.ask(`writes ${this.#what()}`, async () => database.write(this.#call))
    this.#life.tell(`writes ${this.#what()}`)
    database.write(this.#call)
    return undefined
  }

  end(): void {
    this.#call.ended = true
    this.#life.tell(`has handled ${this.#what()}`)
  }

  fail(error: unknown): never {
    this.#call.threw = true
    this.#call.ended = true
    this.#life.tell(`fails to handle ${this.#what()}: ${error instanceof Error ? error.message : String(error)}`)
    throw error
  }

  #what(): string {
    const { integration, event }: AddressedEvent = this.#call
    return `${integration} ${event.event_id}`
  }
}
