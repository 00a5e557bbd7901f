import { CopyError, type CopyErrorCode } from './copy-error.ts'

/** Primary result codes of SQLite (https://sqlite.org/rescode.html), and what they mean to a person. */
const FAILURES: Readonly<Record<number, readonly [CopyErrorCode, (path: string) => string]>> = {
  5: [
    'database_busy',
    (path) => `another program has been writing to ${path} for too long. Close it, or try again when it is done.`,
  ],
  8: [
    'database_readonly',
    (path) => `${path} cannot be written. Make the file and its folder writable, or name another with --database.`,
  ],
  10: [
    'database_failed',
    (path) =>
      `the disk refused to read or write ${path}: it may be full, or a limit is reached. What was there is whole; make room and run it again.`,
  ],
  11: [
    'database_malformed',
    (path) => `${path} is damaged. Move it away and pull anew: the service still has the notes.`,
  ],
  13: [
    'database_full',
    (path) => `the disk is full, so that ${path} cannot grow. What was there is whole; make room and run it again.`,
  ],
  14: [
    'database_failed',
    (path) =>
      `${path} cannot be opened. See that its folder exists and that both are yours, or name another with --database.`,
  ],
  26: ['database_malformed', (path) => `${path} is no SQLite database. Name another file with --database.`],
}

/** Puts what SQLite says into words; every other error is left as it is. */
export function explained(error: unknown, path: string): unknown {
  const code = resultCodeOf(error)
  if (code === undefined) return error
  // The lowest byte is the kind of failure, what is above it a detail.
  const [name, words] = FAILURES[code & 0xff] ?? ['database_failed', unexplained(code)]
  return new CopyError(name, words(path), { cause: error })
}

function unexplained(code: number): (path: string) => string {
  return (path) => `SQLite cannot work with ${path} (result code ${code}).`
}

function resultCodeOf(error: unknown): number | undefined {
  if (!(error instanceof Error)) return undefined
  return 'errcode' in error && typeof error.errcode === 'number' ? error.errcode : undefined
}
