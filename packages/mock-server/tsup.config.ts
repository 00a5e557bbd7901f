import { defineConfig } from 'tsup'
import { buildOf } from '../../tsup.base.ts'

export default defineConfig({
  ...buildOf({ index: 'src/index.ts', scenarios: 'src/scenarios.ts', program: 'src/program/main.ts' }),
  // The contract documents are published beside the code.
  publicDir: '../../docs/contract',
})
