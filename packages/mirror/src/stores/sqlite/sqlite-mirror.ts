import {
  type Durability,
  driverOf,
  type SqliteConnection,
  type SqliteDriver,
  type SqliteRow,
} from '@notewire/webhooks/storage'
import type { DueNotes, DueRequest, MirrorCommit, MirrorStore } from '../../interfaces/store.ts'
import { commitStatements, erasesAny, erasureStatement, INDEX_WAITING, isConflict, isFenced } from './committing.ts'
import { consumersIn } from './consumer-statements.ts'
import { storedNote } from './content-columns.ts'
import { countsIn } from './counts.ts'
import { ErasingDatabase } from './database.ts'
import { FullTextMissingError } from './full-text-missing-error.ts'
import { hasMerged, type Renewal, renewalStatements } from './index-renewal.ts'
import { integrationsIn } from './integrations.ts'
import { loadedNotes, loadedProgress, loadStatements, READ_PROGRESS } from './loading.ts'
import { NewerTablesError } from './newer-tables-error.ts'
import { versionedState } from './note-columns.ts'
import * as reading from './reading-statements.ts'
import { FIND_SCHEMA, READ_VERSION, REBUILD_SEARCH, SCHEMA, SCHEMA_VERSION, SKIP_NUMBERS } from './schema.ts'
import { dueStatement, takenNotes, takeStatements } from './taking.ts'
import { originalText, storedText } from './text.ts'

/** Mirrors in a database of SQLite. */
export interface SqliteMirror<Transaction = never> extends MirrorStore<Transaction> {
  /**
   * Removes what erasing leaves in the file, by rebuilding the search index and then the whole file (`VACUUM`). Without it, SQLite keeps
   * pieces of about one in a thousand erased notes of 1 kB in gaps between rows that it has moved. FTS5 keeps erased words with which pages
   * of its index began, until the index is written anew: the process that erased them does so while it has nothing else to do. No query
   * finds either.
   *
   * Blocks the thread for as long as it takes, and needs free space of twice the file's size. Where the host keeps the file to itself,
   * as a Durable Object and D1 do, it rebuilds the search index only.
   *
   * @throws PurgeIncompleteError if a reader of the file keeps the old pages in use for 5 s
   */
  purge(): Promise<void>
}

/**
 * Keeps mirrors in SQLite: in a file that all processes of one machine share, in a Durable Object, or in D1.
 *
 * Its tables are yours to read, by your own connection to the same file: `notewire_live_notes` shows every note that is to be
 * seen with its title, content, transcript and summary, and `notewire_mirror_search` is an FTS5 index of them. Write to none of them.
 * A search finds a new note when its transcript and summary were read, or as soon as there is nothing else to read.
 *
 * It has a connection of its own, in WAL mode. An operation that finds another connection writing tries again for 5 s without
 * blocking the thread. Events that were acknowledged survive a power cut; what was read since may have to be read again. Erased
 * content is overwritten, but for pieces that `purge` removes, and the log that held it is truncated when no connection reads from it: a
 * reader of yours that keeps a transaction open delays that.
 *
 * @param database  the path of a file for `node:sqlite`, or a driver
 * @throws OptionError for what is neither
 * @throws NodeSqliteMissingError from its operations, for a path where the runtime has no `node:sqlite`
 * @throws FullTextMissingError from `migrate`, and so from the first use of a mirror, where SQLite has no FTS5: before Node.js 22.16
 * @throws NewerTablesError from `migrate`, if a newer version of the package made the tables
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
/** The same over a driver, whose type determines what the `commit` of a consumer takes. */
export function sqliteMirror<Transaction>(database: SqliteDriver<Transaction>): SqliteMirror<Transaction>
export function sqliteMirror<Transaction>(
  database: string | SqliteDriver<Transaction>,
): SqliteMirror<SqliteConnection> | SqliteMirror<Transaction> {
  const driver = driverOf(database, {
    path: "sqliteMirror('notes.db')",
    driver: 'sqliteMirror(durableObjectSqlite(ctx.storage))',
  })
  return mirrorOver<SqliteConnection & Transaction>(driver)
}

