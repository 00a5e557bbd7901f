import { runProgram } from '../simulation/program.ts'
import { writeProofPage } from './proof-page.ts'
import { simulator } from './simulator.ts'

// Usage: npm run simulate. For `--history`, `--planted` and other options see `runProgram`.
await runProgram(simulator, writeProofPage)
