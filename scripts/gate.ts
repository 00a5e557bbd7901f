import { gateOf } from './gates.ts'
import { runGate } from './run-gate.ts'

// Usage: node scripts/gate.ts test --project client. Runs one gate, with these arguments for its command.
const [name = '', ...args] = process.argv.slice(2)
const gate = gateOf(name)
const command = [gate.command, ...args.map((each) => `'${each.replaceAll("'", "'\\''")}'`)].join(' ')
const { failure } = await runGate({ ...gate, command }, 'inherit')
if (failure !== undefined) {
  console.error(`${name}: ${failure}`)
  process.exitCode = 1
}
