import { runProgram } from '../simulation/program.ts'
import { writeProofPage } from './proof-page.ts'
import { simulator } from './simulator.ts'

// Usage: npm run simulate:mirror. With `--history`, `--planted` and more: see `runProgram`.
await runProgram(simulator, writeProofPage)
