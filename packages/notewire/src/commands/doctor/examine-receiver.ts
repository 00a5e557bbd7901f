import { CommandError } from '../../errors/failure.ts'
import { checksNamed } from './catalogue.ts'
import { type Check, notTested, type Outcome } from './check.ts'
import { curlOf } from './curl.ts'
import { isLarge, secretOf } from './delivery.ts'
import { DEFAULT_LIMITS, type Effects, type Examination, isSlow, type Limits, startExamination } from './examination.ts'
import { mainProblem } from './main-problem.ts'
import { RateLimitError } from './rate-limit.ts'
import { areEffectsTested, type Finding, latencyOf, type ReceiverReport, summaryOf } from './report.ts'
import { describeExchange, seconds } from './send.ts'

export interface ExaminationOptions {
  readonly url: URL
  readonly secret: string
  readonly secondSecret?: string | undefined
  readonly effects?: Effects | undefined
  readonly only?: readonly string[] | undefined
  readonly limits?: Partial<Limits> | undefined
  readonly signal?: AbortSignal | undefined
  readonly onFinding?: ((finding: Finding, done: number, total: number) => void) | undefined
}

/**
 * Checks a receiver in any language: sends it valid and invalid deliveries about notes that do not exist, and compares its answers
 * with the contract. Deliveries are sent one at a time, except where a check needs concurrent ones.
 *
 * @throws `SecretError` if a secret is malformed; `CommandError` `effects_unreadable`, or `doctor_timeout` if the time limit ends before
 * the first answer; the reason of the signal
 */
export async function examineReceiver(options: ExaminationOptions): Promise<ReceiverReport> {
  const startedAt = Date.now()
  const { url, secret, secondSecret, effects, only, onFinding, signal: stop = new AbortController().signal } = options
  const secrets = [secretOf(secret), ...(secondSecret === undefined ? [] : [secretOf(secondSecret)])] as const
  const limits = { ...DEFAULT_LIMITS, ...options.limits }
  const timeUp = AbortSignal.timeout(limits.totalMs)
  const signal = AbortSignal.any([stop, timeUp])
  await effects?.(stop)
  const target = { url, secrets, effects, limits, signal }
  const examination = await startExamination(target).catch((error: unknown) => {
    stop.throwIfAborted()
    throw timeUp.aborted ? tooLate(limits) : error
  })
  const checks = checksNamed(only)
  const findings: Finding[] = []
  let isOver = false
  for (const check of checks) {
    const reason = reasonToSkip(check, examination, findings)
    const outcome = reason === undefined ? await run(check, examination, stop) : notTested(reason)
    const isCrash: boolean = hasCrashed(examination) && !isOver
    isOver ||= isCrash
    const finding = isCrash ? crashAt(check, examination) : findingOf(check, outcome)
    findings.push(finding)
    onFinding?.(finding, findings.length, checks.length)
  }
  const incompleteBecause = reasonToStop(examination) ?? reasonNothingIsAccepted(examination)
  const usual = examination.exchanges.filter(({ delivery, reply }) => reply.kind === 'answered' && !isLarge(delivery))
  return {
    schema_version: 1,
    report: 'receiver',
    url: url.origin + url.pathname,
    diagnosis: mainProblem(findings) ?? health(findings, incompleteBecause),
    started_at: new Date(startedAt).toISOString(),
    duration_ms: Date.now() - startedAt,
    complete: incompleteBecause === undefined,
    incomplete_because: incompleteBecause,
    requests_sent: examination.exchanges.length,
    summary: summaryOf(findings),
    latency: latencyOf(usual.map(({ tookMs }) => tookMs)),
    findings,
  }
}

/** The diagnosis of a receiver without problems. */
function health(findings: readonly Finding[], incompleteBecause: string | undefined): string {
  if (incompleteBecause !== undefined) return `could not be tested completely: ${incompleteBecause}`
  if (areEffectsTested(findings)) return 'follows the contract'
  return 'passes; its effects were not tested (--effects-url)'
}

function reasonToSkip(check: Check, examination: Examination, findings: readonly Finding[]): string | undefined {
  if (check.always === true) return undefined
  const required = findings.find(({ id, verdict }) => id === check.requires && verdict !== 'passed')
  return reasonNothingIsAccepted(examination) ?? reasonToStop(examination) ?? (required && reasonOf(required))
}

