import { copyFile } from 'node:fs/promises'
import { defineConfig } from 'tsup'
import { buildOf } from '../../tsup.base.ts'

export default defineConfig({
  ...buildOf({ index: 'src/index.ts', schemas: 'src/schemas/index.ts' }),
  // The schemas import the main entry by its name, so that the classes of errors exist once and each entry is one file.
  external: [/^node:/, '@notewire/protocol'],
  splitting: false,
  // The schemas use a tenth of zod, and loading all of its files takes 60 ms. Schemas of this copy can be part of a user's own.
  noExternal: ['zod'],
  // The licence of zod asks for its text wherever parts of zod are copied to.
  onSuccess: () => copyFile('node_modules/zod/LICENSE', 'dist/zod.LICENSE'),
})
