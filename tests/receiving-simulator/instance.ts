import { createReceiver, type EventHandlers, type Receiver } from '@notewire/webhooks'
import { INTEGRATIONS } from './circumstances.ts'
import type { Transaction } from './database.ts'
import { DistantStore } from './distant-store.ts'
import { makeHandler } from './handler.ts'
import { Life } from './life.ts'
import type { Stage } from './stage.ts'

export const SIGNING_SECRET = `whsec_${Buffer.from('a secret for simulated deliveries').toString('base64url')}`

/** The shortest that a receiver accepts. */
const DEDUP_WINDOW_MS = 27 * 3_600_000

const KILLED_AFTER_MS = 30_000

const silent = { info: () => undefined, warn: () => undefined, error: () => undefined }

/** One of the instances behind the load balancer: started again whenever it has ended. */
export class Instance {
  readonly #name: string
  readonly #skewMs: number
  readonly #stage: Stage
  readonly #onConnectionsLost: (life: Life) => void
  #running: Running

  constructor(name: string, skewMs: number, stage: Stage, onConnectionsLost: (life: Life) => void) {
    this.#name = name
    this.#skewMs = skewMs
    this.#stage = stage
    this.#onConnectionsLost = onConnectionsLost
    this.#running = this.#start()
  }

  get life(): Life {
    return this.#running.life
  }

  receiverOf(integration: string): Receiver {
    const receiver = this.#running.receivers.get(integration)
    if (receiver === undefined) throw new Error(`no receiver for ${integration}`)
    return receiver
  }

  prune(): void {
    this.#running.store.prune().catch(() => undefined)
  }

  /** Stops it as a deployment does: asks, and kills it when it takes too long. */
  stop(): void {
    const { life } = this.#running
    if (life.dead) return
    life.tell('is asked to stop')
    void this.close().then(() => this.#stage.schedule.after(50, () => life.end('stops'), life))
    this.#stage.schedule.after(KILLED_AFTER_MS, () => life.end('is killed'))
  }

  async close(): Promise<void> {
    const { life } = this
    life.closingSince = Math.min(life.closingSince, this.#stage.schedule.now)
    await Promise.all([...this.#running.receivers.values()].map((receiver) => receiver.close()))
  }

  #start(): Running {
    const stage = this.#stage
    const life: Life = new Life(this.#name, this.#skewMs, stage, () => {
      this.#onConnectionsLost(life)
      const pauseMs = stage.faultsAreOver ? 100 : stage.random.pick([100, 2_000, 25_000, 60_000])
      stage.schedule.after(pauseMs, () => {
        this.#running = this.#start()
        this.life.tell('starts')
      })
    })
    const store = new DistantStore(life, stage)
    const receivers = new Map(
      INTEGRATIONS.map((integration) => [integration, makeReceiver(integration, life, store, stage)]),
    )
    return { life, store, receivers }
  }
}

interface Running {
  readonly life: Life
  readonly store: DistantStore
  readonly receivers: ReadonlyMap<string, Receiver>
}

function makeReceiver(integration: string, life: Life, store: DistantStore, stage: Stage): Receiver {
  const { handled, handlesUnknown, gate } = stage.circumstances
  const handler = makeHandler(stage, life, integration)
  const on: EventHandlers<Transaction> = Object.fromEntries([...handled].map((kind) => [kind, handler]))
  return createReceiver<Transaction>({
    secret: SIGNING_SECRET,
    on,
    onUnknown: handlesUnknown ? handler : undefined,
    store,
    integration,
    revisionGate: gate,
    // Clocks are off by up to ten minutes, and verification is not the subject.
    toleranceSeconds: 3_600,
    dedupWindowMs: DEDUP_WINDOW_MS,
    clock: life.clock,
    logger: silent,
    hooks: {
      onOutcome: ({ status, event }) => {
        if (life.dead) return
        stage.chronicle.count(`outcome: ${status}`)
        life.tell(`concludes ${integration} ${event.event_id}: ${status}`)
      },
    },
  })
}
