import { systemClock } from '@notewire/protocol'
import { postgresCodeOf } from '@notewire/webhooks/storage'
import { PurgeIncompleteError } from '../purge-incomplete-error.ts'

type Query = (text: string) => Promise<readonly unknown[]>

interface TableFacts {
  /** The number of the table's file. It changes when the table is rewritten. */
  readonly file: string
  readonly mayVacuum: boolean
  /** Whether the last rewrite kept erased rows. PostgreSQL then indexes them, but does not count them as rows of the table. */
  readonly keepsErased: boolean
}

const LOCK_TIMEOUT_MS = 10_000
const LOCK_PAUSE_MS = 250

/**
 * Rewrites the table of the content and its indexes, without erased rows.
 *
 * @param vacuum  runs a statement without a time limit
 * @throws PurgeIncompleteError
 */
export async function rewriteContent(query: Query, vacuum: Query): Promise<void> {
  const before = await readFacts(query)
  if (!before.mayVacuum) throw new PurgeIncompleteError('not_permitted')
  for (let waitedMs = 0; ; waitedMs += LOCK_PAUSE_MS) {
    await vacuum(REWRITE).catch(explainTransaction)
    const after = await readFacts(query)
    if (after.file !== before.file) {
      if (after.keepsErased) throw new PurgeIncompleteError('held_back')
      return
    }
    if (waitedMs >= LOCK_TIMEOUT_MS) throw new PurgeIncompleteError('locked')
    await systemClock.sleep(LOCK_PAUSE_MS)
  }
}

// A VACUUM that waits for its lock makes every other query of the table wait, too. SKIP_LOCKED avoids that, and the purge retries.
const REWRITE = 'VACUUM (FULL, SKIP_LOCKED) notewire_mirror_content'

// VACUUM only warns if it skips a table, so the table's file shows whether it ran. PostgreSQL before 17 does not have the right MAINTAIN.
const FACTS = `
SELECT
  pg_relation_filenode(content.oid)::text AS file,
  pg_has_role(content.relowner, 'USAGE') OR pg_has_role(databases.datdba, 'USAGE')
    OR CASE WHEN current_setting('server_version_num')::int >= 170000
      THEN has_table_privilege(content.oid, 'MAINTAIN') ELSE false END AS may_vacuum,
  EXISTS (
    SELECT FROM pg_index AS indexes JOIN pg_class AS index_class ON index_class.oid = indexes.indexrelid
      WHERE indexes.indrelid = content.oid AND indexes.indisprimary AND index_class.reltuples > content.reltuples
  ) AS keeps_erased
FROM pg_class AS content JOIN pg_database AS databases ON databases.datname = current_database()
WHERE content.oid = 'notewire_mirror_content'::regclass`

async function readFacts(query: Query): Promise<TableFacts> {
  const [row] = (await query(FACTS)) as readonly {
    readonly file: string
    readonly may_vacuum: boolean
    readonly keeps_erased: boolean
  }[]
  return { file: row?.file ?? '', mayVacuum: row?.may_vacuum === true, keepsErased: row?.keeps_erased === true }
}

const ACTIVE_TRANSACTION = '25001'

function explainTransaction(error: unknown): never {
  throw postgresCodeOf(error) === ACTIVE_TRANSACTION ? new PurgeIncompleteError('in_transaction', error) : error
}
