import { NotewireError } from '@notewire/protocol'

/** This SQLite was built without FTS5, which the mirror needs for its search. */
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

/** A purge did not remove all bytes of erased content. No query finds them, but they remain in the file until a later purge succeeds. */
export class PurgeIncompleteError extends NotewireError<'purge_incomplete'> {
  constructor() {
    super(
      'purge_incomplete',
      'bytes of erased content may still be in the file: an open transaction can still read them. End that transaction, and call purge again.',
    )
  }
}

/** A newer version of the package has created the tables of this database. This version cannot use them. */
export class NewerTablesError extends NotewireError<'sqlite_tables_newer'> {
  /** The version of the tables in the database. */
  readonly found: number
  /** The highest version that this version of the package supports. */
  readonly known: number

  constructor(found: number, known: number) {
    super(
      'sqlite_tables_newer',
      `the tables of this database have version ${found}, and this version of @notewire/mirror supports tables up to version ${known}: a ` +
        'newer version has written to the database. Install that version, or make a new copy in another file.',
    )
    this.found = found
    this.known = known
  }
}
