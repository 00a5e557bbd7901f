import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import type { Random } from '../simulation/random.ts'
import { INTEGRATIONS, type Integration, secretVariable } from './integrations.ts'
import { Member } from './member.ts'
import type { Ordeal } from './ordeals.ts'
import type { StoreServer } from './servers/store-server.ts'

const MOST_SKEW_MS = 600_000

/** All instances of the application, and the load balancer before them. */
export class Fleet {
  readonly chronicle: string
  readonly secrets: Readonly<Record<Integration, string>> = { personal: newSecret(), channel: newSecret() }
  /** Rejects when a worker ends that nobody has told to. */
  readonly failure: Promise<never>
  readonly #fail: (error: unknown) => void
  readonly #server: StoreServer
  readonly #random: Random
  readonly #folder: string
  readonly #members = new Set<Member>()
  /** Those among which the load balancer chooses. */
  readonly #rotation = new Set<Member>()
  /** Those that have something to do for which they must live. */
  readonly #spared = new Set<Member>()
  readonly #begun = new Set<string>()
  readonly #listeners = new Set<() => void>()
  #started = 0

  constructor(server: StoreServer, random: Random, folder: string) {
    this.#server = server
    this.#random = random
    this.#folder = folder
    this.chronicle = join(folder, 'chronicle')
    const { promise, reject } = Promise.withResolvers<never>()
    promise.catch(() => undefined)
    this.failure = promise
    this.#fail = reject
  }

  /** Starts so many workers. */
  async muster(workers: number): Promise<void> {
    await this.start()
    await Promise.all(Array.from({ length: workers - 1 }, () => this.start()))
  }

  /** Starts one more worker, on a machine whose clock is off. */
  async start(): Promise<void> {
    const number = this.#started
    this.#started += 1
    const { engine, place } = this.#server
    // The first two are as far off as can be.
    const skewMs = [MOST_SKEW_MS, -MOST_SKEW_MS][number] ?? this.#random.integer(-MOST_SKEW_MS, MOST_SKEW_MS)
    const seed = this.#random.integer(0, 2 ** 31)
    const settings = { engine, place, chronicle: this.chronicle, number, skewMs, seed }
    const secrets = Object.fromEntries(
      INTEGRATIONS.map((integration) => [secretVariable(integration), this.secrets[integration]]),
    )
    // Half of what a start costs is compiling, which the first one does for all.
    const environment = { ...secrets, NODE_COMPILE_CACHE: join(this.#folder, 'compiled') }
    const member: Member = new Member(settings, environment, (report) => {
      if (report.what === 'begins') this.#hear(member, report.ordeal, report.integration)
    })
    this.#members.add(member)
    const forget = () => {
      this.#members.delete(member)
      this.#rotation.delete(member)
    }
    member.gone.then(forget, (error) => {
      forget()
      this.#fail(error)
    })
    await member.listening()
    this.#rotation.add(member)
  }

  /** A worker for the next attempt: another than the last time. */
  route(last: Member | undefined): Member | undefined {
    return this.#oneOf([...this.#rotation].filter((member) => member !== last))
  }

  /** A worker to which nothing is to happen but what the caller does to it. */
  spare(): Member {
    const member = this.victim()
    this.#spared.add(member)
    return member
  }

  /** A worker to which anything may happen. */
  victim(): Member {
    const member = this.#oneOf([...this.#rotation].filter((each) => !this.#spared.has(each)))
    if (member === undefined) throw new Error('there is no worker left')
    return member
  }

  /** Ends a worker by SIGKILL, and starts another in its place. */
  async replace(member: Member): Promise<void> {
    this.#rotation.delete(member)
    await member.end()
    await this.start()
  }

  /** The load balancer has found out that a worker does not answer. */
  withdraw(member: Member): void {
    this.#rotation.delete(member)
  }

  restore(member: Member): void {
    this.#rotation.add(member)
  }

  /** Resolves when a worker's handler has been called for an ordeal. */
  async begun(ordeal: Ordeal, integration: Integration, member: Member): Promise<void> {
    const key = `${member.name} ${ordeal} ${integration}`
    while (!this.#begun.has(key)) await new Promise<void>((resolve) => void this.#listeners.add(resolve))
  }

  /** Asks all to finish, which they do, and without an error. */
  async close(): Promise<void> {
    await Promise.all([...this.#members].map((member) => member.close()))
  }

  /** Leaves no process behind. */
  async abandon(): Promise<void> {
    await Promise.all([...this.#members].map((member) => member.end()))
  }

  #hear(member: Member, ordeal: Ordeal, integration: Integration): void {
    this.#begun.add(`${member.name} ${ordeal} ${integration}`)
    for (const listener of this.#listeners) listener()
    this.#listeners.clear()
  }

  #oneOf(members: readonly Member[]): Member | undefined {
    return members[this.#random.integer(0, members.length - 1)]
  }
}

function newSecret(): string {
  return `whsec_${randomBytes(24).toString('base64url')}`
}