function reasonNothingIsAccepted({ first, acceptedKind }: Examination): string | undefined {
  if (acceptedKind !== undefined) return undefined
  if (first.reply.kind === 'unreachable') return 'the receiver could not be reached'
  return 'the receiver accepts no valid delivery, so other answers would show nothing'
}

function reasonOf({ id, verdict, seen }: Finding): string {
  return verdict === 'not_tested' ? seen : `${id} did not pass, and this check would report the same problem`
}

async function run(check: Check, examination: Examination, stop: AbortSignal): Promise<Outcome> {
  try {
    const outcome = await check.run(examination)
    // A crash closes the connection first. Then nothing listens.
    if (examination.exchanges.at(-1)?.reply.kind === 'closed') await examination.deliver({})
    return outcome
  } catch (error) {
    stop.throwIfAborted()
    if (examination.signal.aborted) return notTested(timeIsUp(examination))
    if (error instanceof RateLimitError) return notTested(RATE_IS_LIMITED)
    throw error
  }
}

const RATE_IS_LIMITED =
  'the receiver limits the rate of deliveries (429), and did so for longer than a minute. Raise the limit in a test build'

function tooLate({ totalMs }: Limits): CommandError {
  const message = `the time limit of ${seconds(totalMs)} ended before the receiver answered the first deliveries. Check that the receiver runs and answers within 10 s, or raise the limit (--time-limit).`
  return new CommandError('doctor_timeout', message)
}

/** Why the examination ends before all checks have run. */
function reasonToStop(examination: Examination): string | undefined {
  const { exchanges, limits, signal, rateLimit } = examination
  if (signal.aborted) return timeIsUp(examination)
  if (rateLimit.isExhausted) return RATE_IS_LIMITED
  if (hasCrashed(examination)) return 'nothing listens at the URL any more: the receiver crashed or was stopped'
  const slow = exchanges.filter((exchange) => isSlow(exchange, limits)).length
  if (slow < limits.slowAllowed) return undefined
  return `the receiver answered ${slow} deliveries later than after ${seconds(limits.answerSoonMs)}, or not at all`
}

/** Whether the receiver answered before, and nothing listens at its URL now. */
function hasCrashed({ first, exchanges }: Examination): boolean {
  return first.reply.kind !== 'unreachable' && exchanges.at(-1)?.reply.kind === 'unreachable'
}

/** The finding of the check during which the receiver crashed. */
function crashAt(check: Check, { first, exchanges }: Examination): Finding {
  const exchange = exchanges.findLast(({ reply }) => reply.kind !== 'unreachable') ?? first
  const seen = `${describeExchange(exchange)}; then nothing listened at the URL`
  const problem = `crashes at the check "${check.title}": after it, nothing listens at the URL`
  const finding = findingOf(check, { verdict: 'failed', seen, exchange })
  const fix =
    'Read its log. It may also have crashed because of the delivery just before. Catch the errors of the handler.'
  return { ...finding, verdict: 'failed', problem, fix }
}

function timeIsUp({ exchanges, limits: { totalMs } }: Examination): string {
  const { p50_ms = 0 } = latencyOf(exchanges.map(({ tookMs }) => tookMs)) ?? {}
  const pace = p50_ms < 1_000 ? '' : `; an answer took ${seconds(p50_ms)} (median)`
  return `the time limit of ${seconds(totalMs)} ended${pace}`
}

function findingOf(check: Check, { verdict: found, seen, what, cause, exchange }: Outcome): Finding {
  const { id, group, title, section, severity, fix, problem } = check
  const verdict = found === 'failed' && severity === 'should' ? 'warned' : found
  const finding = { id, group, title, section, severity, verdict, seen }
  if (exchange === undefined) return finding
  const { delivery, reply } = exchange
  return {
    ...finding,
    problem: problem(reply) + (what === undefined ? '' : ` (${what})`),
    status: reply.kind === 'answered' ? reply.status : undefined,
    cause,
    fix,
    repeat: curlOf(delivery),
  }
}
