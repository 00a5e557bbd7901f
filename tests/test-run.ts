/**
 * What a test run covers:
 *
 * - `people` (`npm test`): the packages, their types, SQLite and PostgreSQL
 * - `rest` (the second half of `npm run test:all`): Redis, queues, browsers, runtimes, packed packages, examples, short simulations and kills
 * - `proof` (`npm run proof`): long simulations and many kills
 * - `release` (`npm run test:release`): every page of the site, every TypeScript version
 * - `any`: the projects that are named on the command line
 */
export type TestRun = 'people' | 'rest' | 'proof' | 'release' | 'any'

export const testRun = testRunOf(process.env['TEST_RUN'] ?? 'any')

/** Whether simulators and kill tests run as long as before a release. */
export const isProof = testRun === 'proof'

/** The options of tests that run only in `npm run proof`. */
export const IN_PROOF = { skip: !isProof, meta: { skippedBecause: 'only `npm run proof` runs them' } }

function testRunOf(name: string): TestRun {
  const known = ['people', 'rest', 'proof', 'release', 'any'] as const
  const found = known.find((run) => run === name)
  if (found === undefined) throw new Error(`TEST_RUN is "${name}"; use one of ${known.join(', ')}.`)
  return found
}
