import type { Reporter, TestCase } from 'vitest/node'

/** Names the tests that failed first and passed when they were repeated. Only CI repeats tests. */
export class FlakyTestsReporter implements Reporter {
  readonly #names: string[] = []

  onTestCaseResult(test: TestCase): void {
    if (test.diagnostic()?.flaky === true) this.#names.push(`${test.module.relativeModuleId} > ${test.fullName}`)
  }

  onTestRunEnd(): void {
    for (const name of this.#names) console.warn(`Flaky: passed at the second attempt: ${name}`)
  }
}
