import type { Check, Outcome } from './check.ts'

/** The result of an examination. `--json` prints it as it is; a field that changes or goes raises `schema_version`. */
export interface ReceiverReport {
  readonly schema_version: 1
  readonly report: 'receiver'
  /** Without the query, which may contain a secret. */
  readonly url: string
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
    Omit<Outcome, 'delivery'> {
  readonly fix?: string | undefined
  /** A curl command that repeats the request. Its signature is valid for 5 minutes. */
  readonly repeat?: string | undefined
}

export function summaryOf(findings: readonly Finding[]): ReceiverReport['summary'] {
  const summary = { passed: 0, failed: 0, warned: 0, not_tested: 0 }
  for (const { verdict } of findings) summary[verdict] += 1
  return summary
}

/** Median, 95th percentile and maximum, in whole milliseconds. */
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

export function isUnreachable({ findings }: ReceiverReport): boolean {
  return findings.some(({ id, verdict }) => id === 'connection.reachable' && verdict === 'failed')
}
