import { runProgram } from '../simulation/program.ts'
import { simulator } from './simulator.ts'

// Usage: npm run simulate:many-mirrors -- --store memory. With `--history` and more: see `runProgram`.
await runProgram(simulator, async () => console.log('These bugs have no page. Vitest searches for each of them.'))
