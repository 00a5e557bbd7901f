import { setup } from '../test-environment.ts'
import { plantedStatements } from './planted-statements.ts'
import { findFailure } from './search.ts'

// Usage: npm run mutate:statements, or npm run mutate:statements -- redis/ for the bugs whose file or mistake contains this text.
const [part = ''] = process.argv.slice(2)
// The same random cases each time.
process.env['FAST_CHECK_SEED'] ??= '1'

const asked = plantedStatements.filter(({ patch, mistake }) => `${patch.file}: ${mistake}`.includes(part))
await using cleanUp = new AsyncDisposableStack()
cleanUp.defer(await setup())
// A test that fails anyway would find every bug.
for (const suite of new Set(asked.map((planted) => planted.suite))) {
  const failure = await findFailure(suite)
  if (failure !== undefined) throw new Error(`Without a planted bug, ${failure}`)
}
let found = 0
for (const planted of asked) {
  const finding = await findFailure(planted.suite, planted.patch)
  if (finding !== undefined) found += 1
  console.log(`${planted.patch.file}: ${planted.mistake}\n  ${finding ?? 'SURVIVED'}`)
}
console.log(`${found} of ${asked.length} planted bugs were found.`)
process.exitCode = found === asked.length ? 0 : 1
