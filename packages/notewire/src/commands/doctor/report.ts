import { amount } from '../../terminal/amounts.ts'
import type { Output } from '../../terminal/output.ts'
import { hanging, wrap } from '../../terminal/width.ts'
import type { Check, Outcome } from './check.ts'
import { seconds } from './send.ts'

/** The result of an examination. `--json` prints it as it is; a field that changes or goes raises `schema_version`. */
export interface ReceiverReport {
  readonly schema_version: 1
  readonly report: 'receiver'
  /** Without the query, which may contain a secret. */
  readonly url: string
  /** What is wrong, in one sentence without its subject, which is the receiver. */
  readonly diagnosis: string
  readonly started_at: string
  readonly duration_ms: number
  readonly complete: boolean
  readonly incomplete_because?: string | undefined
  readonly requests_sent: number
  readonly summary: Readonly<Record<Outcome['verdict'], number>>
  /** Of all answers except those to large bodies; absent if there was none. */
  readonly latency?: { readonly p50_ms: number; readonly p95_ms: number; readonly max_ms: number } | undefined
  readonly findings: readonly Finding[]
}

export interface Finding
  extends Pick<Check, 'id' | 'group' | 'title' | 'section' | 'severity'>,
    Pick<Outcome, 'verdict' | 'seen' | 'cause'> {
  /** What the receiver does, if the check did not pass: `accepts a delivery without webhook-id`. */
  readonly problem?: string | undefined
  /** The HTTP status that showed it. */
  readonly status?: number | undefined
  readonly fix?: string | undefined
  /** A curl command that repeats the request. Its signature is valid for 5 minutes. */
  readonly repeat?: string | undefined
}

export function summaryOf(findings: readonly Finding[]): ReceiverReport['summary'] {
  const summary = { passed: 0, failed: 0, warned: 0, not_tested: 0 }
  for (const { verdict } of findings) summary[verdict] += 1
  return summary
}

export function latencyOf(tookMs: readonly number[]): ReceiverReport['latency'] {
  if (tookMs.length === 0) return undefined
  const ordered = tookMs.toSorted((one, other) => one - other)
  const at = (share: number) => Math.round(ordered[Math.ceil(share * ordered.length) - 1] ?? 0)
  return { p50_ms: at(0.5), p95_ms: at(0.95), max_ms: at(1) }
}

/** Whether no `must` failed and every check could run. */
export function isHealthy({ summary, complete }: ReceiverReport): boolean {
  return summary.failed === 0 && complete
}

/** Whether the receiver was seen to apply events: its answers alone do not show that it follows the contract. */
export function areEffectsTested(findings: readonly Finding[]): boolean {
  return findings.some(({ id, verdict }) => id === 'effect.applied' && verdict === 'passed')
}

export function isUnreachable({ findings }: ReceiverReport): boolean {
  return findings.some(({ id, verdict }) => id === 'connection.reachable' && verdict === 'failed')
}

type TextOptions = Pick<Output, 'width' | 'paint'>

const MARKS = {
  passed: { mark: '✓', format: 'green' },
  warned: { mark: '!', format: 'yellow' },
  failed: { mark: '✗', format: 'red' },
  not_tested: { mark: '-', format: 'dim' },
} as const

/** The report for a person: the diagnosis, one line for each check, the details of each failure and each warning, the result. */
export function renderText(report: ReceiverReport, options: TextOptions): string {
  const { findings } = report
  const tested = findings.filter(({ verdict }) => verdict !== 'not_tested')
  const groups = isUnreachable(report) ? [] : [...Map.groupBy(tested, ({ group }) => group)]
  const problems = (['failed', 'warned'] as const).flatMap((wanted) =>
    findings.filter(({ verdict }) => verdict === wanted),
  )
  const { mark, format } = MARKS[problems[0]?.verdict ?? (isHealthy(report) ? 'passed' : 'warned')]
  return [
    hanging(`${options.paint(format, mark)} `, `The receiver ${report.diagnosis}.`, options.width).join('\n'),
    ...groups.map(([title, ofGroup]) => groupText(title, ofGroup, options)),
    ...problems.map((finding) => problemText(finding, options)),
    ...(isUnreachable(report) ? [] : [untestedText(findings, options)]),
    resultText(report, options),
  ].join('\n\n')
}

