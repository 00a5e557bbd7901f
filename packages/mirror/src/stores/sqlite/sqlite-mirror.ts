import {
  type Durability,
  driverOf,
  type SqliteConnection,
  type SqliteDriver,
  type SqliteRow,
  type SqliteStatement,
} from '@notewire/webhooks/storage'
import type { CopyState } from '../../interfaces/progress.ts'
import type { DueNotes, DueRequest, MirrorCommit, MirrorStore } from '../../interfaces/store.ts'
import { escapedText, unescapedText } from '../escaped-text.ts'
import { commitStatements, erasesAny, erasureStatement, INDEX_PENDING, isConflict, isFenced } from './committing.ts'
import { createConsumerStore } from './consumer-statements.ts'
import { storedNote } from './content-columns.ts'
import { countsIn } from './counts.ts'
import { ErasingDatabase } from './database.ts'
import { FullTextMissingError, NewerTablesError } from './errors.ts'
import { hasMerged, type IndexRewrite, rewriteStatements } from './index-rewrite.ts'
import { createIntegrationStore } from './integrations.ts'
import { copyState, loadedNotes, loadStatements, READ_PROGRESS } from './loading.ts'
import { versionedState } from './note-columns.ts'
import * as reading from './reading-statements.ts'
import { FIND_SCHEMA, READ_VERSION, REBUILD_SEARCH, SCHEMA, SCHEMA_VERSION, SKIP_NUMBERS } from './schema.ts'
import { dueStatement, takenNotes, takeStatements } from './taking.ts'
import { turn } from './turn.ts'

// To replace a note in the search index takes SQLite about 5 ms, and much longer for a long transcript.
const EDITS_PER_COMMIT = 4

/** Mirrors in an SQLite database. */
export interface SqliteMirror<Transaction = never> extends MirrorStore<Transaction> {
  /**
   * Removes the bytes of erased content from the file, by rebuilding the search index and then the whole file (`VACUUM`). Without it, fragments of
   * about one in a thousand erased notes of 1 kB remain in gaps between rows that SQLite has moved. Erased words that were the first word of a
   * page of the FTS5 index remain until the index is rewritten; the process that erased them does that when no note is due. No query finds them.
   *
   * Blocks the thread meanwhile, and needs free space of twice the file's size. If the host controls the file, as for a Durable Object and D1, it
   * only rebuilds the search index.
   *
   * @throws PurgeIncompleteError if a reader of the file keeps the old pages in use for 5 s
   */
  purge(): Promise<void>
}

/**
 * Stores mirrors in SQLite: in a file that all processes of one machine share, in a Durable Object, or in D1.
 *
 * You may read its tables with your own connection to the same file, but write to none. The view `notewire_live_notes` contains every note that
 * the mirror shows, with title, content, transcript and summary. `notewire_mirror_search` is an FTS5 index of them. A search finds a new note when
 * its transcript and summary were read, or when no note is due.
 *
 * The store has its own connection, in WAL mode. While another connection writes, an operation is retried for 5 s without blocking the thread.
 * Acknowledged events survive a power cut; notes that were read since may have to be read again. Erased content is overwritten, except for
 * fragments that `purge` removes. The write-ahead log that contained it is truncated when no connection reads from it: a reader of yours with an
 * open transaction delays that.
 *
 * @param database  the path of a file for `node:sqlite`, or a driver
 * @throws OptionError if `database` is neither
 * @throws NodeSqliteMissingError from its operations, if `database` is a path and the runtime has no `node:sqlite`
 * @throws SqliteFolderMissingError from its operations, if `database` is a path whose folder does not exist
 * @throws FullTextMissingError from `migrate`, and therefore from the first use of a mirror, if SQLite has no FTS5, as in Node.js before 22.16
 * @throws NewerTablesError from `migrate`, if a newer version of the package has created the tables
 * @example
 * ```ts
 * import { DatabaseSync } from 'node:sqlite'
 * import { NotesClient } from '@notewire/client'
 * import { createMirror } from '@notewire/mirror'
 * import { sqliteMirror } from '@notewire/mirror/sqlite'
 *
 * const client = new NotesClient({ baseUrl: 'https://notes.example', apiKey: process.env['NOTES_API_KEY'] ?? '' })
 * const mirror = createMirror({ client, store: sqliteMirror('notes.db') })
 * await mirror.sync()
 *
 * const database = new DatabaseSync('notes.db', { readOnly: true })
 * console.table(database.prepare('SELECT title, updated_at FROM notewire_live_notes ORDER BY updated_at DESC').all())
 * ```
 */
