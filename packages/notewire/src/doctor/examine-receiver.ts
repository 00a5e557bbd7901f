import { type Bench, openBench } from './bench.ts'
import { CATALOGUE } from './catalogue.ts'
import { type Check, type Observation, untested } from './check.ts'
import { connection } from './checks/connection.ts'
import { curlOf } from './curl.ts'
import type { Effects } from './effects.ts'
import { DEFAULT_LIMITS, type Limits } from './limits.ts'
import { seconds } from './reply.ts'
import { type Finding, latencyOf, type ReceiverReport, summaryOf } from './report.ts'

/** What {@link examineReceiver} takes. */
export interface ExaminationOptions {
  /** Where the receiver takes deliveries: http or https. */
  readonly url: URL
  /** The signing secret that the receiver knows; a test secret. */
  readonly secret: string
  /** Another one that it also knows, as during a rotation. */
  readonly secondSecret?: string | undefined
  /** Where the receiver tells what it has applied. */
  readonly effects?: Effects | undefined
  /**
   * Checks by their ids, or groups by what comes before the dot. The connection is always examined.
   *
   * @default all
   */
  readonly only?: readonly string[] | undefined
  readonly limits?: Partial<Limits> | undefined
  readonly signal?: AbortSignal | undefined
  /** Told of every finding as it is made. */
  readonly onFinding?: ((finding: Finding, done: number, total: number) => void) | undefined
}

/**
 * Examines a receiver in whatever language: sends it deliveries, right and wrong ones, about notes that do not exist, and holds
 * its answers against the contract. One after another, but where they must come at once.
 *
 * @throws SecretError when a secret is malformed; EffectsError when the effects cannot be read; the reason of the signal
 */
export async function examineReceiver(options: ExaminationOptions): Promise<ReceiverReport> {
  const startedAt = Date.now()
  const limits = { ...DEFAULT_LIMITS, ...options.limits }
  const asked = options.signal ?? new AbortController().signal
  const timeUp = AbortSignal.timeout(limits.totalMs)
  const { url, secret, secondSecret, effects } = options
  await effects?.read(asked)
  const signal = AbortSignal.any([asked, timeUp])
  const bench = await openBench({ url, secret, secondSecret, effects, limits, signal })
  const chosen = choose(options.only ?? [])
  const findings: Finding[] = []
  for (const { check, group } of chosen) {
    const reason = reasonToSkip(check, bench, { findings, timeUp })
    const observation = reason === undefined ? await examine(check, bench, asked, timeUp) : untested(reason)
    const finding = findingOf(check, group, observation)
    findings.push(finding)
    options.onFinding?.(finding, findings.length, chosen.length)
  }
  const incompleteBecause = whyIncomplete(bench, timeUp)
  const usual = bench.exchanges.filter(
    ({ delivery, reply }) => reply.kind === 'answered' && delivery.body.trailingSpaces === 0,
  )
  return {
    schema_version: 1,
    report: 'receiver',
    url: url.origin + url.pathname,
    started_at: new Date(startedAt).toISOString(),
    duration_ms: Date.now() - startedAt,
    complete: incompleteBecause === undefined,
    incomplete_because: incompleteBecause,
    requests_sent: bench.exchanges.length,
    summary: summaryOf(findings),
    latency: latencyOf(usual.map(({ tookMs }) => tookMs)),
    findings,
  }
}

/** How many checks there are, and about how many requests they send. */
export function sizeOf(only: readonly string[]): { readonly checks: number; readonly requests: number } {
  const checks = choose(only).length
  return { checks, requests: checks * 2 }
}

function choose(only: readonly string[]): readonly { readonly check: Check; readonly group: string }[] {
  const all = CATALOGUE.flatMap(({ title, checks }) => checks.map((check) => ({ check, group: title })))
  if (only.length === 0) return all
  const isWanted = ({ id }: Check) => only.some((prefix) => id === prefix || id.startsWith(`${prefix}.`))
  // Whatever else is found rests on the connection: without it nothing would have failed.
  return all.filter(({ check, group }) => group === connection.title || isWanted(check))
}

function reasonToSkip(
  { presupposes, withoutValidDelivery }: Check,
  bench: Bench,
  { findings, timeUp }: { readonly findings: readonly Finding[]; readonly timeUp: AbortSignal },
): string | undefined {
  if (timeUp.aborted) return timeIsUp(bench.limits)
  if (withoutValidDelivery === true) return undefined
  if (bench.acceptedKind === undefined) {
    return 'the receiver does not take a valid delivery, so that its answer would say nothing'
  }
  if (isOutOfPatience(bench)) return patienceIsOver(bench.limits)
  const isMoot = findings.some(({ id, verdict }) => id === presupposes && verdict !== 'passed')
  return isMoot ? `it would only say the same as ${presupposes}` : undefined
}

async function examine(check: Check, bench: Bench, asked: AbortSignal, timeUp: AbortSignal): Promise<Observation> {
  try {
    return await check.examine(bench)
  } catch (error) {
    asked.throwIfAborted()
    if (timeUp.aborted) return untested(timeIsUp(bench.limits))
    throw error
  }
}

/** A receiver that keeps leaving deliveries without an answer would take the rest of the day. */
function isOutOfPatience({ exchanges, limits }: Bench): boolean {
  return exchanges.filter(({ reply }) => reply.kind === 'timed-out').length >= limits.unansweredAllowed
}

function patienceIsOver({ unansweredAllowed }: Limits): string {
  return `the receiver left ${unansweredAllowed} deliveries without an answer`
}

function whyIncomplete(bench: Bench, timeUp: AbortSignal): string | undefined {
  if (timeUp.aborted) return timeIsUp(bench.limits)
  return isOutOfPatience(bench) ? patienceIsOver(bench.limits) : undefined
}

function timeIsUp({ totalMs }: Limits): string {
  return `the ${seconds(totalMs)} for the whole examination were over`
}

function findingOf(check: Check, group: string, observation: Observation): Finding {
  const { id, title, section, severity, fix } = check
  const common = { id, group, title, section, severity }
  switch (observation.kind) {
    case 'held':
      return { ...common, verdict: 'passed', seen: observation.seen }
    case 'untested':
      return { ...common, verdict: 'not-tested', seen: observation.reason }
    case 'missed': {
      const { seen, cause, delivery, nearly } = observation
      const verdict = severity === 'must' && nearly !== true ? 'failed' : 'warned'
      return { ...common, verdict, seen, cause, fix, repeat: delivery === undefined ? undefined : curlOf(delivery) }
    }
  }
}
