import type { Durability } from '@notewire/storage'
import type { Sql } from 'sql-template-tag'
import { readEscapedJson } from '../escaped-text.ts'
import type { SqlValue } from '../sql/sql.ts'
import type { SqlDatabase } from '../sql/sql-database.ts'
import type { ErasingDatabase } from './database.ts'
import { dialect } from './dialect.ts'
import type { FeedWriter } from './feed-writer.ts'

/** Runs the statements that are the same in all databases of SQL. */
export function sqlDatabase(database: ErasingDatabase, writer: FeedWriter): SqlDatabase {
  async function run<Result>(statement: Sql, durability: Durability): Promise<readonly Result[]> {
    const parameters = statement.values as readonly SqlValue[]
    const [rows = []] = await database.run([{ sql: writer.withRuns(statement.sql), parameters }], durability)
    return rows.map(({ result }) => readEscapedJson(String(result)) as Result)
  }

  return {
    dialect,
    read: (_operation, statement) => run(statement, 'process'),
    write: (_operation, statement, durability) => run(statement, durability),
    isDuplicate,
  }
}

/** Only the message is the same with all drivers. */
function isDuplicate(error: unknown): boolean {
  return error instanceof Error && error.message.includes('UNIQUE constraint failed')
}