function groupText(title: string, findings: readonly Finding[], { width, paint }: TextOptions): string {
  const lines = findings.flatMap(({ verdict, title }) => {
    const { mark, format } = MARKS[verdict]
    return hanging(`  ${paint(format, mark)} `, title, width)
  })
  return [paint('bold', title), ...lines].join('\n')
}

/** What no delivery from outside can show. */
const NEVER_TESTED =
  'Constant-time comparison, and duplicates and revisions after 27 h, after thousands of events, after a restart, and in several processes: the doctor cannot show them'

/** What was not tested, and why: one line for each reason. */
function untestedText(findings: readonly Finding[], { width, paint }: TextOptions): string {
  const untested = findings.filter(({ verdict }) => verdict === 'not_tested')
  const reasons = [...Map.groupBy(untested, ({ seen }) => seen)].flatMap(([reason, [first, ...others]]) => {
    const what = others.length === 0 ? first?.title : `${others.length + 1} checks`
    return hanging('  - ', `${what}: ${reason}`, width)
  })
  // Otherwise the last thing that a good receiver's author reads sounds like a task.
  const isFine = findings.every(({ verdict }) => verdict === 'passed' || verdict === 'not_tested')
  const heading = paint('bold', `Not tested${isFine ? ', which is no fault of the receiver' : ''}`)
  return [heading, ...reasons, ...hanging('  - ', NEVER_TESTED, width)].join('\n')
}

function problemText(finding: Finding, { width, paint }: TextOptions): string {
  const { verdict, id, title, section, problem, seen, cause, fix, repeat } = finding
  const { mark, format } = MARKS[verdict]
  const rows = Object.entries({ check: id, contract: section, problem, seen, cause, fix })
  return [
    ...hanging(`${paint(format, `${mark} ${verdict}`)}  `, title, width),
    ...rows.flatMap(([label, text]) => (text === undefined ? [] : hanging(`  ${label.padEnd(9)}`, text, width))),
    ...(repeat === undefined
      ? []
      : [`  repeat   within 5 minutes`, ...repeat.split('\n').map((line) => paint('dim', line))]),
  ].join('\n')
}

function resultText(report: ReceiverReport, { width, paint }: TextOptions): string {
  const { summary, latency, requests_sent, duration_ms, incomplete_because } = report
  const counts = [
    paint(summary.failed > 0 ? 'red' : 'dim', `${summary.failed} failed`),
    paint(summary.warned > 0 ? 'yellow' : 'dim', `${summary.warned} warned`),
    paint('green', `${summary.passed} passed`),
    paint('dim', `${summary.not_tested} not tested`),
  ]
  const took = duration_ms < 1_000 ? `${duration_ms} ms` : seconds(duration_ms)
  const speed = latency && `; answers p50 ${latency.p50_ms} ms, p95 ${latency.p95_ms} ms, slowest ${latency.max_ms} ms`
  return [
    paint('bold', verdictOf(report)),
    ...(incomplete_because === undefined || isUnreachable(report)
      ? []
      : wrap(`Not every check ran: ${incomplete_because}.`, width)),
    counts.join(', '),
    paint('dim', `${amount(requests_sent, 'request')} in ${took}${speed ?? ''}`),
  ].join('\n')
}

function verdictOf(report: ReceiverReport): string {
  if (isUnreachable(report)) return 'The receiver could not be reached.'
  if (report.summary.failed > 0) return 'The receiver does not follow the contract.'
  if (!isHealthy(report)) return 'The checks were not completed.'
  const passes = areEffectsTested(report.findings) ? 'follows the contract' : 'passes the checks that ran'
  return `The receiver ${passes}${report.summary.warned > 0 ? ', with warnings' : ''}.`
}

export function renderChecks(checks: readonly Check[], { width, paint }: TextOptions): string {
  const groups = [...Map.groupBy(checks, ({ group }) => group)].map(([title, ofGroup]) => {
    const rows = ofGroup.flatMap(({ id, severity, section, title }) => [
      `  ${id}  ${paint('dim', severity)}`,
      ...wrap(`${title} (${section})`, width, '      '),
    ])
    return [paint('bold', title), ...rows].join('\n')
  })
  return groups.join('\n\n')
}
