import { isInstalled, PROGRAMS } from './servers/is-installed.ts'
import { type TestRun, testRun } from './test-run.ts'

/** The tests that each run includes and excludes. */
const COVERAGE: Readonly<Record<TestRun, readonly string[]>> = {
  people: [
    'Ran: the tests of all packages, type tests, stores on SQLite and PostgreSQL.',
    'Left out: long tests, commands that run as processes, Redis, queues, killed processes, browsers, runtimes, packed packages, examples, simulators. `npm run test:all` runs them too.',
  ],
  rest: [
    'Ran: long tests, the commands, Redis, queues, browsers, runtimes, packed packages, examples, 300 simulated histories of each kind, a few killed processes.',
    'Left out: thousands of histories and hundreds of kills (`npm run proof`), every page of the site (`npm run test:release`).',
  ],
  proof: ['Ran: thousands of simulated histories, planted bugs, and kill tests, as before a release.'],
  release: ['Ran: every page of the site, every entry with every supported TypeScript.'],
  any: [],
}

/** Vitest calls this before a run, and the returned function after it. */
export function setup(): () => void {
  const missing = PROGRAMS.filter((program) => !isInstalled(program))
  return () => {
    for (const line of COVERAGE[testRun]) console.log(line)
    for (const program of missing) console.log(`Left out: tests that need ${program}, which is not installed.`)
  }
}