export function sqliteMirror(database: string): SqliteMirror<SqliteConnection>
/** The same with a driver. The driver's type determines the transaction that a consumer's `commit` takes. */
export function sqliteMirror<Transaction>(database: SqliteDriver<Transaction>): SqliteMirror<Transaction>
export function sqliteMirror<Transaction>(
  database: string | SqliteDriver<Transaction>,
): SqliteMirror<SqliteConnection> | SqliteMirror<Transaction> {
  const driver = driverOf(database, {
    path: "sqliteMirror('notes.db')",
    driver: 'sqliteMirror(durableObjectSqlite(ctx.storage))',
  })
  return createStore<SqliteConnection & Transaction>(driver)
}

function createStore<Transaction>(driver: SqliteDriver<Transaction>): SqliteMirror<Transaction> {
  const database = new ErasingDatabase(driver)
  /** The integrations that this process has written. */
  const written = new Set<string>()
  let indexRewrite: IndexRewrite = 'idle'
  let hasErased = false

  async function write(
    integration: string,
    statements: readonly SqliteStatement[],
    durability: Durability,
  ): Promise<readonly SqliteRow[][]> {
    if (written.has(integration)) return await database.run(statements, durability)
    const skip = { sql: SKIP_NUMBERS, parameters: [escapedText(integration)] }
    // Durable: if a power cut undid this commit, the next process would skip to numbers that were already used.
    const [, ...answers] = await database.run([skip, ...statements], 'power-cut')
    written.add(integration)
    return answers
  }

  function isRewriteDue(): boolean {
    return (hasErased || indexRewrite !== 'idle') && !database.isHosted
  }

  // It runs only when no note is due, and in steps, because rewriting a large index takes long.
  async function rewriteIndex(): Promise<void> {
    if (!isRewriteDue()) return
    if (indexRewrite === 'idle') indexRewrite = 'needed'
    const answers = await database.run(rewriteStatements(indexRewrite), 'process')
    if (indexRewrite === 'needed') hasErased = false
    indexRewrite = hasMerged(answers) ? 'running' : 'idle'
    database.recordErasure()
  }

  function read(sql: string, ...values: readonly (string | number)[]): Promise<readonly SqliteRow[]> {
    return database.read({
      sql,
      parameters: values.map((value) => (typeof value === 'string' ? escapedText(value) : value)),
    })
  }

  // `nextDueAt` is 0 while the search index must be rewritten, because `takeDue` rewrites it.
  async function readProgress(integration: string): Promise<CopyState> {
    const copy = copyState(await read(READ_PROGRESS, integration))
    return isRewriteDue() ? { ...copy, nextDueAt: 0 } : copy
  }

  // The first read takes no lock, because most calls find no due note. If another process takes the notes meanwhile, the loop reads again.
  async function take(integration: string, request: DueRequest): Promise<DueNotes> {
    for (;;) {
      const due = request.limit === 0 ? [] : await database.read(dueStatement(integration, request))
      try {
        return takenNotes(due, await database.run(takeStatements(integration, due, request), 'process'), request)
      } catch (error) {
        if (!isConflict(error)) throw error
      }
    }
  }

  async function countCandidates(integration: string, startedAt: number, limit: number): Promise<number> {
    return Number((await read(reading.COUNT_CANDIDATES, integration, startedAt, limit))[0]?.['notes'])
  }

  return {
    readProgress,
    integrations: createIntegrationStore(database, { readProgress }),
    mostEditsPerCommit: EDITS_PER_COMMIT,
    ...createConsumerStore(database, driver),

    async migrate() {
      // A process that only reads the mirror does not wait for a writer, and needs no permission to write.
      if ((await database.read(FIND_SCHEMA)).length === 0)
        await database.run(SCHEMA, 'power-cut').catch(explainFullText)
      const version = Number((await database.read(READ_VERSION))[0]?.['version'])
      if (version > SCHEMA_VERSION) throw new NewerTablesError(version, SCHEMA_VERSION)
      await database.truncateLog()
    },

    async load(integration, noteIds) {
      return loadedNotes(await write(integration, loadStatements(integration, noteIds), 'process'))
    },

    async commit(integration, commit) {
      const erasure = erasureStatement(integration, commit)
      const statements = [...erasure, ...commitStatements(integration, commit)]
      if (statements.length === 0) return 'committed'
      try {
        const [rows = []] = await write(integration, statements, durabilityOf(commit))
        if (erasure.length > 0 && erasesAny(rows)) {
          database.recordErasure()
          hasErased = true
        }
      } catch (error) {
        return refusalIn(error)
      }
      await database.truncateLog()
      // SQLite works synchronously. Meanwhile other work of this process runs, and responses arrive whose notes the next commit writes together.
      await turn()
      return 'committed'
    },

    async takeDue(integration, request) {
      const taken = await take(integration, request)
      if (taken.notes.length === 0) {
        await database.run([INDEX_PENDING], 'process')
        await rewriteIndex()
      }
      await database.truncateLog()
      return taken
    },

    async listCandidates(integration, { startedAt }, after, limit) {
      const areMany =
        (await countCandidates(integration, startedAt, reading.MANY_CANDIDATES)) === reading.MANY_CANDIDATES
      const list = areMany ? reading.LIST_MANY_CANDIDATES : reading.LIST_FEW_CANDIDATES
      return noteIdsIn(await read(list, integration, startedAt, after, limit))
    },

    countCandidates: (integration, { startedAt }) => countCandidates(integration, startedAt, Number.MAX_SAFE_INTEGER),

    async listHeld(integration, scanId, after, limit) {
      return noteIdsIn(await read(reading.LIST_HELD, integration, scanId, after, limit))
    },

    async listOverdue(integration, hiddenBefore, limit) {
      return noteIdsIn(await read(reading.LIST_OVERDUE, integration, hiddenBefore, hiddenBefore, limit))
    },

    async listHolds(integration) {
      const holds = await read(reading.LIST_HOLDS, integration)
      return holds.map((row) => ({ scanId: unescapedText(String(row['held_by_scan'])), notes: Number(row['notes']) }))
    },

    async count(integration) {
      return countsIn((await read(reading.READ_COUNTS, integration))[0])
    },

    async latestPosition(integration) {
      return Number((await read(reading.READ_POSITION, integration))[0]?.['position'] ?? 0)
    },

    async listChanges(integration, after, limit) {
      return (await read(reading.LIST_CHANGES, integration, after, limit)).map((row) => ({
        state: versionedState(row).state,
        position: Number(row['position']),
        visibleSince: Number(row['visible_since']),
        firstVisible: row['first_visible'] as number | null,
      }))
    },

    async getNote(integration, noteId) {
      const [row] = await read(reading.READ_NOTE, integration, noteId)
      return row && storedNote(row)
    },

    async listNotes(integration, after, limit) {
      return (await read(reading.LIST_NOTES, integration, after, limit)).map(storedNote)
    },

    async search(integration, words, limit) {
      const rows =
        words.length === 0
          ? await read(reading.LIST_NOTES, integration, '', limit)
          : await read(reading.SEARCH, `${words.map(phraseOf).join(' ')}*`, integration, limit)
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

function noteIdsIn(rows: readonly SqliteRow[]): readonly string[] {
  return rows.map(({ note_id }) => unescapedText(String(note_id)))
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

/** The service does not send an acknowledged event again; anything else that is lost is listed or read again. */
function durabilityOf({ heardAt }: MirrorCommit): Durability {
  return heardAt === undefined ? 'process' : 'power-cut'
}
