import { defineConfig } from 'vitest/config'
import { unit } from '../../vitest.workspace.ts'

// What `scripts/mutate.ts` sets.
const { MUTATED_PACKAGE = '', MUTATION_TESTS = '' } = process.env

const { test, ...fromSource } = unit(MUTATED_PACKAGE)
export default defineConfig({
  ...fromSource,
  test: {
    ...test,
    include: MUTATION_TESTS.split(','),
    // Those of the package are excluded if they take long.
    exclude: [],
    setupFiles: [...test.setupFiles, `${import.meta.dirname}/without-shrinking.ts`],
    // Stryker ends what hangs, by a limit of its own.
    testTimeout: 600_000,
  },
})
