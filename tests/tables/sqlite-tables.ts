import { DatabaseSync } from 'node:sqlite'
import { nodeSqlite, type SqliteConnection, type SqliteDriver } from '@notewire/webhooks/storage'

/** A driver that notes the statements which change the schema. */
export function recordingDriver(path: string): { driver: SqliteDriver<SqliteConnection>; schema: readonly string[] } {
  const driver = nodeSqlite(path)
  const schema: string[] = []
  return {
    schema,
    driver: {
      ...driver,
      batch(statements, outlives) {
        schema.push(...statements.map(({ sql }) => sql).filter((sql) => !/^\s*(SELECT|PRAGMA)/.test(sql)))
        return driver.batch(statements, outlives)
      },
    },
  }
}

/**
 * Writes a database as SQL: the statements of its migration, then its rows.
 *
 * Tables follow in alphabetical order. So a mirror's notes come before `notewire_mirrors`, whose counts its triggers would change, and the
 * triggers fill the search index. Rows follow in the order in which SQLite keeps them, that of their keys.
 */
export function dumpSqlite(path: string, schema: readonly string[]): string {
  const database = new DatabaseSync(path, { readOnly: true })
  const tables = database
    .prepare(
      "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'notewire_mirror_search%' ORDER BY name",
    )
    .all()
    .map(({ name }) => String(name))
  const rows = tables.flatMap((table) => {
    const inserts = database
      .prepare(`SELECT * FROM ${table}`)
      .all()
      .map((row) => insertion(table, row))
    return inserts.length === 0 ? [] : [`DELETE FROM ${table}`, ...inserts]
  })
  database.close()
  return [...schema, ...rows].map((sql) => `${sql.trim()};\n`).join('')
}

/** Makes a database of a dump. */
export function restoreSqlite(path: string, dump: string): void {
  const database = new DatabaseSync(path)
  database.exec(`BEGIN; ${dump} COMMIT`)
  database.close()
}

function insertion(table: string, row: Readonly<Record<string, unknown>>): string {
  return `INSERT INTO ${table} (${Object.keys(row).join(', ')}) VALUES (${Object.values(row).map(literal).join(', ')})`
}

function literal(value: unknown): string {
  if (value === null) return 'NULL'
  return typeof value === 'number' ? String(value) : `'${String(value).replaceAll("'", "''")}'`
}
