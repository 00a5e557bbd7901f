import type { EventKind } from '@notewire/protocol'
import { checked } from '../errors/checked.ts'
import type { SeededRandom } from '../seed/seeded-random.ts'
import {
  type DeliveryFault,
  type DeliveryFaultRule,
  type FaultRule,
  faultRuleSchema,
  type RequestFault,
} from './fault-rule.ts'

/** The fault rules of a service: `service.faults`. */
export interface Faults {
  /** The rules in force, in the order of their injection. */
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

/** A rule in force. */
export interface InjectedFault extends Disposable {
  readonly rule: FaultRule
  /** How many calls this rule has affected. */
  readonly struck: number
  /** Removes the rule. */
  remove(): void
}

interface IdentifiedFault extends InjectedFault {
  readonly fault_id: string
}

export class FaultBook implements Faults {
  #injected: readonly Injected[] = []
  #made = 0

  get rules(): readonly FaultRule[] {
    return this.#injected.map(({ rule }) => rule)
  }

  get injected(): readonly IdentifiedFault[] {
    return this.#injected
  }

  inject(rule: FaultRule): IdentifiedFault {
    checked('a fault rule', faultRuleSchema, rule)
    this.#made += 1
    const injected = new Injected(this.#made, rule, () => {
      this.#injected = this.#injected.filter((other) => other !== injected)
    })
    this.#injected = [...this.#injected, injected]
    return injected
  }

  clear(): void {
    this.#injected = []
  }

  /** The faults of one request to the API. Each call of this method counts as one request. */
  strikeRequest(method: string, path: string, owner: Draws): readonly RequestFault[] {
    return this.#injected.flatMap((injected) => {
      const { rule } = injected
      return 'request' in rule && matches(rule.request, method, path) && injected.strikes(owner) ? rule.fault : []
    })
  }

  /** The faults of one delivery attempt. Each call of this method counts as one attempt. */
  strikeAttempt(event_type: EventKind, endpoint_id: string, owner: Draws): readonly DeliveryFault[] {
    return this.#injected.flatMap((injected) => {
      const { rule } = injected
      return 'delivery' in rule && concerns(rule, event_type, endpoint_id) && injected.strikes(owner) ? rule.fault : []
    })
  }
}

interface Draws {
  readonly random: SeededRandom
}

class Injected implements IdentifiedFault {
  readonly fault_id: string
  readonly rule: FaultRule
  readonly remove: () => void
  struck = 0
  readonly #label: string
  /** Counted and drawn for each owner, so that the calls of one do not change which calls of another are affected. */
  readonly #calls = new Map<Draws, { met: number; readonly random: SeededRandom }>()

  constructor(number: number, rule: FaultRule, remove: () => void) {
    this.fault_id = `flt_${number}`
    this.#label = `faults/rule ${number}`
    this.rule = rule
    this.remove = remove
  }

  /** Counts a call that matches the rule, and decides whether the rule affects it. */
  strikes(owner: Draws): boolean {
    const ofOwner = this.#calls.get(owner) ?? { met: 0, random: owner.random.fork(this.#label) }
    this.#calls.set(owner, ofOwner)
    ofOwner.met += 1
    const { calls, rate = 1 } = this.rule
    if (calls !== undefined && ![calls].flat().includes(ofOwner.met)) return false
    if (!ofOwner.random.chance(rate)) return false
    this.struck += 1
    return true
  }

  [Symbol.dispose](): void {
    this.remove()
  }
}

function matches(pattern: string, method: string, path: string): boolean {
  const [wantedMethod = '', wantedPath = ''] = pattern.split(' ')
  if (wantedMethod !== '*' && wantedMethod !== method) return false
  const [wanted, segments] = [wantedPath.split('/'), path.split('/')]
  const open = wanted.at(-1) === '**'
  const fixed = open ? wanted.slice(0, -1) : wanted
  if (open ? segments.length < fixed.length : segments.length !== fixed.length) return false
  return fixed.every((segment, index) => segment === '*' || segment === segments[index])
}

function concerns(rule: DeliveryFaultRule, event_type: EventKind, endpoint_id: string): boolean {
  if (rule.endpoint_id !== undefined && rule.endpoint_id !== endpoint_id) return false
  return rule.delivery === '*' ? event_type !== 'endpoint.verification' : rule.delivery === event_type
}
