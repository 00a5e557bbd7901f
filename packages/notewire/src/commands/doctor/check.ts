import type { DeliveryTraits } from './delivery.ts'
import type { Examination } from './examination.ts'
import { causeOfLoss } from './lost-event.ts'
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

/** What a check tests. A test of answers is a row: what is sent, and how it must be answered. */
type Test = AnswerTest | { readonly problem: string; readonly run: RunCheck }

type AnswerTest = Answers & {
  /** Default: what the receiver answers to the subject of the title. */
  readonly problem?: string
  /** Finds the cause of a wrong answer. Default: the receiver fails the check. */
  readonly diagnose?: Diagnose
  /** Whether all deliveries are sent at the same time. */
  readonly atOnce?: boolean
}

type Answers =
  | { readonly accepts: Draft }
  | { readonly rejects: Draft }
  | { readonly acceptsOrRejects: Draft }
  | { readonly expects: Expectation; readonly sends: Draft }

/** @param seen  what the receiver answered, and what was expected */
type Diagnose = (examination: Examination, exchange: Exchange, seen: string) => Promise<Outcome>

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
  if ('run' in test) return { title, problem: () => test.problem, run: test.run }
  const [expects, draft] = answersOf(test)
  return {
    title: `${title.charAt(0).toUpperCase()}${title.slice(1)} ${expects.title}`,
    problem: (reply) => test.problem ?? `${verbFor(reply)} ${title}`,
    run: (examination) => answersAll(examination, expects, draft(examination), test),
  }
}

function answersOf(test: Answers): readonly [Expectation, Draft] {
  if ('accepts' in test) return [ACCEPTED, test.accepts]
  if ('rejects' in test) return [REJECTED, test.rejects]
  return 'acceptsOrRejects' in test ? [NO_ERROR, test.acceptsOrRejects] : [test.expects, test.sends]
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

/** The deliveries of a check, in order, or why it cannot send them. Made when the check runs, because signatures expire. */
export type Draft = (examination: Examination) => Drafted

type Drafted = Variant | readonly Variant[] | AsyncIterable<Variant> | string

/** Sends deliveries until the receiver fails for one of them. */
async function answersAll(
  examination: Examination,
  expectation: Expectation,
  drafted: Drafted,
  {
    diagnose = expectation === ACCEPTED ? failsToAccept : undefined,
    atOnce = false,
  }: Pick<AnswerTest, 'diagnose' | 'atOnce'>,
): Promise<Outcome> {
  if (typeof drafted === 'string') return notTested(drafted)
  const { answer, isMetBy } = expectation
  let warning: Outcome | undefined
  let seen: string | undefined
  for await (const { what, exchange } of exchangesOf(examination, drafted, atOnce)) {
    seen = describeExchange(exchange)
    if (isMetBy(exchange.reply)) continue
    const problem = `${seen}; expected ${answer}`
    const outcome = { ...((await diagnose?.(examination, exchange, problem)) ?? failed(exchange, problem)), what }
    if (outcome.verdict !== 'warned') return outcome
    warning ??= outcome
  }
  return warning ?? (seen === undefined ? notTested('the receiver accepts no event that this needs') : passed(seen))
}

async function failsToAccept(examination: Examination, exchange: Exchange, seen: string): Promise<Outcome> {
  const lost = await causeOfLoss(examination, exchange)
  return failed(exchange, seen, lost?.cause)
}

async function* exchangesOf({ deliver }: Examination, drafted: Exclude<Drafted, string>, atOnce: boolean) {
  const exchangeOf = async ({ what, ...traits }: Variant) => ({ what, exchange: await deliver(traits) })
  const variants = Symbol.asyncIterator in drafted ? drafted : [drafted].flat()
  if (atOnce) yield* await Promise.all((await Array.fromAsync(variants)).map(exchangeOf))
  else for await (const variant of variants) yield await exchangeOf(variant)
}

function verbFor(reply: Reply): string {
  if (isAccepted(reply)) return 'accepts'
  if (isRejected(reply)) return 'rejects'
  if (reply.kind === 'answered') return `answers ${reply.status} to`
  return reply.kind === 'timed-out' ? 'does not answer' : 'closes the connection at'
}
