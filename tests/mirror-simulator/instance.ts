import { NotesClient } from '@notewire/client'
import { createMirror, type Mirror } from '@notewire/mirror'
import type { IssuedKey } from '@notewire/mock-server'
import type { IncomingAttempt, Receiver } from '@notewire/webhooks'
import { distantStore } from './distant-store.ts'
import { Life } from './life.ts'
import type { Network } from './network.ts'
import { SIGNING_SECRET } from './signing-secret.ts'
import type { Stage } from './stage.ts'
import { Stopped } from './stopped.ts'

/** Clocks are off by up to ten minutes, and verification is not the subject. */
const TOLERANCE_SECONDS = 86_400

const silent = { info: () => undefined, warn: () => undefined, error: () => undefined }

/** What an instance can be told to do. */
export type Job = 'scan' | 'sync' | 'poll' | 'settle' | 'run' | 'accept'

/** One of the processes of the mirror: started again whenever it has ended. */
export class Instance {
  readonly #name: string
  readonly #skewMs: number
  readonly #stage: Stage
  readonly #network: Network
  #running: Running

  constructor(name: string, skewMs: number, stage: Stage, network: Network) {
    this.#name = name
    this.#skewMs = skewMs
    this.#stage = stage
    this.#network = network
    this.#running = this.#start()
  }

  get life(): Life {
    return this.#running.life
  }

  get mirror(): Mirror {
    return this.#running.mirror
  }

  async receive(attempt: IncomingAttempt): Promise<number> {
    return (await this.#running.receiver.respond(attempt)).status
  }

  /** An event has come: often somebody reads at once what it names. */
  heard(): void {
    const { random, schedule } = this.#stage
    if (random.chance(0.4)) schedule.after(random.integer(0, 3), () => this.begin('settle'), this.life)
  }

  /** The operator says that the new key replaces the old one. */
  adoptKey(): void {
    const { life, mirror } = this.#running
    if (life.dead) return
    life.tell(() => 'adopts its key')
    mirror.adoptKey().catch((error) => this.#stage.judge.failed(error))
  }

  /** Somebody runs the mirror with a key that sees other notes: it must refuse, and leave everything as it is. */
  async beWrong(): Promise<void> {
    const { judge, store, integration, chronicle } = this.#stage
    const { life, strange } = this.#running
    // Before anything was listed, any key is the right one.
    if (life.dead || (await store.readProgress(integration)).progress.key === null) return
    chronicle.count('job: with another key')
    life.tell(() => 'syncs with the key of somebody else')
    const mirror = strange()
    const sync = this.#stage.random.chance(0.5) ? mirror.sync({ scan: 'now' }) : mirror.settle()
    sync.then(
      () => judge.violated('The key of somebody else is not refused.'),
      (error) => judge.failed(error, 'key_changed'),
    )
  }

  /** Begins a job, whose errors are held against what is documented. */
  begin(job: Job): void {
    const { life, mirror } = this.#running
    if (life.dead) return
    const { random, schedule, judge, chronicle } = this.#stage
    chronicle.count(`job: ${job}`)
    if (job === 'accept') judge.mustHold = false
    life.tell(() => `begins to ${job}`)
    const abort = new AbortController()
    const { signal } = abort
    const mayEnd = job === 'run' || random.chance(0.05)
    if (mayEnd)
      schedule.after(random.integer(0, random.pick([10, 3_000, 200_000])), () => abort.abort(new Stopped()), life)
    void jobs[job](mirror, signal).then(
      (outcome) => life.tell(() => `has ended its ${job}: ${JSON.stringify(outcome)}`),
      (error: unknown) => {
        life.tell(() => `fails to ${job}: ${String(error)}`)
        judge.failed(error)
      },
    )
  }

  #start(): Running {
    const stage = this.#stage
    const life: Life = new Life(this.#name, this.#skewMs, stage, () => {
      const pauseMs = stage.faultsAreOver ? 10 : stage.random.pick([10, 2_000, 90_000])
      stage.schedule.after(pauseMs, () => {
        this.#running = this.#start()
        this.life.tell(() => 'starts')
      })
    })
    const { clock } = life
    const { contract, keep, concurrency, pollEveryMs, scanEveryMs } = stage.circumstances
    const { baseUrl } = stage.world.service
    const fetch = this.#network.fetchOf(life)
    const { notesField } = contract
    const clientOf = ({ key: apiKey }: IssuedKey) =>
      new NotesClient({ baseUrl, apiKey, fetch, notesField, maxRetries: 0 })
    const hooks = { onProblem: ({ error }: { readonly error: unknown }) => stage.judge.failed(error) }
    const store = distantStore(life, stage)
    const { integration } = stage
    const mirrorOf = (client: NotesClient) =>
      createMirror({ client, store, integration, clock, keep, concurrency, pollEveryMs, scanEveryMs, hooks })
    const client = clientOf(stage.world.key)
    life.readsFromList = () => client.notes.readsFromList
    const mirror = mirrorOf(client)
    const receiver = mirror.receiver({ secret: SIGNING_SECRET, toleranceSeconds: TOLERANCE_SECONDS, logger: silent })
    return { life, mirror, receiver, strange: () => mirrorOf(clientOf(stage.world.strangersKey)) }
  }
}

interface Running {
  readonly life: Life
  readonly mirror: Mirror
  readonly receiver: Receiver
  /** The same mirror, with a key that sees other notes. */
  readonly strange: () => Mirror
}

const jobs: { readonly [Name in Job]: (mirror: Mirror, signal: AbortSignal) => Promise<unknown> } = {
  scan: (mirror, signal) => mirror.sync({ scan: 'now', signal }),
  sync: (mirror, signal) => mirror.sync({ signal }),
  poll: (mirror, signal) => mirror.sync({ scan: 'never', signal }),
  settle: (mirror, signal) => mirror.settle({ signal }),
  run: (mirror, signal) => mirror.run({ signal }),
  accept: async (mirror) => {
    const { held } = await mirror.status()
    for (const { scanId } of held) await mirror.acceptRemovals(scanId)
  },
}
