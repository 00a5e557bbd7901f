import type { EventKind } from '@notewire/protocol'
import type { SeededRandom } from '../seed/seeded-random.ts'
import { checkFaultRule } from './check-fault-rule.ts'
import type { DeliveryFault, DeliveryFaultRule, FaultRule, RequestFault, RequestFaultRule } from './fault-rule.ts'

/** What is going wrong with a service: `service.faults`. */
export interface Faults {
  /** The rules in force, in the order in which they were made. */
  readonly rules: readonly FaultRule[]
  /**
   * Makes something go wrong from now on.
   *
   * @throws `OptionError` when the rule can never strike as it says
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
  /** Ends every rule. */
  clear(): void
}

/** A rule in force. */
export interface InjectedFault extends Disposable {
  readonly rule: FaultRule
  /** How often it has struck. */
  readonly struck: number
  /** Ends it. */
  remove(): void
}

interface Rule<Kind extends FaultRule> {
  readonly rule: Kind
  readonly random: SeededRandom
  /** How many calls the rule was about. */
  met: number
  struck: number
}

/** The rules in force, and the counts by which they strike. */
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

  inject(rule: FaultRule): InjectedFault {
    checkFaultRule(rule)
    this.#made += 1
    const made: Rule<FaultRule> = { rule, random: this.#random.fork(`rule ${this.#made}`), met: 0, struck: 0 }
    this.#rules = [...this.#rules, made]
    const remove = () => {
      this.#rules = this.#rules.filter((other) => other !== made)
    }
    return {
      rule,
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

  /** What goes wrong with a request to the API. Asking counts it. */
  strikeRequest(method: string, path: string): readonly RequestFault[] {
    return this.#rules.flatMap((rule) => {
      return isAboutRequests(rule) && matches(rule.rule.request, method, path) && strikes(rule) ? rule.rule.fault : []
    })
  }

  /** What goes wrong with an attempt at a receiver. Asking counts it. */
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
