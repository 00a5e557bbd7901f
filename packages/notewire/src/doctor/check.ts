import type { DeliveryTraits } from './delivery.ts'
import type { Examination } from './examination.ts'
import { describeExchange, type Exchange, isAccepted, isRejected, type Reply } from './send.ts'

export interface Check {
  /** Stable, for scripts: a group, a dot and a name. */
  readonly id: string
  readonly group: string
  /** The requirement: `A delivery without webhook-id is rejected (4xx)`. */
  readonly title: string
  /** What a receiver does that fails the check: `accepts a delivery without webhook-id`. */
  readonly problem: (reply: Reply) => string
  /** The section of the contract: `§5, receiver rule 4`, `open point 26`. */
  readonly section: string
  /** If a `must` check fails, the receiver fails. If a `should` check fails, the report warns. */
  readonly severity: 'must' | 'should'
  /** What to change in a receiver that fails the check, in one or two sentences. */
  readonly fix: string
  /** The ID of an earlier check. If that one did not pass, this one is skipped: it would report the same problem. */
  readonly requires?: string | undefined
  /** Whether the check also runs if the receiver accepts no valid delivery, or if the examination has ended. */
  readonly always?: boolean | undefined
  readonly run: RunCheck
}

/** Runs the check. It throws only if the signal of the examination fires, and then throws the signal's reason. */
export type RunCheck = (examination: Examination) => Promise<Outcome>

export interface Outcome {
  /** `failed` becomes `warned` if the check is a `should`. */
  readonly verdict: 'passed' | 'failed' | 'warned' | 'not_tested'
  /** What the receiver did. If it was not tested: why. */
  readonly seen: string
  readonly exchange?: Exchange
  /** The delivery that failed, if the check sends several. */
  readonly what?: string | undefined
  readonly cause?: string | undefined
}

/** What a check tests. Tests of answers derive `title` and `problem` from the expectation; other tests state `problem`. */
type Test =
  | { readonly accepts: Draft }
  | { readonly rejects: Draft }
  | { readonly acceptsOrRejects: Draft }
  | { readonly expects: Expectation; readonly draft: Draft }
  | { readonly expects: Expectation; readonly run: RunCheck }
  | { readonly problem: string; readonly run: RunCheck }

type CheckDetails = Pick<Check, 'fix' | 'requires' | 'always'> & Test

export const must = declare('must')

export const should = declare('should')

/** For a test of answers, `title` is only the subject of the sentence, in lower case: `a delivery without webhook-id`. */
function declare(severity: Check['severity']) {
  return (id: string, title: string, section: string, details: CheckDetails): Omit<Check, 'group'> => {
    const { fix, requires, always } = details
    return { id, section, severity, fix, requires, always, ...statementOf(title, details) }
  }
}

function statementOf(title: string, test: Test): Pick<Check, 'title' | 'problem' | 'run'> {
  if ('problem' in test) return { title, problem: () => test.problem, run: test.run }
  if ('accepts' in test) return statementOf(title, { expects: ACCEPTED, draft: test.accepts })
  if ('rejects' in test) return statementOf(title, { expects: REJECTED, draft: test.rejects })
  if ('acceptsOrRejects' in test) return statementOf(title, { expects: NO_ERROR, draft: test.acceptsOrRejects })
  const { expects } = test
  return {
    title: `${title.charAt(0).toUpperCase()}${title.slice(1)} ${expects.title}`,
    problem: (reply) => `${verbFor(reply)} ${title}`,
    run:
      'run' in test
        ? test.run
        : async (examination) => await answersAll(examination, expects, [test.draft(examination)].flat()),
  }
}

export function group(title: string, checks: readonly Omit<Check, 'group'>[]): readonly Check[] {
  return checks.map((check) => ({ ...check, group: title }))
}

export function passed(seen: string): Outcome {
  return { verdict: 'passed', seen }
}

/** The receiver fails the check, as this exchange shows. */
export function failed(exchange: Exchange, seen: string, cause?: string): Outcome {
  return { verdict: 'failed', seen, exchange, cause }
}

/** A small violation: the check warns, even if it is a `must`. */
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

/** A delivery of a check. `what` names it in the report. */
export type Variant = Partial<DeliveryTraits> & { readonly what?: string }

/** The deliveries of a check, in order. Made when the check runs, because signatures expire. */
export type Draft = (examination: Examination) => Variant | readonly Variant[]

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
