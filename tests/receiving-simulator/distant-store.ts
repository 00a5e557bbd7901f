import type { Claim, ClaimRequest, CommitResult, ReceiverStore } from '@notewire/webhooks'
import type { Transaction } from './database.ts'
import type { Grant } from './handler-call.ts'
import type { Life } from './life.ts'
import type { Stage } from './stage.ts'

/** How long a receiver that closes waits for its handlers. */
const GRACE_MS = 10_000

/** How long a handler may take. Processes that stand still again and again take longer. */
const HANDLER_TIMEOUT_MS = 900_000

/** The shared store, as one process has it. What takes effect is shown to the judge. */
export class DistantStore implements ReceiverStore<Transaction> {
  readonly #life: Life
  readonly #stage: Stage
  readonly #grants = new WeakMap<Claim, Grant>()

  constructor(life: Life, stage: Stage) {
    this.#life = life
    this.#stage = stage
  }

  async claim(request: ClaimRequest) {
    const { chronicle, database, judge } = this.#stage
    const result = await this.#life.ask(`claims ${request.integration} ${request.eventId}`, async () => {
      const answer = await database.store.claim(request)
      chronicle.count(`claim: ${answer.status}`)
      if (answer.status === 'claimed') {
        const grant = judge.granted(answer.claim)
        this.#grants.set(answer.claim, grant)
        this.#life.grant(grant)
      }
      return answer
    })
    const grant = result.status === 'claimed' ? this.#grants.get(result.claim) : undefined
    if (grant !== undefined) this.#life.hold(grant)
    return result
  }

  renew(claim: Claim, leaseMs: number) {
    return this.#about(claim, 'renews', async (grant) => {
      const renewal = await this.#stage.database.store.renew(claim, leaseMs)
      this.#stage.chronicle.count(`renewal: ${renewal}`)
      if (renewal === 'renewed') this.#stage.judge.renewed(grant)
      return renewal
    })
  }

  commit(claim: Claim) {
    return this.#about(claim, 'commits', async (grant) => {
      const result = await this.#stage.database.store.commit(claim)
      this.#stage.chronicle.count(`commit: ${result}`)
      if (result === 'committed') this.#stage.judge.marked(grant, this.#eventOf(claim))
      return result
    })
  }

  commitIn(transaction: Transaction, claim: Claim): CommitResult | Promise<CommitResult> {
    return transaction.mark(claim)
  }

  release(claim: Claim) {
    return this.#about(claim, 'releases', async (grant) => {
      await this.#stage.database.store.release(claim)
      const { judge, schedule } = this.#stage
      const mayGiveUp =
        schedule.now >= this.#life.closingSince + GRACE_MS || schedule.now >= grant.grantedAt + HANDLER_TIMEOUT_MS
      judge.released(grant, this.#eventOf(claim), mayGiveUp)
    })
  }

  forget(integration: string, eventId: string) {
    return this.#life.ask(`forgets ${integration} ${eventId}`, async () => {
      const answer = await this.#stage.database.store.forget(integration, eventId)
      this.#stage.chronicle.count(`forget: ${answer}`)
      if (answer === 'forgotten') this.#stage.judge.forgotten(this.#find(integration, eventId))
      return answer
    })
  }

  prune() {
    const prune = () => {
      const pruning = this.#stage.database.store.prune()
      // SQLite leaves the thread to others in between, in real time.
      this.#stage.schedule.hold(pruning)
      return pruning
    }
    return this.#life.ask('prunes the store', prune)
  }

  #about<Answer>(claim: Claim, does: string, effect: (grant: Grant) => Promise<Answer>): Promise<Answer> {
    const grant = this.#grants.get(claim)
    if (grant === undefined) throw new Error('a claim that nobody was granted')
    const { integration, eventId } = claim.request
    return this.#life.ask(
      `${does} its claim of ${integration} ${eventId}`,
      () => effect(grant),
      () => {
        grant.unsure = true
      },
    )
  }

  #eventOf({ request: { integration, eventId } }: Claim) {
    return this.#find(integration, eventId)
  }

  #find(integration: string, eventId: string) {
    const { events } = this.#stage.circumstances
    const found = events.find((each) => each.integration === integration && each.event.event_id === eventId)
    if (found === undefined) throw new Error(`no event ${eventId} in ${integration}`)
    return found
  }
}
