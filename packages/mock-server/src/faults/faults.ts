import type { EventKind } from '@notewire/protocol'
import { checked } from '../errors/checked.ts'
import type { SeededRandom } from '../seed/seeded-random.ts'
import {
  type DeliveryFault,
  type DeliveryFaultRule,
  type FaultRule,
  faultRuleSchema,
  matchesRequest,
  type RequestFault,
} from './fault-rule.ts'

/** The fault rules of a service: `service.faults`. */
export interface Faults {
  /** The active rules, in the order of their injection. */
  readonly rules: readonly FaultRule[]
  /**
   * Injects a fault from now on.
   *
   * @throws `MockServerError` `option_invalid` when a field of the rule is wrong
   * @example
   * ```ts
   * import { createNotesService } from '@notewire/mock-server'
   *
   * await using service = await createNotesService({ notes: 3 })
   * using overload = service.faults.inject({ request: 'GET /v1/notes', calls: 1, fault: { kind: 'status', status: 429, retryAfter: 2 } })
   * const headers = { authorization: `Bearer ${service.apiKey}` }
   * const answer = await service.fetch(new Request(`${service.baseUrl}/v1/notes`, { headers }))
   * console.log(answer.status, overload.struck) // 429 1
   * ```
   */
  inject(rule: FaultRule): InjectedFault
  /** Removes every rule. */
  clear(): void
}

/** An active rule. */
export interface InjectedFault extends Disposable {
  readonly rule: FaultRule
  /** How many calls this rule has affected. */
  readonly struck: number
  /** Removes the rule. */
  remove(): void
}

interface IdentifiedFault extends InjectedFault {
  readonly fault_id: string
  /** Replaces the rule. Its calls are counted from 1 again. */
  replace(rule: FaultRule): void
}

export class FaultRules implements Faults {
  #injected: readonly ActiveRule[] = []
  #count = 0

  get rules(): readonly FaultRule[] {
    return this.#injected.map(({ rule }) => rule)
  }

  get injected(): readonly IdentifiedFault[] {
    return this.#injected
  }

  inject(rule: FaultRule): IdentifiedFault {
    checked('a fault rule', faultRuleSchema, rule)
    this.#count += 1
    const injected = new ActiveRule(this.#count, rule, () => {
      this.#injected = this.#injected.filter((other) => other !== injected)
    })
    this.#injected = [...this.#injected, injected]
    return injected
  }

  clear(): void {
    this.#injected = []
  }

  /** The faults of one request to the API. Each call of this method counts as one request. */
  faultsOfRequest(method: string, path: string, owner: RandomSource): readonly RequestFault[] {
    return this.#injected.flatMap((injected) => {
      const { rule } = injected
      return 'request' in rule && matchesRequest(rule.request, `${method} ${path}`) && injected.affects(owner)
        ? rule.fault
        : []
    })
  }

  /** The faults of one delivery attempt. Each call of this method counts as one attempt. */
  faultsOfAttempt(event_type: EventKind, endpoint_id: string, owner: RandomSource): readonly DeliveryFault[] {
    return this.#injected.flatMap((injected) => {
      const { rule } = injected
      return 'delivery' in rule && matchesAttempt(rule, event_type, endpoint_id) && injected.affects(owner)
        ? rule.fault
        : []
    })
  }
}

interface RandomSource {
  readonly random: SeededRandom
}

class ActiveRule implements IdentifiedFault {
  readonly fault_id: string
  rule: FaultRule
  readonly remove: () => void
  struck = 0
  readonly #label: string
  /** Separate for each owner, so that the calls of one owner do not change which calls of another are affected. */
  readonly #calls = new Map<RandomSource, { count: number; readonly random: SeededRandom }>()

  constructor(number: number, rule: FaultRule, remove: () => void) {
    this.fault_id = `flt_${number}`
    this.#label = `faults/rule ${number}`
    this.rule = rule
    this.remove = remove
  }

  /** Counts a call that matches the rule, and decides whether the rule affects it. */
  affects(owner: RandomSource): boolean {
    const callsOfOwner = this.#calls.get(owner) ?? { count: 0, random: owner.random.fork(this.#label) }
    this.#calls.set(owner, callsOfOwner)
    callsOfOwner.count += 1
    const { calls, rate = 1 } = this.rule
    if (calls !== undefined && ![calls].flat().includes(callsOfOwner.count)) return false
    if (!callsOfOwner.random.chance(rate)) return false
    this.struck += 1
    return true
  }

  replace(rule: FaultRule): void {
    this.rule = rule
    this.struck = 0
    this.#calls.clear()
  }

  [Symbol.dispose](): void {
    this.remove()
  }
}

function matchesAttempt(rule: DeliveryFaultRule, event_type: EventKind, endpoint_id: string): boolean {
  if (rule.endpoint_id !== undefined && rule.endpoint_id !== endpoint_id) return false
  return rule.delivery === '*' ? event_type !== 'endpoint.verification' : rule.delivery === event_type
}
