import type { Sql } from 'sql-template-tag'
import { sql } from './sql.ts'
import type { Dialect } from './sql-database.ts'

/** The state of the row `note` as JSON: `StoredState`. */
export function storedState({ withFields, milliseconds }: Dialect): Sql {
  return withFields(sql`note.state`, { noteId: sql`note.note_id`, dueAt: milliseconds(sql`note.due_at`) })
}

/** The row `note` as JSON: `VersionedState` as it is stored. */
export function versionedState(dialect: Dialect): Sql {
  const { json, object } = dialect
  return object({ version: sql`note.version`, state: storedState(dialect), digests: json(sql`note.digests`) })
}
