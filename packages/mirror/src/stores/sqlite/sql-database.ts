import type { Durability } from '@notewire/webhooks/storage'
import { readEscapedJson } from '../escaped-text.ts'
import { type Sql, textOf } from '../sql/sql.ts'
import type { SqlDatabase } from '../sql/sql-database.ts'
import type { ErasingDatabase } from './database.ts'
import { dialect } from './dialect.ts'
import type { FeedWriter } from './feed-writer.ts'

/** Runs the statements that are the same in all databases of SQL. */
export function sqlDatabase(database: ErasingDatabase, writer: FeedWriter): SqlDatabase {
  async function run<Result>(statement: Sql, durability: Durability): Promise<readonly Result[]> {
    const sql = writer.withRuns(textOf(statement, () => '?'))
    const parameters = statement.values.map((value) => (typeof value === 'boolean' ? Number(value) : value))
    const [rows = []] = await database.run([{ sql, parameters }], durability)
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
