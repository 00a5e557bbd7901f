import {
  type PostgresConnection,
  PostgresQueries,
  type PostgresStoreOptions,
  refuseWrongPostgres,
} from '@notewire/webhooks/storage'
import type { MirrorStore } from '../../interfaces/store.ts'
import { consumersIn } from './consumer-statements.ts'
import { MIRROR_TABLES } from './migration.ts'
import { storeOver } from './store-in-postgres.ts'

/** Mirrors in a database of PostgreSQL. */
export interface PostgresMirror extends MirrorStore<PostgresConnection> {
  /**
   * Removes the bytes of erased content from the files of the table and its indexes, by rewriting `notewire_mirror_content`
   * (`VACUUM FULL`). Without it, PostgreSQL keeps them until it needs their space.
   *
   * The rewrite locks the table exclusively: every operation of the mirror and every query of the content waits for it. It needs free
   * space of the size of the table. It may take as long as your `statement_timeout` allows. Call it outside of a transaction, as the
   * owner of the table.
   *
   * The write-ahead log, its archives, replicas that lag and backups keep what they have.
   *
   * @throws PurgeIncompleteError if the role lacks the right, a transaction is open on the connection, the table stays locked for 10 s, or
   * an older transaction can still see what is erased
   */
  purge(): Promise<void>
}

/**
 * Keeps mirrors in PostgreSQL 14 or newer, for any number of instances: each operation is one statement and one round trip, a search two. It works
 * behind PgBouncer in transaction mode.
 *
 * Statements run at the isolation level that is the default of the connection, which is to be `read committed`, as PostgreSQL's is; at a higher
 * one, instances that write at once fail with `40001` until the next sync. The database is to be of encoding UTF8. An operation that takes
 * longer than 30 s rejects with `PostgresTimeoutError`.
 *
 * **Tables.** All are yours to query, and none to write. The view `notewire_live_notes` shows what the mirror does: `integration`,
 * `note_id`, `revision`, `status`, `title`, `content`, `summary` (Markdown), `transcript`, `segments`, `record` (the whole note, JSON),
 * `transcript_status`, `summary_status`, `created_at`, `updated_at`, `is_settled`, and `search`, the words of all of it:
 *
 * ```sql
 * SELECT note_id, title FROM notewire_live_notes
 *   WHERE integration = 'default' AND search @@ websearch_to_tsquery('simple', '"stand-up" -cancelled');
 * ```
 *
 * Text of PostgreSQL contains neither NUL nor half of a surrogate pair: in the tables, each is U+001A and four hexadecimal digits, and
 * the mirror returns it as it was. `search` finds words in any case, of up to about a megabyte of different ones in a note. A path or
 * an address is split into its words, as `search @@ notewire_mirror_query_1('ada@example.com')` does in your own SQL. In a database of
 * locale C, capitals beyond English differ from small letters unless PostgreSQL was built with ICU.
 *
 * **Erasing.** What is erased is deleted: from its commit on, no query and no index finds it. Its bytes stay in the files of the table until
 * PostgreSQL writes new content over them, or until `purge()` rewrites the table.
 *
 * @param pool  your pool of `pg`, or anything with its `query(text, values)`. You close it.
 * @throws OptionError if `pool` has no `query`, or for an unknown or invalid option
 * @example
 * ```ts
 * import { NotesClient } from '@notewire/client'
 * import { createMirror } from '@notewire/mirror'
 * import { postgresMirror } from '@notewire/mirror/postgres'
 * import { Pool } from 'pg'
 *
 * const pool = new Pool({ connectionString: process.env['DATABASE_URL'] })
 * // Without it, a restart of the server ends the process: a connection that breaks while idle is an error of the pool.
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
  return { ...storeOver(pool, queries), ...consumersIn(queries) }
}
