import { NotewireError } from '@notewire/protocol'

/** The SQLite that was given is built without FTS5, in which the mirror searches. */
export class FullTextMissingError extends NotewireError<'sqlite_full_text_missing'> {
  constructor(cause: unknown) {
    super(
      'sqlite_full_text_missing',
      'this SQLite has no full-text search (FTS5), which the tables of a mirror need; node:sqlite has it in Node.js 22.16 and later. ' +
        "Use a newer Node.js, or better-sqlite3: sqliteMirror(betterSqlite(new Database('notes.db'))).",
      { cause },
    )
  }
}
