import type { Severity } from './check.ts'

/** What was found out about a receiver. With `--json` it is printed as it is; a change of its shape raises `schema_version`. */
export interface ReceiverReport {
  readonly schema_version: 1
  readonly report: 'receiver'
  /** Without its query, which may hold a secret. */
  readonly url: string
  /** ISO 8601, UTC. */
  readonly started_at: string
  readonly duration_ms: number
  /** Whether all that can be examined was. */
  readonly complete: boolean
  /** Why not. */
  readonly incomplete_because?: string | undefined
  readonly requests_sent: number
  readonly summary: Readonly<Record<'passed' | 'failed' | 'warned' | 'not_tested', number>>
  /** Of all answers but those to large bodies; absent when there was none. */
  readonly latency?: { readonly p50_ms: number; readonly p95_ms: number; readonly max_ms: number } | undefined
  /** In the order of the examination. */
  readonly findings: readonly Finding[]
}

/** What a check came to. */
export interface Finding {
  /** Stable. */
  readonly id: string
  readonly group: string
  /** The statement of the contract that was examined. */
  readonly title: string
  /** Where it stands. */
  readonly section: string
  readonly severity: Severity
  readonly verdict: 'passed' | 'failed' | 'warned' | 'not-tested'
  /** What the receiver did; why, where it was not tested. */
  readonly seen: string
  /** The probable cause, where it was found. */
  readonly cause?: string | undefined
  /** What to do. There when it failed or warned. */
  readonly fix?: string | undefined
  /** A command that sends the request again. Its signature is valid for 5 minutes. */
  readonly repeat?: string | undefined
}

/** The number of findings of each verdict. */
export function summaryOf(findings: readonly Finding[]): ReceiverReport['summary'] {
  const count = (verdict: Finding['verdict']) => findings.filter((finding) => finding.verdict === verdict).length
  return { passed: count('passed'), failed: count('failed'), warned: count('warned'), not_tested: count('not-tested') }
}

/** Median, 95th percentile and maximum, in whole milliseconds. */
export function latencyOf(tookMs: readonly number[]): ReceiverReport['latency'] {
  if (tookMs.length === 0) return undefined
  const ordered = tookMs.toSorted((one, other) => one - other)
  const at = (share: number) => Math.round(ordered[Math.ceil(share * ordered.length) - 1] ?? 0)
  return { p50_ms: at(0.5), p95_ms: at(0.95), max_ms: at(1) }
}

/** Whether no `must` failed, and nothing was left out for lack of time. */
export function isHealthy({ summary, complete }: ReceiverReport): boolean {
  return summary.failed === 0 && complete
}

/** Whether there was nobody to examine. */
export function isUnreachable({ findings }: ReceiverReport): boolean {
  return findings.some(({ id, verdict }) => id === 'connection.reachable' && verdict === 'failed')
}
