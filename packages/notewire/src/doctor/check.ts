import type { DeliveryTraits } from './delivery.ts'
import type { Examination } from './examination.ts'
import { describeExchange, type Exchange, isAccepted, isRejected, type Reply } from './send.ts'

/** What a check tests, as code and in words. */
export interface Statement {
  /** What is right: `A delivery without webhook-id is rejected (4xx)`. */
  readonly title: string
  /** What a receiver does for which this is not true: `accepts a delivery without webhook-id`. It may depend on its answer. */
  readonly problem: string | ((reply: Reply) => string)
  readonly run: RunCheck
}

export interface Check extends Statement {
  /** Stable, for scripts: a group, a dot and a name. */
  readonly id: string
  readonly group: string
  /** The section of the contract: `§5, receiver rule 4`, `open point 26`. */
  readonly section: string
  /** If a `must` does not hold, the receiver fails. If a `should` does not hold, the report warns. */
  readonly severity: 'must' | 'should'
  /** What to change in the receiver if the statement does not hold, in one or two sentences. */
  readonly fix: string
  /** The ID of an earlier check. If that one did not pass, this one is skipped: it would report the same problem. */
  readonly requires?: string
  /** Whether the check also runs if the receiver accepts no valid delivery, or if the time is over. */
  readonly always?: boolean
}

/** Tests a statement. Throws nothing but the reason of the examination's signal. */
export type RunCheck = (examination: Examination) => Promise<Outcome>

export interface Outcome {
  /** `failed` becomes `warned` if the check is a `should`. */
  readonly verdict: 'passed' | 'failed' | 'warned' | 'not_tested'
  /** What the receiver did. If it was not tested: why. */
  readonly seen: string
  readonly exchange?: Exchange
  /** Which of several deliveries showed it. */
  readonly what?: string | undefined
  readonly cause?: string | undefined
}

type CheckDetails = Pick<Check, 'fix' | 'requires' | 'always'>

export const must = declare('must')

export const should = declare('should')

function declare(severity: Check['severity']) {
  return (id: string, statement: Statement, section: string, details: CheckDetails): Omit<Check, 'group'> => ({
    id,
    section,
    severity,
    ...statement,
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
export function failed(exchange: Exchange, seen: string, cause?: string): Outcome {
  return { verdict: 'failed', seen, exchange, cause }
}

/** The statement almost holds, so that even a `must` only warns. */
export function warned(exchange: Exchange, seen: string, cause?: string): Outcome {
  return { verdict: 'warned', seen, exchange, cause }
}

export function notTested(reason: string): Outcome {
  return { verdict: 'not_tested', seen: reason }
}

/** What a receiver must answer. */
export interface Expectation {
  /** The end of a title, after its subject. */
  readonly title: string
  readonly answer: string
  readonly isMetBy: (reply: Reply) => boolean
}

export const ACCEPTED: Expectation = { title: 'is accepted (2xx)', answer: 'a 2xx', isMetBy: isAccepted }

export const REJECTED: Expectation = { title: 'is rejected (4xx)', answer: 'a 4xx', isMetBy: isRejected }

/** A 4xx, or the 501 of a server that does not know the method. */
export const NOT_ROUTED: Expectation = {
  ...REJECTED,
  isMetBy: (reply) => isRejected(reply) || (reply.kind === 'answered' && reply.status === 501),
}

/** No 5xx, no timeout, no closed connection. */
const NO_ERROR: Expectation = {
  title: 'causes no error',
  answer: 'a 2xx or a 4xx',
  isMetBy: (reply) => isAccepted(reply) || isRejected(reply),
}

/** A delivery of a check; `what` tells it from the others of the same check. */
export type Variant = Partial<DeliveryTraits> & { readonly what?: string }

/** The deliveries of a check, in order. Made when the check runs, because signatures expire. */
export type Draft = (examination: Examination) => Variant | readonly Variant[]

/** @param subject  the deliveries, in the singular, as the middle of a sentence: `a delivery without webhook-id` */
export function accepts(subject: string, draft: Draft): Statement {
  return answers(subject, ACCEPTED, draft)
}

export function rejects(subject: string, draft: Draft): Statement {
  return answers(subject, REJECTED, draft)
}

export function acceptsOrRejects(subject: string, draft: Draft): Statement {
  return answers(subject, NO_ERROR, draft)
}

export function answers(subject: string, expectation: Expectation, draft: Draft): Statement {
  return {
    ...sentencesOn(subject, expectation),
    run: async (examination) => await answersAll(examination, expectation, [draft(examination)].flat()),
  }
}

/** The words of a statement about answers. */
export function sentencesOn(subject: string, { title }: Expectation): Omit<Statement, 'run'> {
  return {
    title: `${subject.charAt(0).toUpperCase()}${subject.slice(1)} ${title}`,
    problem: (reply) => `${verbFor(reply)} ${subject}`,
  }
}

/** Sends deliveries until the receiver answers one of them wrongly. */
export async function answersAll(
  { deliver }: Examination,
  { answer, isMetBy }: Expectation,
  variants: readonly Variant[],
): Promise<Outcome> {
  let seen = ''
  for (const { what, ...traits } of variants) {
    const exchange = await deliver(traits)
    seen = describeExchange(exchange)
    if (!isMetBy(exchange.reply)) return { ...failed(exchange, `${seen}; expected ${answer}`), what }
  }
  return passed(variants.length === 1 ? seen : `${variants.length} deliveries; the last one: ${seen}`)
}

function verbFor(reply: Reply): string {
  if (isAccepted(reply)) return 'accepts'
  if (isRejected(reply)) return 'rejects'
  if (reply.kind === 'answered') return `answers ${reply.status} to`
  return reply.kind === 'timed-out' ? 'does not answer' : 'closes the connection at'
}
