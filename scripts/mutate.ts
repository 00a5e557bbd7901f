import { existsSync } from 'node:fs'
import { dirname } from 'node:path'
import { Stryker } from '@stryker-mutator/core'

// Usage: npm run mutate -- packages/mirror/src/rules/hint-rule.ts
// Changes the file in a hundred ways, in a copy of the workspace, and prints the changes that no test notices. It runs the test file
// next to it, or those of its folder. Name other test files or folders after the file to run these.
const [file = '', ...named] = process.argv.slice(2)
const [, folder = ''] = /^packages\/([^/]+)\/src\//.exec(file) ?? []
if (folder === '') throw new Error('Name a source file, such as packages/mirror/src/rules/hint-rule.ts.')

const own = file.replace(/\.ts$/, '.test.ts')
const tests = named.length > 0 ? named : [existsSync(own) ? own : dirname(file)]
process.env['MUTATED_PACKAGE'] = folder
process.env['MUTATION_TESTS'] = tests
  .map((test) => test.replace(`packages/${folder}/`, ''))
  .map((test) => (test.endsWith('.ts') ? test : `${test}/**/*.test.ts`))
  .join(',')
// The same random cases for each change, so that the score can be compared.
process.env['FAST_CHECK_SEED'] ??= '1'

await new Stryker({
  mutate: [file, '!**/*.test.ts'],
  testRunner: 'vitest',
  plugins: ['@stryker-mutator/vitest-runner'],
  vitest: { configFile: 'scripts/mutation/vitest.config.ts' },
  coverageAnalysis: 'perTest',
  disableTypeChecks: false,
  cleanTempDir: 'always',
  reporters: ['clear-text', 'html'],
  clearTextReporter: { logTests: false, reportTests: false },
  htmlReporter: { fileName: 'test-results/mutation.html' },
}).runMutationTest()
