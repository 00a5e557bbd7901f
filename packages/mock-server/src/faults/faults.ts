import type { EventKind } from '@notewire/protocol'
import { checked } from '../errors/checked.ts'
import type { SeededRandom } from '../seed/seeded-random.ts'
import {
  type DeliveryFault,
  type DeliveryFaultRule,
  type FaultRule,
  faultRuleSchema,
  type RequestFault,
  type RequestFaultRule,
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

/** An injected fault, as the console and the control API name it. */
interface IdentifiedFault extends InjectedFault {
  readonly fault_id: string
}

interface Rule<Kind extends FaultRule> {
  readonly fault_id: string
  readonly rule: Kind
  readonly random: SeededRandom
  /** How many calls matched the rule. */
  met: number
  struck: number
}

/** The rules in force, with the number of calls that each has matched and affected. */
export class FaultBook implements Faults {
  readonly #random: SeededRandom
  #rules: readonly Rule<FaultRule>[] = []
  #made = 0

  constructor(random: SeededRandom) {
    this.#random = random
  }

  get rules(): readonly FaultRule[] {
    return this.#rules.map(({ rule }) => rule)
  }

  /** The rules in force, with an identifier and the number of affected calls. */
  get injected(): readonly IdentifiedFault[] {
    return this.#rules.map((rule) => this.#handleOf(rule))
  }

  inject(rule: FaultRule): IdentifiedFault {
    checked('a fault rule', faultRuleSchema, rule)
    this.#made += 1
    const random = this.#random.fork(`rule ${this.#made}`)
    const made: Rule<FaultRule> = { fault_id: `flt_${this.#made}`, rule, random, met: 0, struck: 0 }
    this.#rules = [...this.#rules, made]
    return this.#handleOf(made)
  }

  #handleOf(made: Rule<FaultRule>): IdentifiedFault {
    const remove = () => {
      this.#rules = this.#rules.filter((other) => other !== made)
    }
    return {
      fault_id: made.fault_id,
      rule: made.rule,
      get struck() {
        return made.struck
      },
      remove,
      [Symbol.dispose]: remove,
    }
  }

  clear(): void {
    this.#rules = []
  }

  /** The faults of one request to the API. Each call of this method counts as one request. */
  strikeRequest(method: string, path: string): readonly RequestFault[] {
    return this.#rules.flatMap((rule) => {
      return isAboutRequests(rule) && matches(rule.rule.request, method, path) && strikes(rule) ? rule.rule.fault : []
    })
  }

  /** The faults of one delivery attempt. Each call of this method counts as one attempt. */
  strikeAttempt(event_type: EventKind, endpoint_id: string): readonly DeliveryFault[] {
    return this.#rules.flatMap((rule) => {
      return isAboutDeliveries(rule) && concerns(rule.rule, event_type, endpoint_id) && strikes(rule)
        ? rule.rule.fault
        : []
    })
  }
}

function isAboutRequests(rule: Rule<FaultRule>): rule is Rule<RequestFaultRule> {
  return 'request' in rule.rule
}

function isAboutDeliveries(rule: Rule<FaultRule>): rule is Rule<DeliveryFaultRule> {
  return 'delivery' in rule.rule
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

function strikes(rule: Rule<FaultRule>): boolean {
  rule.met += 1
  const { calls, rate = 1 } = rule.rule
  if (calls !== undefined && ![calls].flat().includes(rule.met)) return false
  if (!rule.random.chance(rate)) return false
  rule.struck += 1
  return true
}
