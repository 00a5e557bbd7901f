import type { GateEnd } from './run-gate.ts'

/** What one run of Vitest writes into the folder `TEST_RESULTS`. */
export interface TestResults {
  readonly passed: number
  readonly failed: number
  /** The number of skipped tests, by reason. */
  readonly skipped: Readonly<Record<string, number>>
  /** The programs without which some test files were left out. */
  readonly missing: readonly string[]
  /** The sum of the durations of the test files of each project. Files of several projects run at the same time. */
  readonly secondsOfProjects: Readonly<Record<string, number>>
}

/** The end of a run of gates: seconds, reasons, failures, and the numbers of tests. */
export function summaryOf(ends: readonly GateEnd[], runs: readonly TestResults[]): string {
  const missing = new Set(runs.flatMap((run) => run.missing))
  return [
    ...tableOf('Seconds of each test project:', sumsOf(runs.map((run) => run.secondsOfProjects))),
    ...tableOf('Seconds of each gate:', new Map(ends.map(({ gate, seconds }) => [gate.name, seconds]))),
    ...tableOf('Skipped tests:', sumsOf(runs.map((run) => run.skipped))),
    ...[...missing].map((program) => `\nLeft out: test files that need ${program}, which is not installed.`),
    ...ends.flatMap(({ gate, failure }) => (failure === undefined ? [] : [`\n== FAILED: ${gate.name}: ${failure}`])),
    ...(runs.length === 0 ? [] : [`\n${countsOf(runs)}`]),
  ].join('\n')
}

function countsOf(runs: readonly TestResults[]): string {
  const sum = (countOf: (run: TestResults) => number) => runs.reduce((total, run) => total + countOf(run), 0)
  const skippedIn = ({ skipped }: TestResults) => Object.values(skipped).reduce((total, count) => total + count, 0)
  return `${sum(({ passed }) => passed)} passed, ${sum(({ failed }) => failed)} failed, ${sum(skippedIn)} skipped`
}

function sumsOf(records: readonly Readonly<Record<string, number>>[]): ReadonlyMap<string, number> {
  const sums = new Map<string, number>()
  for (const record of records)
    for (const [name, count] of Object.entries(record)) sums.set(name, (sums.get(name) ?? 0) + count)
  return sums
}

function tableOf(title: string, rows: ReadonlyMap<string, number>): readonly string[] {
  if (rows.size === 0) return []
  const sorted = [...rows].sort(([, one], [, other]) => other - one)
  return [`\n${title}`, ...sorted.map(([name, count]) => `${Math.round(count).toString().padStart(6)}  ${name}`)]
}
