import { randomInt } from 'node:crypto'
import fc from 'fast-check'
import { beforeEach } from 'vitest'

// One seed determines all random cases of a run, so that a failed run can be repeated.
const seed = Number(process.env['FAST_CHECK_SEED'] ?? randomInt(2 ** 31))

let hasRandomCases = false
fc.configureGlobal({
  seed,
  beforeEach: () => {
    hasRandomCases = true
  },
})

// fast-check prints the seed of a failed case, but not of a test that times out.
beforeEach(({ onTestFailed, task }) => {
  hasRandomCases = false
  onTestFailed(() => {
    if (!hasRandomCases) return
    const { projectName, name } = task.file
    const tests = `vitest run --config vitest.workspace.ts --project ${projectName} ${name} -t '${task.name}'`
    console.error(`Repeat with the same random cases: FAST_CHECK_SEED=${seed} npx ${tests}`)
  })
})
