import { NotewireError } from '@notewire/protocol'

/** A newer version of the package made the tables of this database. This version cannot work with them. */
export class NewerTablesError extends NotewireError<'sqlite_tables_newer'> {
  /** The version of the tables in the database. */
  readonly found: number
  /** The highest version that this version of the package knows. */
  readonly known: number

  constructor(found: number, known: number) {
    super(
      'sqlite_tables_newer',
      `the tables of this database have version ${found}, and this version of @notewire/mirror knows tables up to version ${known}: a ` +
        'newer version has written to the database. Install that version, or make a new copy in another file.',
    )
    this.found = found
    this.known = known
  }
}