function mirrorOver<Transaction>(driver: SqliteDriver<Transaction>): SqliteMirror<Transaction> {
  const erasing = new ErasingDatabase(driver)
  let hasSkipped = false
  let renewal: Renewal = 'idle'
  let erasesMeanwhile = false

  // Flushed: if a power cut undid this, the next process would skip to numbers that were already used.
  async function skipNumbers(): Promise<void> {
    if (!hasSkipped) await erasing.run([SKIP_NUMBERS], 'power-cut')
    hasSkipped = true
  }

  // Only if there is nothing else to do, and in pieces: rewriting a large index takes long.
  async function renewIndex(): Promise<void> {
    if (renewal === 'idle' && erasesMeanwhile) renewal = 'wanted'
    if (renewal === 'idle' || erasing.isHosted) return
    const answers = await erasing.run(renewalStatements(renewal), 'process')
    if (renewal === 'wanted') erasesMeanwhile = false
    renewal = hasMerged(answers) ? 'going_on' : 'idle'
    erasing.leaveTraces()
  }

  function read(sql: string, ...values: readonly (string | number)[]): Promise<readonly SqliteRow[]> {
    return erasing.read({
      sql,
      parameters: values.map((value) => (typeof value === 'string' ? storedText(value) : value)),
    })
  }

  // Without a lock, because most looks find nothing. What another process has taken meanwhile is not due at the next look.
  async function take(integration: string, request: DueRequest): Promise<DueNotes> {
    for (;;) {
      const due = request.limit === 0 ? [] : await erasing.read(dueStatement(integration, request))
      try {
        return takenNotes(due, await erasing.run(takeStatements(integration, due, request), 'process'), request)
      } catch (error) {
        if (!isConflict(error)) throw error
      }
    }
  }

  async function countCandidates(integration: string, startedAt: number, most: number): Promise<number> {
    return Number((await read(reading.COUNT_CANDIDATES, integration, startedAt, most))[0]?.['notes'])
  }

  return {
    integrations: integrationsIn(erasing),
    ...consumersIn(erasing, driver),

    async migrate() {
      // A mirror that is only read waits for no writer, and needs no permission to write.
      if ((await erasing.read(FIND_SCHEMA)).length === 0) await erasing.run(SCHEMA, 'power-cut').catch(explainFullText)
      const version = Number((await erasing.read(READ_VERSION))[0]?.['version'])
      if (version > SCHEMA_VERSION) throw new NewerTablesError(version, SCHEMA_VERSION)
      await erasing.removeTraces()
    },

    async load(integration, noteIds) {
      await skipNumbers()
      return loadedNotes(await erasing.run(loadStatements(integration, noteIds), 'process'))
    },

    async readProgress(integration) {
      return loadedProgress((await read(READ_PROGRESS, integration))[0])
    },

    async commit(integration, commit) {
      const erasure = erasureStatement(integration, commit)
      const statements = [...erasure, ...commitStatements(integration, commit)]
      if (statements.length === 0) return 'committed'
      await skipNumbers()
      try {
        const [rows = []] = await erasing.run(statements, durabilityOf(commit))
        if (erasure.length > 0 && erasesAny(rows)) {
          erasing.leaveTraces()
          erasesMeanwhile = true
        }
      } catch (error) {
        return refusalIn(error)
      }
      await erasing.removeTraces()
      return 'committed'
    },

    async takeDue(integration, request) {
      const taken = await take(integration, request)
      if (taken.notes.length === 0) {
        await erasing.run([INDEX_WAITING], 'process')
        await renewIndex()
      }
      await erasing.removeTraces()
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
      return noteIdsIn(await read(reading.LIST_OVERDUE, integration, hiddenBefore, limit))
    },

    async listHolds(integration) {
      const holds = await read(reading.LIST_HOLDS, integration)
      return holds.map((row) => ({ scanId: originalText(String(row['held_by_scan'])), notes: Number(row['notes']) }))
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
      await erasing.run([REBUILD_SEARCH], 'power-cut')
      erasing.leaveTraces()
      await erasing.writeAnew()
    },

    close: () => erasing.close(),
  }
}

function noteIdsIn(rows: readonly SqliteRow[]): readonly string[] {
  return rows.map(({ note_id }) => originalText(String(note_id)))
}

function refusalIn(error: unknown): 'conflict' | 'fenced' {
  if (isConflict(error)) return 'conflict'
  if (isFenced(error)) return 'fenced'
  throw error
}

// In quotes, no character of a word is an operator of the query language.
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
