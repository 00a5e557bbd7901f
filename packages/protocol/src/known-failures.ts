import { errorFactsOf, unreachedAddressOf } from './error-facts.ts'

/**
 * Explains the failures of databases and connections that operators meet: what has happened, and what to do next, in sentences. Nothing of the
 * error's message is repeated, because it may quote a row.
 *
 * @returns `undefined` for every other error
 */
export function explainFailure(thrown: unknown): string | undefined {
  const { code } = errorFactsOf(thrown)
  const known = SQLITE.find(({ code: each, text }) => isOfKind(code, each) || hasText(thrown, text))
  if (known !== undefined) return `SQLite reports "${known.text}". ${known.advice}`
  const found = code === null ? undefined : (SQLSTATES[code] ?? SQLSTATES[code.slice(0, 2)])
  if (found !== undefined && /^[0-9A-Z]{5}$/.test(code ?? '')) return `SQLSTATE ${code}: ${found}`
  if (UNREACHED.has(code ?? '')) return unreached(thrown, code ?? '')
  return INTERRUPTED_CODES.has(code ?? '') || INTERRUPTED_TEXTS.some((text) => hasText(thrown, text))
    ? INTERRUPTED
    : undefined
}

/** Drivers may report an extended code, such as `SQLITE_READONLY_DBMOVED`. */
function isOfKind(code: string | null, kind: string | undefined): boolean {
  return kind !== undefined && code?.startsWith(kind) === true
}

function hasText(thrown: unknown, text: string): boolean {
  try {
    const { message }: { readonly message?: unknown } = Object(thrown)
    return typeof message === 'string' && message.includes(text)
  } catch {
    return false
  }
}

interface KnownOfSqlite {
  /** The result code, unless SQLite reports the failure as the general `SQLITE_ERROR`. */
  readonly code?: string
  /** The text of SQLite, which is the same in all drivers. Some drivers set no code. */
  readonly text: string
  readonly advice: string
}

const SQLITE: readonly KnownOfSqlite[] = [
  {
    text: 'no such table',
    advice:
      'Create the table before the program uses it, and check that the path names the right file: SQLite creates a file that is missing.',
  },
  {
    text: 'no such column',
    advice: 'The table is of another version of your program. Run your migration, or correct the name of the column.',
  },
  {
    code: 'SQLITE_NOTADB',
    text: 'file is not a database',
    advice: 'The file has other content, or is encrypted. Pass the path of another file, or move this one away.',
  },
  {
    code: 'SQLITE_CORRUPT',
    text: 'database disk image is malformed',
    advice: 'The file is damaged. Restore it from a backup, or move it away with its -wal and -shm files.',
  },
  {
    code: 'SQLITE_FULL',
    text: 'database or disk is full',
    advice: 'Free space on the disk of the file. Work that failed is tried again.',
  },
  {
    code: 'SQLITE_READONLY',
    text: 'attempt to write a readonly database',
    advice: 'Make the file and its folder writable for this process.',
  },
  {
    code: 'SQLITE_CANTOPEN',
    text: 'unable to open database file',
    advice: 'Check that the folder exists, and that this process may read and write the file and its folder.',
  },
  {
    code: 'SQLITE_IOERR',
    text: 'disk I/O error',
    advice: 'Check the disk and its quota. SQLite needs a local file system, not one of a network.',
  },
  {
    code: 'SQLITE_BUSY',
    text: 'database is locked',
    advice: 'Another connection has been writing for too long. End its transaction, and keep transactions short.',
  },
]

const STARTING = 'the server stops or starts. Wait until it accepts connections; work that failed is tried again.'
const CONNECTION = 'the connection to the server failed. Check the server, and the network between it and this process.'

/** What to do by SQLSTATE, or by its class, the first two characters (https://www.postgresql.org/docs/current/errcodes-appendix.html). */
const SQLSTATES: Readonly<Record<string, string>> = {
  '08': CONNECTION,
  '25006':
    'the connection is read-only. Connect to the primary server instead of a replica, for example with target_session_attrs=read-write, and remove default_transaction_read_only.',
  '28000': 'the server refuses this user from this host. Correct the user in the connection string, or pg_hba.conf.',
  '28P01': 'the password of the connection is wrong. Correct it in the connection string.',
  '3D000':
    'the database of the connection does not exist. Create it, for example with createdb, or correct its name in the connection string.',
  '3F000': 'the schema does not exist. Create it, or correct its name.',
  '40001':
    'the transaction could not be serialized with another one. It can be tried again. The stores need the isolation level read committed: remove default_transaction_isolation from the connection, the role and the database.',
  '40P01':
    'the transaction was part of a deadlock. It can be tried again. Lock rows in the same order in all transactions.',
  '42501': 'the role of the connection lacks a privilege. Grant it, or connect as another role.',
  '42703': 'a column does not exist. Run the migration of your tables, or correct the name of the column.',
  '42883': 'a function does not exist. Run your migration, and check the search_path of the connection.',
  '42P01':
    'a table does not exist. Create it before the program uses it, and check the database and the search_path of the connection.',
  '53100': 'the disk of the server is full. Free space on it; work that failed is tried again.',
  '53200': 'the server is out of memory. Give it more memory, or lower its work_mem and its number of connections.',
  '53300': 'the server has too many connections. Lower the size of the pools, or put PgBouncer in between.',
  '57014':
    'the statement was cancelled, for example by statement_timeout. Raise the limit, or check the load of the server.',
  '57P01': STARTING,
  '57P02': STARTING,
  '57P03': STARTING,
  '58030': 'the server cannot read or write its disk. Check the disk of the server.',
}

/** The codes of the system for a server that cannot be reached. */
const UNREACHED: ReadonlySet<string> = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'ETIMEDOUT',
  'EHOSTUNREACH',
  'ENETUNREACH',
])

/** The codes of the system for a connection that has ended too early. */
const INTERRUPTED_CODES: ReadonlySet<string> = new Set(['ECONNRESET', 'EPIPE'])

/** The texts of `pg` for a connection that has ended too early. Its errors have no code. */
const INTERRUPTED_TEXTS = ['Connection terminated', 'Client has encountered a connection error and is not queryable']

const INTERRUPTED =
  'A connection was interrupted. Check the server at its other end, and the network in between; work that failed is tried again.'

function unreached(thrown: unknown, code: string): string {
  const place = unreachedAddressOf(thrown) ?? 'a server'
  return `${place} could not be reached (${code}). Check that the server runs, and that its host and its port are right.`
}
