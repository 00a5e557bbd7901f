import { keyIdOf } from './identifier.ts'

/** A name or a code: one short word. Longer text could quote a note, a row or a key. */
const SHORT_WORD = /^[\w$.:-]{1,64}$/

/** Returns a name, a code or an id that others sent or threw, if it may be shown: one short word that is no API key. */
export function shortWord(value: unknown): string | undefined {
  if (typeof value !== 'string' || !SHORT_WORD.test(value)) return undefined
  return keyIdOf(value) === undefined ? value : undefined
}

/** What may be logged or stored of a thrown value. Its message is left out, because it may quote a note. */
export interface ErrorFacts {
  /** `Error` if the name is no short word. */
  readonly name: string
  readonly code: string | null
}

/**
 * Returns the name and the code of a thrown value, if they are short words. Its message is left out, because it may quote a note, a row or a
 * key. Never throws, whatever was thrown.
 *
 * The code is that of the error, or of its nearest cause: a system code, the SQLSTATE of PostgreSQL, the result code of SQLite, or the first word
 * of a reply of Redis.
 */
export function errorFactsOf(thrown: unknown): ErrorFacts {
  try {
    return { name: nameOf(thrown), code: firstOf(thrown, codeOf) ?? null }
  } catch {
    // Getters and Proxies can throw when they are read.
    return { name: 'Error', code: null }
  }
}

/**
 * Returns the host and the port that could not be reached, such as `127.0.0.1:5432`, or the path of a socket. `undefined` for other errors. Only the
 * errors of the system are read: another error could have the address of a person. Never throws.
 */
export function unreachedAddressOf(thrown: unknown): string | undefined {
  try {
    return firstOf(thrown, addressOf)
  } catch {
    return undefined
  }
}

/** The properties of errors of Node.js, of drivers of databases, and of the libraries over these drivers. */
interface ErrorOfOthers {
  readonly name?: unknown
  readonly message?: unknown
  readonly code?: unknown
  readonly cause?: unknown
  /** Of `AggregateError`: one for each address of a host. */
  readonly errors?: unknown
  /** Of Sequelize. */
  readonly original?: unknown
  /** Of Prisma: its error of a driver, which has the SQLSTATE in `originalCode`. */
  readonly meta?: { readonly driverAdapterError?: unknown } | null
  readonly originalCode?: unknown
  /** Of `node:sqlite`. */
  readonly errcode?: unknown
  /** Of the errors of the system. */
  readonly syscall?: unknown
  readonly address?: unknown
  readonly hostname?: unknown
  readonly port?: unknown
}

/** A cause may lead back to its error. */
const MAX_CAUSES = 10

/** The first value that a function finds in an error, in what the error wraps, or in a cause. */
function firstOf<Found>(thrown: unknown, find: (error: ErrorOfOthers) => Found | undefined): Found | undefined {
  let each: unknown = thrown
  for (let depth = 0; depth < MAX_CAUSES && typeof each === 'object' && each !== null; depth += 1) {
    const error: ErrorOfOthers = each
    const found = find(error)
    if (found !== undefined) return found
    each = error.meta?.driverAdapterError ?? error.cause ?? error.original ?? firstItem(error.errors)
  }
  return undefined
}

function firstItem(errors: unknown): unknown {
  return Array.isArray(errors) ? errors[0] : undefined
}

/** The name; for an error without a name of its own, as in node-redis, the name of its class. */
function nameOf(thrown: unknown): string {
  const error: { readonly name?: unknown; readonly constructor?: unknown } = Object(thrown)
  const named = shortWord(error.name) ?? 'Error'
  const className = typeof error.constructor === 'function' ? shortWord(error.constructor.name) : undefined
  // A minifier shortens the names of classes.
  return named === 'Error' && className !== undefined && /Error|Exception|Reply/.test(className) ? className : named
}

function codeOf(error: ErrorOfOthers): string | undefined {
  const { code, errcode, originalCode, meta } = error
  if (originalCode !== undefined) return shortWord(originalCode)
  // Prisma has one code of its own for all errors of a database.
  if (meta?.driverAdapterError !== undefined) return undefined
  if (typeof errcode === 'number') return SQLITE_CODES[errcode & 0xff] ?? shortWord(code)
  return shortWord(typeof code === 'number' ? `${code}` : code) ?? replyCodeOf(error)
}

/** The primary result codes of SQLite (https://sqlite.org/rescode.html). `node:sqlite` has the same `code` for all of them. */
const SQLITE_CODES: Readonly<Record<number, string>> = {
  1: 'SQLITE_ERROR',
  5: 'SQLITE_BUSY',
  6: 'SQLITE_LOCKED',
  7: 'SQLITE_NOMEM',
  8: 'SQLITE_READONLY',
  10: 'SQLITE_IOERR',
  11: 'SQLITE_CORRUPT',
  13: 'SQLITE_FULL',
  14: 'SQLITE_CANTOPEN',
  18: 'SQLITE_TOOBIG',
  19: 'SQLITE_CONSTRAINT',
  23: 'SQLITE_AUTH',
  26: 'SQLITE_NOTADB',
}

/** The errors in which `ioredis`, `redis` and `@upstash/redis` pass on a reply of the server. */
const REPLIES: ReadonlySet<string> = new Set(['ReplyError', 'ErrorReply', 'SimpleError', 'BlobError', 'UpstashError'])

/** A reply of Redis begins with its code: `WRONGTYPE Operation against a key…`. The rest may quote a value. */
function replyCodeOf(error: ErrorOfOthers): string | undefined {
  if (typeof error.message !== 'string' || !REPLIES.has(nameOf(error))) return undefined
  return /^[A-Z][A-Z0-9_]{1,30}(?![\w-])/.exec(error.message)?.[0]
}

/** The characters of host names, addresses and paths. */
const HOST_OR_PATH = /^[\w./:%-]{1,255}$/

function addressOf({ code, syscall, address, hostname, port }: ErrorOfOthers): string | undefined {
  if (typeof code !== 'string' || !/^E[A-Z_]+$/.test(code) || typeof syscall !== 'string') return undefined
  const place = typeof address === 'string' ? address : hostname
  if (typeof place !== 'string' || !HOST_OR_PATH.test(place) || keyIdOf(place) !== undefined) return undefined
  if (typeof port !== 'number') return place
  return place.includes(':') ? `[${place}]:${port}` : `${place}:${port}`
}
