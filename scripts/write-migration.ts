import { writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import { migrationOf, type PostgresTables } from '../packages/storage/src/postgres-migration.ts'

/** Writes `postgres.sql` into the package that is being built: the migration of its store, for users who run it themselves. */
export async function writeMigration(tables: PostgresTables): Promise<void> {
  const title = `-- The tables and functions of ${dirname(tables.file)} in PostgreSQL. Creates what is missing, and changes nothing else.`
  await writeFile('postgres.sql', `${title}${migrationOf(tables).trimEnd()};\n`)
}
