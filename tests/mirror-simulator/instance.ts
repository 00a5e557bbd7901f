import { NotesClient } from '@notewire/client'
import { createMirror, type Mirror } from '@notewire/mirror'
import type { IssuedKey } from '@notewire/mock-server'
import type { IncomingAttempt, Receiver } from '@notewire/webhooks'
import { SILENT } from '../../packages/mirror/fixtures/silent-logger.ts'
import { Stopped } from './errors.ts'
import type { HistoryContext } from './history-context.ts'
import type { Network } from './network.ts'
import { SimulatedProcess } from './simulated-process.ts'
import { simulatedStore } from './simulated-store.ts'

/** The secret with which the simulated service signs. */
export const SIGNING_SECRET = `whsec_${Buffer.from('a secret for simulated deliveries').toString('base64url')}`

/** Clocks differ by up to ten minutes, and these histories do not test verification. */
const TOLERANCE_SECONDS = 3_600

/** A job of an instance. */
export type Job = 'full-listing' | 'sync' | 'poll' | 'settle' | 'run' | 'accept'

/** One instance of the mirror. When its process has ended, another one starts. */
export class Instance {
  readonly #name: string
  readonly #skewMs: number
  readonly #context: HistoryContext
  readonly #network: Network
  #running: Running

  constructor(name: string, skewMs: number, context: HistoryContext, network: Network) {
    this.#name = name
    this.#skewMs = skewMs
    this.#context = context
    this.#network = network
    this.#running = this.#start()
  }

  get process(): SimulatedProcess {
    return this.#running.process
  }

  get mirror(): Mirror {
    return this.#running.mirror
  }

  async receive(attempt: IncomingAttempt): Promise<number> {
    return (await this.#running.receiver.respond(attempt)).status
  }

  /** Often reads due notes soon after an event was acknowledged. */
  onAcknowledged(): void {
    const { random, schedule } = this.#context
    if (random.chance(0.4)) schedule.after(random.integer(0, 3), () => this.begin('settle'), this.process)
  }

  /** Accepts the new key, as an operator would. */
  adoptKey(): void {
    const { process, mirror } = this.#running
    if (process.dead) return
    process.log(() => 'adopts its key')
    mirror.adoptKey().catch((error) => this.#context.checker.onError(error))
  }

  /** Runs the mirror with a key that sees other notes: the mirror must reject the key and change nothing. */
  async syncWithOtherKey(): Promise<void> {
    const { checker, store, integration, chronicle } = this.#context
    const { process, mirrorWithOtherKey } = this.#running
    // Before the first listing, any key is accepted.
    const { poll } = (await store.readProgress(integration)).progress
    if (process.dead || (poll.checkpoint === null && poll.backfilledAt === null)) return
    chronicle.count('job: with another key')
    process.log(() => 'syncs with another key')
    const mirror = mirrorWithOtherKey()
    const sync = this.#context.random.chance(0.5) ? mirror.sync({ fullListing: 'now' }) : mirror.settle()
    sync.then(
      () => checker.violated('Another key is not rejected.'),
      (error) => checker.onError(error, 'key_changed'),
    )
  }

  /** Begins a job. Its errors must be documented errors. */
  begin(job: Job): void {
    const { process, mirror } = this.#running
    if (process.dead) return
    const { random, schedule, checker, chronicle } = this.#context
    chronicle.count(`job: ${job}`)
    if (job === 'accept') checker.expectsHeldRemovals = false
    process.log(() => `begins to ${job}`)
    const abort = new AbortController()
    const { signal } = abort
    const mayEnd = job === 'run' || random.chance(0.05)
    if (mayEnd)
      schedule.after(random.integer(0, random.pick([10, 3_000, 200_000])), () => abort.abort(new Stopped()), process)
    process.jobs += 1
    const doing = jobs[job](mirror, signal).finally(() => {
      process.jobs -= 1
    })
    void doing.then(
      (outcome) => process.log(() => `has ended its ${job}: ${JSON.stringify(outcome)}`),
      (error: unknown) => {
        process.log(() => `fails to ${job}: ${String(error)}`)
        checker.onError(error)
      },
    )
  }

  #start(): Running {
    const context = this.#context
    const process: SimulatedProcess = new SimulatedProcess(this.#name, this.#skewMs, context, () => {
      const pauseMs = context.faultsAreOver ? 10 : context.random.pick([10, 2_000, 90_000])
      context.schedule.after(pauseMs, () => {
        this.#running = this.#start()
        this.process.log(() => 'starts')
      })
    })
    const { contract, keep, concurrency, pollEveryMs, fullListingEveryMs } = context.scenario
    const { baseUrl } = context.world.service
    const fetch = this.#network.fetchOf(process)
    const { notesField } = contract
    const clientOf = ({ key: apiKey }: IssuedKey) =>
      new NotesClient({ baseUrl, apiKey, fetch, notesField, maxRetries: 0 })
    const hooks = { onProblem: ({ error }: { readonly error: unknown }) => context.checker.onError(error) }
    const store = simulatedStore(process, context)
    const { integration } = context
    const mirrorOf = (client: NotesClient) =>
      createMirror({
        client,
        store,
        integration,
        keep,
        concurrency,
        pollEveryMs,
        fullListingEveryMs,
        hooks,
        logger: SILENT,
      })
    const client = clientOf(context.world.key)
    process.readsFromList = () => client.notes.readsFromList
    const mirror = mirrorOf(client)
    const receiver = mirror.receiver({ secret: SIGNING_SECRET, toleranceSeconds: TOLERANCE_SECONDS, logger: SILENT })
    return { process, mirror, receiver, mirrorWithOtherKey: () => mirrorOf(clientOf(context.world.otherKey)) }
  }
}

interface Running {
  readonly process: SimulatedProcess
  readonly mirror: Mirror
  readonly receiver: Receiver
  /** The same mirror, with a key that sees other notes. */
  readonly mirrorWithOtherKey: () => Mirror
}

const jobs: { readonly [Name in Job]: (mirror: Mirror, signal: AbortSignal) => Promise<unknown> } = {
  'full-listing': (mirror, signal) => mirror.sync({ fullListing: 'now', signal }),
  sync: (mirror, signal) => mirror.sync({ signal }),
  poll: (mirror, signal) => mirror.sync({ fullListing: 'never', signal }),
  settle: (mirror, signal) => mirror.settle({ signal }),
  run: (mirror, signal) => mirror.run({ signal }),
  accept: async (mirror) => {
    const { held } = await mirror.status()
    for (const { fullListingId } of held) await mirror.acceptRemovals(fullListingId)
  },
}
