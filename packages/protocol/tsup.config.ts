import { defineConfig } from 'tsup'
import { buildOf } from '../../tsup.base.ts'

export default defineConfig({
  ...buildOf({ index: 'src/index.ts', schemas: 'src/schemas/index.ts' }),
  // What the schemas use of zod is a tenth of it, and a hundred files to find and load otherwise. Theirs works with a user's own.
  noExternal: ['zod'],
})
