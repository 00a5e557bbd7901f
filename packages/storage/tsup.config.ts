import { defineConfig } from 'tsup'
import { buildOf } from '../../tsup.base.ts'

export default defineConfig(buildOf({ index: 'src/index.ts' }))
