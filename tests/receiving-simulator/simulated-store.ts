import type { Claim, ClaimRequest, ReceiverStore } from '@notewire/webhooks/store'
import type { Grant } from './handler-call.ts'
import type { HistoryContext } from './history-context.ts'
import type { SimulatedProcess } from './simulated-process.ts'

/** The time that a closing receiver waits for its handlers. */
const GRACE_MS = 10_000

/** The default handler timeout. A process that freezes repeatedly takes longer than that. */
const HANDLER_TIMEOUT_MS = 900_000

/** The connection of one process to the shared store. Reports each effect to the checker. */
export class SimulatedStore implements ReceiverStore {
  readonly #process: SimulatedProcess
  readonly #context: HistoryContext
  readonly #grants = new WeakMap<Claim, Grant>()

  constructor(process: SimulatedProcess, context: HistoryContext) {
    this.#process = process
    this.#context = context
  }

  async claim(request: ClaimRequest) {
    const { chronicle, database, checker } = this.#context
    const result = await this.#process.callDatabase(`claims ${request.integration} ${request.eventId}`, async () => {
      const answer = await database.store.claim(request)
      chronicle.count(`claim: ${answer.status}`)
      if (answer.status === 'claimed') {
        const grant = checker.granted(answer.claim)
        this.#grants.set(answer.claim, grant)
        this.#process.addGrant(grant)
      }
      return answer
    })
    const grant = result.status === 'claimed' ? this.#grants.get(result.claim) : undefined
    if (grant !== undefined) this.#process.receiveGrant(grant)
    return result
  }

  renew(claim: Claim, leaseMs: number) {
    return this.#callWithClaim(claim, 'renews', async (grant) => {
      const renewal = await this.#context.database.store.renew(claim, leaseMs)
      this.#context.chronicle.count(`renewal: ${renewal}`)
      if (renewal === 'renewed') this.#context.checker.renewed(grant)
      return renewal
    })
  }

  commit(claim: Claim) {
    return this.#callWithClaim(claim, 'commits', async (grant) => {
      const result = await this.#context.database.store.commit(claim)
      this.#context.chronicle.count(`commit: ${result}`)
      if (result === 'committed') this.#context.checker.committed(grant, this.#eventOf(claim))
      return result
    })
  }

  release(claim: Claim) {
    return this.#callWithClaim(claim, 'releases', async (grant) => {
      await this.#context.database.store.release(claim)
      const { checker, schedule } = this.#context
      const mayBeAbandoned =
        schedule.now >= this.#process.closingSince + GRACE_MS || schedule.now >= grant.grantedAt + HANDLER_TIMEOUT_MS
      checker.released(grant, this.#eventOf(claim), mayBeAbandoned)
    })
  }

  forget(integration: string, eventId: string) {
    return this.#process.callDatabase(`forgets ${integration} ${eventId}`, async () => {
      const answer = await this.#context.database.store.forget(integration, eventId)
      this.#context.chronicle.count(`forget: ${answer}`)
      if (answer === 'forgotten') this.#context.checker.forgotten(this.findEvent(integration, eventId))
      return answer
    })
  }

  prune() {
    const prune = () => {
      const pruning = this.#context.database.store.prune()
      // The SQLite store yields the thread between pages, in real time.
      this.#context.schedule.hold(pruning)
      return pruning
    }
    return this.#process.callDatabase('prunes the store', prune)
  }

  #callWithClaim<Result>(claim: Claim, verb: string, effect: (grant: Grant) => Promise<Result>): Promise<Result> {
    const grant = this.#grants.get(claim)
    if (grant === undefined) throw new Error('the store never granted this claim')
    const { integration, eventId } = claim.request
    return this.#process.callDatabase(
      `${verb} its claim of ${integration} ${eventId}`,
      () => effect(grant),
      () => {
        grant.mayHaveEnded = true
      },
    )
  }

  #eventOf({ request: { integration, eventId } }: Claim) {
    return this.findEvent(integration, eventId)
  }

  findEvent(integration: string, eventId: string) {
    const { events } = this.#context.scenario
    const found = events.find((each) => each.integration === integration && each.event.event_id === eventId)
    if (found === undefined) throw new Error(`no event ${eventId} in ${integration}`)
    return found
  }
}
