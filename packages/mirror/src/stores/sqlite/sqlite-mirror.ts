import { OptionError } from '@notewire/protocol'
import { type Durability, nodeSqlite, type SqliteDriver } from '@notewire/webhooks/sqlite'
import type { MirrorCommit, MirrorStore } from '../store.ts'
import {
  countCandidates,
  heldRemovals,
  listCandidates,
  listHeld,
  listHolds,
  listOverdue,
  MANY,
  noteIdsIn,
  numberOf,
} from './candidates.ts'
import { commitStatements, erasesAny, erasureStatement, INDEX_WAITING, isConflict } from './committing.ts'
import { storedNote } from './content-columns.ts'
import { countsIn, readCounts } from './counts.ts'
import { ErasingDatabase } from './database.ts'
import { FullTextMissingError } from './full-text-missing-error.ts'
import { loadedNotes, loadedProgress, loadStatements, readProgress } from './loading.ts'
import { changedNote, latestPosition, listChanges, listNotes, readNote, readPosition, searchNotes } from './reading.ts'
import { FIND_SCHEMA, REBUILD_SEARCH, SCHEMA, SKIP_NUMBERS } from './schema.ts'
import { takenNotes, takeStatements } from './taking.ts'

/** Mirrors in a database of SQLite. */
export interface SqliteMirror extends MirrorStore {
  /**
   * Removes what erasing leaves behind in the file, by making the search index anew and the whole file after it (`VACUUM`): of some
   * hundreds of erased notes, SQLite keeps a part of one in gaps between rows that it has moved, and FTS5 the beginning of an erased word
   * where a page of the index began with it. No query finds either.
   *
   * Blocks the thread for as long as it takes, and needs free space of twice the file's size. Where the host keeps the file to itself,
   * as a Durable Object and D1 do, it makes the search index anew, and no more.
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
 * content is overwritten, but for scraps that `purge` removes, and the log that held it is cut off as soon as nobody reads from it: a
 * reader of yours that keeps a transaction open puts that off.
 *
 * @param database  the path of a file for `node:sqlite`, or a driver
 * @throws OptionError for what is neither
 * @throws NodeSqliteMissingError from its operations, for a path where the runtime has no `node:sqlite`
 * @throws FullTextMissingError from `migrate`, and so from the first use of a mirror, where SQLite has no FTS5: before Node.js 22.16
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
export function sqliteMirror(database: string | SqliteDriver): SqliteMirror {
  refuseWhatIsNoDatabase(database)
  const driver = typeof database === 'string' ? nodeSqlite(database) : database
  const erasing = new ErasingDatabase(driver)
  let hasSkipped = false

  // Flushed: a power cut that took this back, too, would have the next process skip to the numbers that it gave away.
  async function skipNumbers(): Promise<void> {
    if (!hasSkipped) await erasing.run([SKIP_NUMBERS], 'power-cut')
    hasSkipped = true
  }

  return {
    async migrate() {
      // Who only reads does not wait for a writer, nor needs to be allowed to write.
      if ((await erasing.read(FIND_SCHEMA)).length === 0) await erasing.run(SCHEMA, 'power-cut').catch(explainFullText)
      await erasing.removeTraces()
    },

    async load(scope, noteIds) {
      await skipNumbers()
      return loadedNotes(await erasing.run(loadStatements(scope, noteIds), 'process'))
    },

    async readProgress(scope) {
      return loadedProgress((await erasing.read(readProgress(scope)))[0])
    },

    async commit(scope, commit) {
      const erasure = erasureStatement(scope, commit)
      const statements = [...erasure, ...commitStatements(scope, commit)]
      if (statements.length === 0) return 'committed'
      await skipNumbers()
      try {
        const [rows = []] = await erasing.run(statements, durabilityOf(commit))
        if (erasure.length > 0 && erasesAny(rows)) erasing.leaveTraces()
      } catch (error) {
        if (isConflict(error)) return 'conflict'
        throw error
      }
      await erasing.removeTraces()
      return 'committed'
    },

    async takeDue(scope, request) {
      const taken = takenNotes(await erasing.run(takeStatements(scope, request), 'process'), request)
      if (taken.notes.length === 0) await erasing.run([INDEX_WAITING], 'process')
      await erasing.removeTraces()
      return taken
    },

    async listCandidates(scope, certificate, after, limit) {
      const counted = numberOf(await erasing.read(countCandidates(scope, certificate, MANY)))
      const page = { after, limit, areMany: counted === MANY }
      return noteIdsIn(await erasing.read(listCandidates(scope, certificate, page)))
    },

    async countCandidates(scope, certificate) {
      return numberOf(await erasing.read(countCandidates(scope, certificate)))
    },

    async listHeld(scope, scanId, after, limit) {
      return noteIdsIn(await erasing.read(listHeld(scope, scanId, after, limit)))
    },

    async listOverdue(scope, hiddenBefore, limit) {
      return noteIdsIn(await erasing.read(listOverdue(scope, hiddenBefore, limit)))
    },

    async listHolds(scope) {
      return (await erasing.read(listHolds(scope))).map(heldRemovals)
    },

    async count(scope) {
      return countsIn((await erasing.read(readCounts(scope)))[0])
    },

    async latestPosition(scope) {
      return latestPosition(await erasing.read(readPosition(scope)))
    },

    async listChanges(scope, after, limit) {
      return (await erasing.read(listChanges(scope, after, limit))).map(changedNote)
    },

    async getNote(scope, noteId) {
      const [row] = await erasing.read(readNote(scope, noteId))
      return row === undefined ? undefined : storedNote(row)
    },

    async listNotes(scope, after, limit) {
      return (await erasing.read(listNotes(scope, after, limit))).map(storedNote)
    },

    async search(scope, words, limit) {
      const found = words.length === 0 ? listNotes(scope, '', limit) : searchNotes(scope, words, limit)
      return (await erasing.read(found)).map(storedNote)
    },

    async purge() {
      await erasing.run([REBUILD_SEARCH], 'power-cut')
      erasing.leaveTraces()
      await erasing.writeAnew()
    },

    close: () => erasing.close(),
  }
}

function explainFullText(error: unknown): never {
  throw error instanceof Error && error.message.includes('no such module: fts5')
    ? new FullTextMissingError(error)
    : error
}

/** An event that is acknowledged is not sent again; whatever else is lost is listed or read again. */
function durabilityOf({ heardAt }: MirrorCommit): Durability {
  return heardAt === undefined ? 'process' : 'power-cut'
}

function refuseWhatIsNoDatabase(database: string | { readonly batch?: unknown } | null | undefined): void {
  if (typeof database === 'string' ? database !== '' : typeof database?.batch === 'function') return
  throw new OptionError(
    'database',
    "sqliteMirror needs the path of a file, as in sqliteMirror('notes.db'), or a driver, as in " +
      'sqliteMirror(durableObjectSqlite(ctx.storage)).',
  )
}
