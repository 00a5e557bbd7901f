import { runProgram } from '../simulation/program.ts'
import { simulator } from './lagging-simulator.ts'
import { writeProofPage } from './proof-page.ts'

// Usage: npm run simulate:mirror-lag. With `--history`, `--planted` and more: see `runProgram`.
await runProgram(simulator, writeProofPage)
