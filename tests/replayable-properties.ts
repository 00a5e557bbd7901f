import { randomInt } from 'node:crypto'
import fc from 'fast-check'
import { beforeEach } from 'vitest'

// All random cases of a run follow from one number, so that those of a failed run can be had again.
const seed = Number(process.env['FAST_CHECK_SEED'] ?? randomInt(2 ** 31))

let hasRandomCases = false
fc.configureGlobal({
  seed,
  beforeEach: () => {
    hasRandomCases = true
  },
})

// fast-check itself tells the seed of a case that fails, but not that of a test that runs out of time.
beforeEach(({ onTestFailed, task }) => {
  hasRandomCases = false
  onTestFailed(() => {
    if (!hasRandomCases) return
    const { projectName, name } = task.file
    const tests = `vitest run --config vitest.workspace.ts --project ${projectName} ${name} -t '${task.name}'`
    console.error(`The same random cases again: FAST_CHECK_SEED=${seed} npx ${tests}`)
  })
})
