import { copyFile } from 'node:fs/promises'
import { defineConfig } from 'tsup'
import { buildOf } from '../../tsup.base.ts'

export default defineConfig({
  ...buildOf({
    index: 'src/index.ts',
    'start-mock-server': 'src/program/start-mock-server.ts',
    program: 'src/program/main.ts',
  }),
  // The mock server uses a tenth of zod, and the whole of it takes longer to load than everything else together. So zod is a
  // development dependency. In protocol it is a dependency, because the declarations of its schemas refer to zod.
  noExternal: ['zod'],
  // The licence of zod asks for its text wherever parts of zod are copied to.
  onSuccess: () => copyFile('node_modules/zod/LICENSE', 'dist/zod.LICENSE'),
  // The contract documents are published with the code.
  publicDir: '../../docs/contract',
})
