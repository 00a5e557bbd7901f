import { SqliteFailedError, SqliteFolderReadOnlyError, SqliteNotAFileError } from '@notewire/storage'
import { CommandError, type CommandErrorCode } from '../errors/failure.ts'

/** Makes a `CommandError` of an error of SQLite. Other errors are returned unchanged. */
export function copyErrorOf(thrown: unknown, file: string): unknown {
  const error = thrown instanceof SqliteFailedError ? thrown.cause : thrown
  if (error instanceof SqliteNotAFileError) return new CommandError('database_malformed', error.message)
  if (error instanceof SqliteFolderReadOnlyError) return new CommandError('database_readonly', error.message)
  if (!(error instanceof Error && 'errcode' in error && typeof error.errcode === 'number')) return thrown
  // The lowest byte is the kind of failure, the others are a detail.
  const [code, words] = FAILURES[error.errcode & 0xff] ?? [
    'database_failed',
    `SQLite cannot work with % (result code ${error.errcode}). Copy the file to another disk, or pass another file with --database.`,
  ]
  return new CommandError(
    code,
    words.replace('%', () => file),
    { cause: error },
  )
}

/** The primary result codes of SQLite (https://sqlite.org/rescode.html) that have a next step; `%` stands for the file. */
const FAILURES: Readonly<Record<number, readonly [CommandErrorCode, string]>> = {
  5: ['database_busy', 'another program has been writing to % for too long. Close it, or try again when it is done.'],
  8: [
    'database_readonly',
    '% cannot be written. Make the file and its folder writable, or name another with --database.',
  ],
  10: [
    'database_failed',
    'the disk refused to read or write %: it may be full, or a limit is reached. The existing data is intact. Free some space, and run the command again.',
  ],
  11: [
    'database_malformed',
    '% is damaged. Move it away and run notewire pull again: the service still has the notes.',
  ],
  13: [
    'database_full',
    'the disk is full, so % cannot grow. The existing data is intact. Free some space, and run the command again.',
  ],
  14: [
    'database_failed',
    '% cannot be opened. Check that its folder exists and that you can read and write both, or name another with --database.',
  ],
  26: ['database_malformed', '% is not a SQLite database. Pass another file with --database.'],
}
