import { type Clock, refuseUnknownOptions, systemClock } from '@notewire/protocol'
import { driverOf, type SqliteConnection, type SqliteDriver, type SqliteRow } from '@notewire/storage'
import { escapedText, unescapedText } from '../escaped-text.ts'
import type { MirrorStore } from '../mirror-store.ts'
import { readProgress } from '../sql/copy-state.ts'
import { readDue } from '../sql/due-notes.ts'
import { readFeed } from '../sql/feed.ts'
import { createIntegrationRows } from '../sql/integrations.ts'
import { listStates } from '../sql/listing-states.ts'
import { COUNT_MISSING, indexFor } from './candidate-index.ts'
import { commitStatements, erasesAny, erasureStatement, INDEX_PENDING, isConflict, isFenced } from './committing.ts'
import { createConsumerStore } from './consumer-statements.ts'
import { storedNote } from './content-columns.ts'
import { ErasingDatabase, turn } from './database.ts'
import { eraseIntegration } from './erase-integration.ts'
import { FullTextMissingError, NewerTablesError } from './errors.ts'
import { FeedWriter } from './feed-writer.ts'
import { IndexRewrite } from './index-rewrite.ts'
import { END_LEASES } from './integration-statements.ts'
import { loadedNotes, loadStatements } from './loading.ts'
import { countsIn } from './note-columns.ts'
import * as reading from './reading-statements.ts'
import { FIND_SCHEMA, READ_VERSION, REBUILD_SEARCH, SCHEMA, SCHEMA_VERSION } from './schema.ts'
import { sqlDatabase } from './sql-database.ts'

// To replace a note in the search index takes SQLite about 5 ms, and much longer for a long transcript.
const EDITS_PER_COMMIT = 4

/** Options of `sqliteMirror`. */
export interface SqliteMirrorOptions {
  /**
   * The clock of everything that uses the store. Replace it in tests, for example by that of the mock service.
   *
   * @default systemClock
   */
  readonly clock?: Clock | undefined
}

/** Mirrors in an SQLite database. */
export interface SqliteMirror<Transaction = never> extends MirrorStore<Transaction> {
  /**
   * Removes the bytes of erased content from the file, by rebuilding the search index and then the whole file (`VACUUM`). Blocks the thread
   * meanwhile, and needs free space of twice the file's size. If the host controls the file, as for a Durable Object and D1, it only rebuilds the
   * search index.
   *
   * @throws PurgeIncompleteError if a reader of the file keeps the old pages in use for 5 s
   */
  purge(): Promise<void>
  /** Closes the connection that the store has opened. */
  close(): void
}

/**
 * Stores mirrors in SQLite: in a file that all processes of one machine share, in a Durable Object, or in D1.
 *
 * You may read its tables with your own connection to the same file, but write to none. The view `notewire_live_notes` contains every note that
 * the mirror shows. `notewire_mirror_search` is an FTS5 index of them. A search finds a new note when its transcript and summary were read, or
 * when no note is due.
 *
 * The store has its own connection, in WAL mode. While another connection writes, an operation is retried for 5 s without blocking the thread.
 * Acknowledged events survive a power cut; notes that were read since may have to be read again.
 *
 * @param database  the path of a file for `node:sqlite`, or a driver
 * @throws OptionError if `database` is neither, or for an unknown option
 * @throws NodeSqliteMissingError, SqliteFolderMissingError, SqliteNotAFileError, SqliteFolderReadOnlyError from its operations, if `database`
 * is a path
 * @throws FullTextMissingError, NewerTablesError from `migrate`, and therefore from the first use of a mirror
 * @example
 * ```ts
 * import { sqliteMirror } from '@notewire/mirror/sqlite'
 *
 * const store = sqliteMirror('notes.db')
 * ```
 */
export function sqliteMirror(database: string, options?: SqliteMirrorOptions): SqliteMirror<SqliteConnection>
/** The same with a driver. The driver's type determines the transaction that a consumer's `commit` takes. */
export function sqliteMirror<Transaction>(
  database: SqliteDriver<Transaction>,
  options?: SqliteMirrorOptions,
): SqliteMirror<Transaction>
export function sqliteMirror<Transaction>(
  database: string | SqliteDriver<Transaction>,
  options: SqliteMirrorOptions = {},
): SqliteMirror<SqliteConnection> | SqliteMirror<Transaction> {
  refuseUnknownOptions('sqliteMirror', options, { clock: true })
  const driver = driverOf(database, {
    path: "sqliteMirror('notes.db')",
    driver: 'sqliteMirror(durableObjectSqlite(ctx.storage))',
  })
  return createStore<SqliteConnection & Transaction>(driver, options.clock ?? systemClock)
}

