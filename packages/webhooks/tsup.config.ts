import { defineConfig } from 'tsup'
import { writeMigration } from '../../scripts/write-migration.ts'
import { buildOf } from '../../tsup.base.ts'
import { RECEIVER_TABLES } from './src/stores/postgres/migration.ts'

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
    sqlite: 'src/stores/sqlite/index.ts',
    redis: 'src/stores/redis/redis-store.ts',
    store: 'src/store.ts',
    opentelemetry: 'src/opentelemetry.ts',
    testing: 'src/testing/index.ts',
  }),
  onSuccess: () => writeMigration(RECEIVER_TABLES),
})
