import { defineConfig } from 'tsup'
import { writeMigration } from '../../scripts/write-migration.ts'
import { buildOf } from '../../tsup.base.ts'
import { MIRROR_TABLES } from './src/stores/postgres/migration.ts'

export default defineConfig({
  ...buildOf({
    index: 'src/index.ts',
    sqlite: 'src/stores/sqlite/index.ts',
    postgres: 'src/stores/postgres/index.ts',
    opentelemetry: 'src/opentelemetry.ts',
  }),
  onSuccess: () => writeMigration(MIRROR_TABLES),
})