function createStore<Transaction>(driver: SqliteDriver<Transaction>, clock: Clock): SqliteMirror<Transaction> {
  const database = new ErasingDatabase(driver)
  const writer = new FeedWriter(database)
  const statements = sqlDatabase(database, writer)
  const indexRewrite = new IndexRewrite(database)
  /** Whether notes may wait to be indexed: a process that was killed may have left some. */
  let mayNotesWait = true

  function read(sql: string, ...values: readonly (string | number)[]): Promise<readonly SqliteRow[]> {
    return database.read({
      sql,
      parameters: values.map((value) => (typeof value === 'string' ? escapedText(value) : value)),
    })
  }

  async function countMissing(integration: string, startSequence: number, limit: number): Promise<number> {
    return Number((await read(COUNT_MISSING, integration, startSequence, limit))[0]?.['notes'])
  }

  return {
    clock,
    readProgress: (integration) => readProgress(statements, integration),
    integrations: createIntegrationRows(statements, (record) => eraseIntegration(database, indexRewrite, record)),
    mostEditsPerCommit: EDITS_PER_COMMIT,
    ...createConsumerStore(database, driver, statements),

    async migrate() {
      // A process that only reads the mirror does not wait for a writer, and needs no permission to write.
      const found = await database.read(FIND_SCHEMA)
      if (found.length === 0) await database.run(SCHEMA, 'power-cut').catch(explainFullText)
      const version = Number((await database.read(READ_VERSION))[0]?.['version'])
      if (version > SCHEMA_VERSION) throw new NewerTablesError(version, SCHEMA_VERSION)
      if (found.length === 1) await writer.addMissing()
      if (driver.hasOneProcess) await database.run(END_LEASES, 'process')
      await database.truncateLog()
    },

    async load(integration, noteIds) {
      return loadedNotes(await writer.write(integration, loadStatements(integration, noteIds), 'process'))
    },

    async commit(integration, commit) {
      const erasure = erasureStatement(integration, commit)
      const statements = [...erasure, ...commitStatements(integration, commit)]
      if (statements.length === 0) return 'committed'
      try {
        const [rows = []] = await writer.writeCommit(integration, commit, statements)
        mayNotesWait ||= commit.notes.some(({ content = 'erase' }) => content !== 'erase')
        if (erasure.length > 0 && erasesAny(rows)) {
          database.recordErasure()
          indexRewrite.recordErasure()
        }
      } catch (error) {
        return refusalIn(error)
      }
      await database.truncateLog()
      // SQLite works synchronously. Meanwhile other work of this process runs, and responses arrive whose notes the next commit writes together.
      await turn()
      return 'committed'
    },

    async readDue(integration, request) {
      const due = await readDue(statements, integration, request)
      await database.truncateLog()
      return due
    },

    async tidy() {
      if (mayNotesWait) {
        mayNotesWait = false
        const [indexed = []] = await database.run([INDEX_PENDING], 'process')
        mayNotesWait ||= indexed.length > 0
        if (mayNotesWait) return true
      }
      return await indexRewrite.continue()
    },

    async count(integration, certificate) {
      const holds = await read(reading.LIST_HOLDS, integration)
      return {
        ...countsIn((await read(reading.READ_COUNTS, integration))[0]),
        missing: certificate ? await countMissing(integration, certificate.startSequence, Number.MAX_SAFE_INTEGER) : 0,
        held: holds.map((row) => ({
          fullListingId: unescapedText(String(row['held_by_scan'])),
          notes: Number(row['notes']),
        })),
      }
    },

    readFeed: (integration, run) => readFeed(statements, integration, run),

    async listStates(integration, query) {
      const index = await indexFor(query, (startSequence, limit) => countMissing(integration, startSequence, limit))
      return await listStates(statements, integration, query, index)
    },

    async listNotes(integration, query) {
      if ('noteId' in query) return (await read(reading.READ_NOTE, integration, query.noteId)).map(storedNote)
      const words = 'words' in query ? query.words : []
      const rows =
        words.length === 0
          ? await read(reading.LIST_NOTES, integration, 'after' in query ? query.after : '', query.limit)
          : await read(reading.SEARCH, `${words.map(phraseOf).join(' ')}*`, integration, query.limit)
      return rows.map(storedNote)
    },

    async purge() {
      await database.run([REBUILD_SEARCH], 'power-cut')
      database.recordErasure()
      await database.vacuum()
    },

    close: () => database.close(),
  }
}

function refusalIn(error: unknown): 'conflict' | 'fenced' {
  if (isConflict(error)) return 'conflict'
  if (isFenced(error)) return 'fenced'
  throw error
}

// Within quotes, no character is an operator of the query language.
function phraseOf(word: string): string {
  return `"${word.replaceAll('"', '""')}"`
}

function explainFullText(error: unknown): never {
  throw error instanceof Error && error.message.includes('no such module: fts5')
    ? new FullTextMissingError(error)
    : error
}
