import { writeFileSync, writeSync } from 'node:fs'
import type { Reporter, TestCase, TestModule } from 'vitest/node'
import type { TestResults } from '../scripts/gate-summary.ts'
import { isInstalled, PROGRAMS } from './servers/is-installed.ts'

declare module 'vitest' {
  interface TaskMeta {
    /** Why a test or all tests of a `describe` are skipped. */
    skippedBecause?: string
  }
}

/** Writes the numbers of a test run into a file. Names the tests that are running when the run is stopped. */
export class ResultsReporter implements Reporter {
  readonly #file: string | undefined
  readonly #modules = new Map<string, TestModule>()
  readonly #tests = new Set<TestCase>()

  /** @param file  `undefined` if nobody asks for the numbers */
  constructor(file: string | undefined) {
    this.#file = file
  }

  onTestRunStart(): void {
    process.once('SIGTERM', () => {
      for (const name of this.#running()) writeSync(2, `Running when the tests were stopped: ${name}\n`)
    })
  }

  onTestModuleQueued(module: TestModule): void {
    this.#modules.set(module.id, module)
  }

  onTestModuleCollected(module: TestModule): void {
    this.#modules.set(module.id, module)
  }

  onTestModuleEnd(module: TestModule): void {
    this.#modules.delete(module.id)
  }

  onTestCaseReady(test: TestCase): void {
    this.#tests.add(test)
  }

  onTestCaseResult(test: TestCase): void {
    this.#tests.delete(test)
  }

  onTestRunEnd(modules: readonly TestModule[]): void {
    if (this.#file !== undefined) writeFileSync(this.#file, JSON.stringify(resultsOf(modules)))
    const skipped = modules.flatMap((module) => [...module.children.allTests('skipped')])
    const unexplained = skipped.filter((test) => test.meta().skippedBecause === undefined)
    // A change of a condition must not silence tests.
    if (process.env['CI'] === undefined || unexplained.length === 0) return
    for (const test of unexplained) console.error(`Skipped without a reason (\`meta.skippedBecause\`): ${nameOf(test)}`)
    process.exitCode = 1
  }

  *#running(): Iterable<string> {
    for (const test of this.#tests) yield nameOf(test)
    // A worker that a loop blocks does not report which test it has begun.
    const reported = new Set([...this.#tests].map(({ module }) => module.id))
    for (const module of this.#modules.values()) {
      if (reported.has(module.id)) continue
      const next = module.children.allTests('pending').next().value
      yield next === undefined ? fileOf(module) : `${nameOf(next)} (or a hook, or a later test of the file)`
    }
  }
}

function resultsOf(modules: readonly TestModule[]): TestResults {
  const numbers = { passed: 0, failed: 0 }
  const skipped: Record<string, number> = {}
  const secondsOfProjects: Record<string, number> = {}
  for (const module of modules) {
    const { name } = module.project
    const { duration, collectDuration, setupDuration } = module.diagnostic()
    secondsOfProjects[name] = (secondsOfProjects[name] ?? 0) + (duration + collectDuration + setupDuration) / 1_000
    for (const test of module.children.allTests()) {
      const { state } = test.result()
      if (state === 'passed' || state === 'failed') numbers[state] += 1
      else skipped[reasonOf(test)] = (skipped[reasonOf(test)] ?? 0) + 1
    }
  }
  const missing = PROGRAMS.filter((program) => !isInstalled(program))
  return { ...numbers, skipped, missing, secondsOfProjects }
}

function reasonOf(test: TestCase): string {
  return test.meta().skippedBecause ?? `${fileOf(test.module)} gives no reason`
}

function nameOf({ module, fullName }: TestCase): string {
  return `${fileOf(module)} > ${fullName}`
}

function fileOf({ project, relativeModuleId }: TestModule): string {
  return project.name === '' ? relativeModuleId : `${project.name}: ${relativeModuleId}`
}
