import { defineConfig } from 'tsup'
import { buildOf } from '../../tsup.base.ts'

export default defineConfig({
  ...buildOf({ main: 'src/main.ts' }),
  platform: 'node',
  // A program is run, not imported.
  dts: false,
})
