import { join } from 'node:path'
import { defineConfig, type Options } from 'tsup'
import { buildOf } from '../../tsup.base.ts'

type Plugin = NonNullable<Options['esbuildPlugins']>[number]

// The build makes a file of the modules that the same entries import. Without copies of these, which hold only functions, the main
// entry would be loaded from twice as many files, at 1 ms each.
const copiesOfFunctions: Plugin = {
  name: 'copies-of-functions',
  setup(build) {
    const filter = /\/(answer|bytes|logger|refuse-without-methods|revision-gate)\.ts$/
    build.onResolve({ filter }, ({ path, importer, resolveDir }) =>
      /src\/(adapters|opentelemetry|queues|stores\/\w+\/)/.test(importer)
        ? { path: join(resolveDir, path), suffix: '?copy' }
        : undefined,
    )
  },
}

export default defineConfig({
  ...buildOf({
    index: 'src/index.ts',
    verify: 'src/verify.ts',
    node: 'src/adapters/node.ts',
    express: 'src/adapters/express.ts',
    fastify: 'src/adapters/fastify.ts',
    next: 'src/adapters/next.ts',
    lambda: 'src/adapters/lambda.ts',
    postgres: 'src/stores/postgres/index.ts',
    bullmq: 'src/queues/bullmq/index.ts',
    'pg-boss': 'src/queues/pg-boss/index.ts',
    sqlite: 'src/stores/sqlite/index.ts',
    redis: 'src/stores/redis/index.ts',
    storage: 'src/storage/index.ts',
    opentelemetry: 'src/opentelemetry.ts',
    testing: 'src/testing/index.ts',
  }),
  esbuildPlugins: [copiesOfFunctions],
})
