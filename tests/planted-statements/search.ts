import { join } from 'node:path'
import { createVitest, type TestModule } from 'vitest/node'
import { WORKSPACE } from '../../scripts/run.ts'
import { applyPatch, type Patch } from '../simulation/patch.ts'
import type { StatementSuite } from './statement-suites.ts'

const WITHOUT_SHRINKING = join(WORKSPACE, 'scripts/mutation/without-shrinking.ts')

/**
 * Runs the tests of a suite until one fails.
 *
 * @param patch  the bug, if one is planted: when a test imports the file, so that nothing is written to disk
 * @returns the test that failed and its error, or `undefined`
 */
export async function findFailure(suite: StatementSuite, patch?: Patch): Promise<string | undefined> {
  const { test, ...fromSource } = suite.project
  const plugins = patch === undefined ? [] : [planting(patch)]
  for (const file of suite.files) {
    const settings = {
      ...test,
      config: false as const,
      root: join(WORKSPACE, test.root),
      include: [file],
      setupFiles: [...test.setupFiles, WITHOUT_SHRINKING],
      watch: false,
      // It would keep the bug for other runs.
      fsModuleCache: false,
      bail: 1,
      testTimeout: 600_000,
      hookTimeout: 600_000,
      expect: { poll: { timeout: 60_000 } },
      reporters: [{}],
    }
    const vitest = await createVitest('test', settings, { ...fromSource, plugins })
    try {
      const { testModules } = await vitest.start()
      const [module] = testModules
      if (module === undefined) throw new Error(`There is no test file ${file}.`)
      if (!module.ok()) return `${file}: ${failureIn(module)}`
    } finally {
      await vitest.close()
    }
  }
  return undefined
}

function failureIn(module: TestModule): string {
  const [failed] = module.children.allTests('failed')
  const [error] = failed?.result().errors ?? module.errors()
  return `${failed?.fullName ?? 'the whole file'}: ${error?.message.split('\n', 1).join()}`
}

function planting(patch: Patch) {
  const file = join(WORKSPACE, 'packages', patch.file)
  return {
    name: 'notewire:planted-statement',
    enforce: 'pre' as const,
    transform: (source: string, id: string) => (id === file ? applyPatch(patch, source) : undefined),
  }
}
