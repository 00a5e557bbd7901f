import {
  type PostgresConnection,
  PostgresQueries,
  type PostgresStoreOptions,
  type PostgresTransaction,
  refuseWrongPostgres,
} from '@notewire/webhooks/storage'
import type { MirrorStore } from '../../interfaces/store.ts'
import { createConsumerStore } from './consumer-statements.ts'
import { MIRROR_TABLES } from './migration.ts'
import { createStore } from './store-in-postgres.ts'

/** Mirrors in a PostgreSQL database. */
export interface PostgresMirror extends MirrorStore<PostgresTransaction> {
  /**
   * Removes the bytes of erased content from the files of the table and its indexes, by rewriting `notewire_mirror_content` (`VACUUM FULL`).
   * Without it, the bytes remain until PostgreSQL reuses their space.
   *
   * The rewrite locks the table exclusively: every operation of the mirror and every query of the content waits. It needs free space of the
   * size of the table. It may take as long as your `statement_timeout` allows. Call it outside of a transaction, as the owner of the table.
   *
   * The write-ahead log, its archives, lagging replicas and backups are not changed.
   *
   * @throws PurgeIncompleteError if the role lacks the right, a transaction is open on the connection, the table stays locked for 10 s, or an
   * older transaction can still see erased content
   */
  purge(): Promise<void>
}

/**
 * Stores mirrors in PostgreSQL 14 or newer, for any number of instances. Each operation is one statement and one round trip; a search and a `commit` of `apply` are two. It
 * works with PgBouncer in transaction mode.
 *
 * The default isolation level of the connection must be `read committed`, PostgreSQL's default. At a higher level, instances that write
 * concurrently fail with `40001` until the next sync. The encoding of the database must be UTF8. An operation that takes longer than 30 s rejects
 * with `PostgresTimeoutError`.
 *
 * **Tables.** You may query all tables, but write to none. The view `notewire_live_notes` contains the notes that the mirror shows:
 * `integration`, `note_id`, `revision`, `status`, `title`, `content`, `summary` (Markdown), `transcript`, `segments`, `record` (the whole note,
 * JSON), `transcript_status`, `summary_status`, `created_at`, `updated_at`, `is_settled`, and `search`, the words of the content:
 *
 * ```sql
 * SELECT note_id, title FROM notewire_live_notes
 *   WHERE integration = 'default' AND search @@ websearch_to_tsquery('simple', '"stand-up" -cancelled');
 * ```
 *
 * Text in PostgreSQL can contain neither NUL nor an unpaired surrogate. In the tables, each is stored as U+001A and four hexadecimal digits; the
 * mirror returns the original text. `search` finds words in any case, up to about a megabyte of different words in a note. A path or an address is
 * split into its words; `search @@ notewire_mirror_query_1('ada@example.com')` does the same in your own SQL. In a database with locale C,
 * upper-case letters beyond English differ from lower-case letters unless PostgreSQL was built with ICU.
 *
 * **Erasing.** Erased content is deleted: after the commit, no query and no index finds it. Its bytes remain in the files of the table until
 * PostgreSQL overwrites them, or until `purge()` rewrites the table.
 *
 * @param pool  your pool of `pg`, or any object with its `query(text, values)`. You close it.
 * @throws OptionError if `pool` has no `query`, or for an unknown or invalid option
 * @example
 * ```ts
 * import { NotesClient } from '@notewire/client'
 * import { createMirror } from '@notewire/mirror'
 * import { postgresMirror } from '@notewire/mirror/postgres'
 * import { Pool } from 'pg'
 *
 * const pool = new Pool({ connectionString: process.env['DATABASE_URL'] })
 * // Without this handler, a restart of the server would end the process: a broken idle connection is an error of the pool.
 * pool.on('error', console.error)
 *
 * const client = new NotesClient({ baseUrl: 'https://notes.example', apiKey: process.env['NOTES_API_KEY'] ?? '' })
 * const mirror = createMirror({ client, store: postgresMirror(pool) })
 * ```
 */
export function postgresMirror(pool: PostgresConnection, options: PostgresStoreOptions = {}): PostgresMirror {
  refuseWrongPostgres('postgresMirror', pool, options)
  const queries = new PostgresQueries(pool, {
    ...options,
    tables: MIRROR_TABLES,
    timeLimitMs: 30_000,
    whenToMigrate:
      'A mirror migrates its store when it is first used; if you use the store without a mirror, call `await store.migrate()` first.',
    afterTimeout: 'No data is lost or partly written: the next sync continues.',
  })
  return { ...createStore(pool, queries), ...createConsumerStore(queries) }
}
