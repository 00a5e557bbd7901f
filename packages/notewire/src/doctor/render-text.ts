import { amount } from '../terminal/amounts.ts'
import type { Paint } from '../terminal/colour.ts'
import { displayWidth, wrap } from '../terminal/width.ts'
import type { CheckGroup } from './check.ts'
import { seconds } from './reply.ts'
import { type Finding, isHealthy, isUnreachable, type ReceiverReport } from './report.ts'

/** How a report is shown. */
export interface TextOptions {
  readonly width: number
  readonly paint: Paint
}

const MARKS = {
  passed: { mark: '✓', format: 'green' },
  warned: { mark: '!', format: 'yellow' },
  failed: { mark: '✗', format: 'red' },
  'not-tested': { mark: '-', format: 'dim' },
} as const

/** The report for a person: first everything by group, one line a check; then what is wrong, the worst first; then the sum. */
export function renderText(report: ReceiverReport, options: TextOptions): string {
  const { findings } = report
  const worstFirst = [
    ...findings.filter(({ verdict }) => verdict === 'failed'),
    ...findings.filter(({ verdict }) => verdict === 'warned'),
  ]
  const sections = [
    ...(isUnreachable(report) ? [] : [groupsOf(findings, options)]),
    ...worstFirst.map((finding) => problemOf(finding, options)),
    sumOf(report, options),
  ]
  return sections.join('\n\n')
}

function groupsOf(findings: readonly Finding[], options: TextOptions): string {
  const groups = [...new Set(findings.map(({ group }) => group))]
  return groups
    .map((group) =>
      groupOf(
        group,
        findings.filter((finding) => finding.group === group),
        options,
      ),
    )
    .join('\n\n')
}

function groupOf(group: string, findings: readonly Finding[], options: TextOptions): string {
  const { paint, width } = options
  const sharedReasons = [...Map.groupBy(findings.filter(isUntested), ({ seen }) => seen)].filter(
    ([, sharing]) => sharing.length > 1,
  )
  // A reason that holds for many is said once.
  const reasons = new Set(sharedReasons.map(([reason]) => reason))
  const alone = findings.filter((finding) => !(isUntested(finding) && reasons.has(finding.seen)))
  return [
    paint('bold', group),
    ...alone.map((finding) => lineOf(finding, options)),
    ...sharedReasons.map(([reason, { length }]) =>
      paint('dim', hanging(`  ${MARKS['not-tested'].mark} `, `${length} checks not tested: ${reason}`, width)),
    ),
  ].join('\n')
}

function isUntested({ verdict }: Finding): boolean {
  return verdict === 'not-tested'
}

function lineOf({ verdict, title, seen }: Finding, { width, paint }: TextOptions): string {
  const { mark, format } = MARKS[verdict]
  const text = verdict === 'not-tested' ? `${title}: not tested, ${seen}` : title
  const lines = hanging('    ', text, width).slice(4)
  return `  ${paint(format, mark)} ${verdict === 'not-tested' ? paint('dim', lines) : lines}`
}

function problemOf(finding: Finding, { width, paint }: TextOptions): string {
  const { verdict, id, title, section, seen, cause, fix, repeat } = finding
  const { mark, format } = MARKS[verdict]
  const row = (label: string, text: string) => hanging(`  ${label.padEnd(9)}`, text, width)
  return [
    hanging(`${paint(format, `${mark} ${verdict}`)}  `, title, width),
    row('check', id),
    row('contract', section),
    row('seen', seen),
    ...(cause === undefined ? [] : [row('cause', cause)]),
    ...(fix === undefined ? [] : [row('fix', fix)]),
    ...(repeat === undefined ? [] : [`  repeat   within 5 minutes`, paint('dim', repeat)]),
  ].join('\n')
}

function sumOf(report: ReceiverReport, { width, paint }: TextOptions): string {
  const { summary, latency, requests_sent, duration_ms, incomplete_because } = report
  const counts = [
    paint(summary.failed > 0 ? 'red' : 'dim', `${summary.failed} failed`),
    paint(summary.warned > 0 ? 'yellow' : 'dim', `${summary.warned} warned`),
    paint('green', `${summary.passed} passed`),
    paint('dim', `${summary.not_tested} not tested`),
  ]
  const took = duration_ms < 1_000 ? `${duration_ms} ms` : seconds(duration_ms)
  const sent = `${amount(requests_sent, 'request')} in ${took}`
  const speed =
    latency === undefined
      ? ''
      : `; answers p50 ${latency.p50_ms} ms, p95 ${latency.p95_ms} ms, slowest ${latency.max_ms} ms`
  return [
    paint('bold', verdictOf(report)),
    ...(incomplete_because === undefined ? [] : [wrap(`It is not finished: ${incomplete_because}.`, width)]),
    counts.join(', '),
    paint('dim', sent + speed),
  ].join('\n')
}

function verdictOf(report: ReceiverReport): string {
  if (isUnreachable(report)) return 'The receiver could not be reached.'
  if (!isHealthy(report)) return 'The receiver does not keep the contract.'
  return report.summary.warned > 0
    ? 'The receiver keeps the contract, with warnings.'
    : 'The receiver keeps the contract.'
}

/** A label and a text beside it, whose other lines begin where its first does. */
function hanging(label: string, text: string, width: number): string {
  const indent = ' '.repeat(displayWidth(label))
  return label + wrap(text, width, indent).trimStart()
}

/** All checks for a person: what `--only` takes, and what each is about. */
export function renderCatalogue(groups: readonly CheckGroup[], { width, paint }: TextOptions): string {
  return groups
    .map(({ title, checks }) =>
      [
        paint('bold', title),
        ...checks.flatMap(({ id, severity, section, title: sentence }) => [
          `  ${id}  ${paint('dim', severity)}`,
          wrap(`${sentence} (${section})`, width, '      '),
        ]),
      ].join('\n'),
    )
    .join('\n\n')
}
