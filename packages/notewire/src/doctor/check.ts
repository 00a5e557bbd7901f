import type { Delivery, DeliveryTraits } from './delivery.ts'
import type { Examination } from './examination.ts'
import { describeExchange, type Exchange, isAccepted, isRejected, type Reply } from './send.ts'

export interface Check {
  /** Stable, for scripts: a group, a dot and a name. */
  readonly id: string
  readonly group: string
  readonly title: string
  /** The section of the contract: `§5, receiver rule 4`, `open point 26`. */
  readonly section: string
  /** If a `must` does not hold, the receiver fails. If a `should` does not hold, the report warns. */
  readonly severity: 'must' | 'should'
  /** What to change in the receiver if the statement does not hold, in one or two sentences. */
  readonly fix: string
  /** The ID of an earlier check. If that one did not pass, this one is skipped: it would report the same problem. */
  readonly requires?: string
  /** Whether the check also runs if the receiver accepts no valid delivery. */
  readonly always?: boolean
  readonly run: RunCheck
}

/** Tests a statement. Throws nothing but the reason of the examination's signal. */
export type RunCheck = (examination: Examination) => Promise<Outcome>

export interface Outcome {
  /** `failed` becomes `warned` if the check is a `should`. */
  readonly verdict: 'passed' | 'failed' | 'warned' | 'not_tested'
  /** What the receiver did. If it was not tested: why. */
  readonly seen: string
  readonly delivery?: Delivery
  readonly cause?: string | undefined
}

type CheckDetails = Pick<Check, 'fix' | 'requires' | 'always' | 'run'>

export const must = declare('must')

export const should = declare('should')

function declare(severity: Check['severity']) {
  return (id: string, title: string, section: string, details: CheckDetails): Omit<Check, 'group'> => ({
    id,
    title,
    section,
    severity,
    ...details,
  })
}

export function group(title: string, checks: readonly Omit<Check, 'group'>[]): readonly Check[] {
  return checks.map((check) => ({ ...check, group: title }))
}

export function passed(seen: string): Outcome {
  return { verdict: 'passed', seen }
}

/** The statement does not hold, as this exchange shows. */
export function failed({ delivery }: Exchange, seen: string, cause?: string): Outcome {
  return { verdict: 'failed', seen, delivery, cause }
}

/** The statement almost holds, so that even a `must` only warns. */
export function warned({ delivery }: Exchange, seen: string, cause?: string): Outcome {
  return { verdict: 'warned', seen, delivery, cause }
}

export function notTested(reason: string): Outcome {
  return { verdict: 'not_tested', seen: reason }
}

/** The deliveries of a check, in order. Made when the check runs, because signatures expire. */
export type Draft = (examination: Examination) => Partial<DeliveryTraits> | readonly Partial<DeliveryTraits>[]

export function accepts(draft: Draft): RunCheck {
  return answers('a 2xx', isAccepted, draft)
}

export function rejects(draft: Draft): RunCheck {
  return answers('a 4xx', isRejected, draft)
}

/** Passes if the receiver accepts or rejects every delivery: no 5xx, no timeout, no closed connection. */
export function acceptsOrRejects(draft: Draft): RunCheck {
  return answers('a 2xx or a 4xx', (reply) => isAccepted(reply) || isRejected(reply), draft)
}

export function answers(expected: string, isExpected: (reply: Reply) => boolean, draft: Draft): RunCheck {
  return async (examination) => {
    const deliveries = [draft(examination)].flat()
    let seen = ''
    for (const traits of deliveries) {
      const exchange = await examination.deliver(traits)
      seen = describeExchange(exchange)
      if (!isExpected(exchange.reply)) return failed(exchange, `${seen}; expected ${expected}`)
    }
    return passed(deliveries.length === 1 ? seen : `${deliveries.length} deliveries; the last one: ${seen}`)
  }
}
