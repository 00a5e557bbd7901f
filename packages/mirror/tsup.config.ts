import { defineConfig } from 'tsup'
import { buildOf } from '../../tsup.base.ts'

export default defineConfig(
  buildOf({
    index: 'src/index.ts',
    sqlite: 'src/stores/sqlite/index.ts',
    postgres: 'src/stores/postgres/index.ts',
    opentelemetry: 'src/opentelemetry.ts',
    testing: 'src/testing/index.ts',
  }),
)
