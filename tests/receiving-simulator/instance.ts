import type { WebhookEvent } from '@notewire/protocol'
import {
  createReceiver,
  type EventHandler,
  type EventHandlers,
  type ProcessOutcome,
  type Receiver,
} from '@notewire/webhooks'
import { makeHandler, makeTransactionHandler } from './handler.ts'
import type { HistoryContext } from './history-context.ts'
import { INTEGRATIONS } from './scenario.ts'
import { SimulatedProcess } from './simulated-process.ts'
import { SimulatedStore } from './simulated-store.ts'
import { SimulatedTransactions } from './simulated-transactions.ts'

export const SIGNING_SECRET = `whsec_${Buffer.from('a secret for simulated deliveries').toString('base64url')}`

/** The minimum that a receiver accepts. */
const DEDUP_WINDOW_MS = 27 * 3_600_000

const KILLED_AFTER_MS = 30_000

const silent = { info: () => undefined, warn: () => undefined, error: () => undefined }

/** An instance of the application. It starts again each time its process ends. */
export class Instance {
  readonly #name: string
  readonly #skewMs: number
  readonly #context: HistoryContext
  readonly #onConnectionsLost: (process: SimulatedProcess) => void
  #running: Running

  constructor(
    name: string,
    skewMs: number,
    context: HistoryContext,
    onConnectionsLost: (process: SimulatedProcess) => void,
  ) {
    this.#name = name
    this.#skewMs = skewMs
    this.#context = context
    this.#onConnectionsLost = onConnectionsLost
    this.#running = this.#start()
  }

  get process(): SimulatedProcess {
    return this.#running.process
  }

  receiverOf(integration: string): Receiver {
    const receiver = this.#running.receivers.get(integration)
    if (receiver === undefined) throw new Error(`no receiver for ${integration}`)
    return receiver
  }

  prune(): void {
    this.#running.store.prune().catch(() => undefined)
  }

  /** Stops the process as a deployment does: asks it to close, and kills it if it takes too long. */
  stop(): void {
    const { process } = this.#running
    if (process.dead) return
    process.tell('is asked to stop')
    void this.close().then(() => this.#context.schedule.after(50, () => process.end('stops'), process))
    this.#context.schedule.after(KILLED_AFTER_MS, () => process.end('is killed'))
  }

  async close(): Promise<void> {
    const { process } = this
    process.closingSince = Math.min(process.closingSince, this.#context.schedule.now)
    await Promise.all([...this.#running.receivers.values()].map((receiver) => receiver.close()))
  }

  #start(): Running {
    const context = this.#context
    const process: SimulatedProcess = new SimulatedProcess(this.#name, this.#skewMs, context, () => {
      this.#onConnectionsLost(process)
      const pauseMs = context.faultsAreOver ? 100 : context.random.pick([100, 2_000, 25_000, 60_000])
      context.schedule.after(pauseMs, () => {
        this.#running = this.#start()
        this.process.tell('starts')
      })
    })
    const store = new SimulatedStore(process, context)
    const receivers = new Map(
      INTEGRATIONS.map((integration) => [integration, makeReceiver(integration, process, store, context)]),
    )
    return { process, store, receivers }
  }
}

interface Running {
  readonly process: SimulatedProcess
  readonly store: SimulatedStore
  readonly receivers: ReadonlyMap<string, Receiver>
}

function makeReceiver(
  integration: string,
  process: SimulatedProcess,
  store: SimulatedStore,
  context: HistoryContext,
): Receiver {
  const { handled, handlesUnknown, gate, effects } = context.scenario
  const handlersOf = <Context>(handler: EventHandler<WebhookEvent, Context>) => ({
    on: Object.fromEntries([...handled].map((kind) => [kind, handler])) as EventHandlers<Context>,
    onUnknown: handlesUnknown ? handler : undefined,
  })
  const options = {
    secret: SIGNING_SECRET,
    integration,
    revisionGate: gate,
    // Clocks are wrong by up to ten minutes, and this simulator does not test the signature's timestamp.
    toleranceSeconds: 3_600,
    dedupWindowMs: DEDUP_WINDOW_MS,
    // Longer than the handlers take, as with leases.
    handlerTimeoutMs: 900_000,
    clock: process.clock,
    logger: silent,
    hooks: {
      onOutcome: ({ status, event }: ProcessOutcome) => {
        if (process.dead) return
        context.chronicle.count(`outcome: ${status}`)
        process.tell(`ends ${integration} ${event.event_id}: ${status}`)
      },
    },
  }
  if (effects === 'before the commit') {
    return createReceiver({ ...options, store, ...handlersOf(makeHandler(context, process, integration)) })
  }
  const { prepare, handle } = makeTransactionHandler(context, process, integration)
  const transactions = new SimulatedTransactions(process, context, store)
  return createReceiver({ ...options, store: transactions, prepare, ...handlersOf(handle) })
}
