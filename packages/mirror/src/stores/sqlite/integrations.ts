import type { Durability, SqliteRow, SqliteStatement } from '@notewire/webhooks/storage'
import {
  ERASE_BATCH_SIZE,
  type IntegrationCounts,
  type IntegrationRecord,
  type IntegrationRows,
  MAX_COUNTED,
  MAX_WAIT_MS,
} from '../../integrations/integration-store.ts'
import { escapedText } from '../escaped-text.ts'
import type { MirrorStore } from '../mirror-store.ts'
import { mustSurvive } from '../surviving-rows.ts'
import { isConflict } from './committing.ts'
import type { ErasingDatabase } from './database.ts'
import type { IndexRewrite } from './index-rewrite.ts'
import { MOST_URGENT, recordIn, THIS_ONE, takeFound, writeStatement } from './integration-statements.ts'

export function createIntegrationRows(
  database: ErasingDatabase,
  { readProgress, indexRewrite }: Pick<MirrorStore, 'readProgress'> & { readonly indexRewrite: IndexRewrite },
): IntegrationRows {
  /** Runs statements in one transaction, and returns the rows of the last statement. */
  async function write(durability: Durability, ...statements: SqliteStatement[]): Promise<readonly SqliteRow[]> {
    return (await database.run(statements, durability)).at(-1) ?? []
  }

  async function erase({ integration: name, generation, version, hints }: IntegrationRecord) {
    const integration = escapedText(name)
    const batch = [integration, ERASE_BATCH_SIZE]
    try {
      const rows = await write(
        'power-cut',
        { sql: GUARD, parameters: [integration, generation, version, hints] },
        { sql: ERASE_CONTENT, parameters: batch },
        { sql: ERASE_NOTES, parameters: batch },
        ...ERASE_REST.map((sql) => ({ sql, parameters: [integration] })),
      )
      return rows.length > 0 ? 'written' : 'more'
    } catch (error) {
      if (isConflict(error)) return 'conflict'
      throw error
    } finally {
      database.recordErasure()
      indexRewrite.recordErasure()
      await database.truncateLog()
    }
  }

  return {
    async list({ integration, state = null, hasHeldRemovals = false, after, limit }) {
      const only = integration === undefined ? null : escapedText(integration)
      const parameters = [escapedText(after), state, only, only, hasHeldRemovals ? 1 : 0, limit]
      const rows = await database.read({ sql: LIST, parameters })
      return rows.map((row) => ({ record: recordIn(row), heldRemovals: Number(row['held_removals']) }))
    },

    async write(next, read) {
      if (next === 'deleted') return read === undefined ? 'written' : await erase(read)
      try {
        const rows = await write(durabilityOf(next, read), writeStatement(next, read))
        return rows.length === 0 ? 'conflict' : 'written'
      } catch (error) {
        if (isKeyShared(error)) return 'shared'
        throw error
      }
    },

    async take({ now, until, maxRank, worker, integration, isForced, includesSingle, except = [] }) {
      const leftOut = JSON.stringify(except.map(escapedText))
      const asked = [maxRank, now, now + MAX_WAIT_MS, now + 2 * (until - now), leftOut, Number(includesSingle === true)]
      const [found, values] =
        integration === undefined
          ? [MOST_URGENT, asked]
          : [THIS_ONE, [...asked, escapedText(integration), Number(isForced === true)]]
      // Most calls find no due integration. They do not wait for a writer.
      if ((await database.read({ sql: found, parameters: values })).length === 0) return undefined
      const [row] = await write('process', { sql: takeFound(found), parameters: [until, worker, ...values] })
      if (row === undefined) return undefined
      const record = recordIn(row)
      return { record, copy: await readProgress(record.integration) }
    },

    async findHinted({ now, waitingSince, integration, includesSingle, except }) {
      const only = integration === undefined ? null : escapedText(integration)
      const leftOut = JSON.stringify(except.map(escapedText))
      const parameters = [waitingSince, now, only, leftOut, Number(includesSingle === true)]
      const [row] = await database.read({ sql: HINTED, parameters })
      if (row === undefined) return undefined
      const record = recordIn(row)
      return { record, copy: await readProgress(record.integration) }
    },

    async count(now) {
      const [row] = await database.read({ sql: COUNT, parameters: [now, now + MAX_WAIT_MS] })
      return JSON.parse(String(row?.['result'])) as IntegrationCounts
    },
  }
}

function durabilityOf(next: IntegrationRecord, read: IntegrationRecord | undefined): Durability {
  return mustSurvive(next, read) ? 'power-cut' : 'process'
}

/** Whether another integration has the same key. Only the message is the same with all drivers. */
function isKeyShared(error: unknown): boolean {
  return error instanceof Error && error.message.includes('UNIQUE constraint failed: notewire_integrations.key_print')
}

const GUARD = `INSERT INTO notewire_mirror_conflicts (of) SELECT 'an integration' WHERE NOT EXISTS (
  SELECT 1 FROM notewire_integrations WHERE integration = ? AND generation = ? AND version = ? AND hints = ?)`

const BATCH = 'SELECT row_id FROM notewire_mirror_notes WHERE integration = ? ORDER BY note_id LIMIT ?'
const ERASE_CONTENT = `DELETE FROM notewire_mirror_content WHERE row_id IN (${BATCH})`
const ERASE_NOTES = `DELETE FROM notewire_mirror_notes WHERE row_id IN (${BATCH})`

const IS_EMPTY = 'NOT EXISTS (SELECT 1 FROM notewire_mirror_notes AS note WHERE note.integration = erased.integration)'
const ERASE_REST = [
  `DELETE FROM notewire_mirror_consumer_notes AS erased WHERE integration = ? AND ${IS_EMPTY}`,
  `DELETE FROM notewire_mirror_consumers AS erased WHERE integration = ? AND ${IS_EMPTY}`,
  `DELETE FROM notewire_mirror_runs AS erased WHERE integration = ? AND ${IS_EMPTY}`,
  `DELETE FROM notewire_mirrors AS erased WHERE integration = ? AND ${IS_EMPTY}`,
  `DELETE FROM notewire_integrations AS erased WHERE integration = ? AND ${IS_EMPTY} RETURNING token`,
]

const HELD = `notewire_mirror_notes AS note
  WHERE note.integration = listed.integration AND note.held_by_scan IS NOT NULL AND note.presence = 'hidden'`

const LIST = `SELECT *, (SELECT count(*) FROM ${HELD}) AS held_removals FROM notewire_integrations AS listed
  WHERE integration > ? AND record ->> 'state' = coalesce(?, record ->> 'state') AND CASE WHEN ? IS NULL THEN record ->> 'isSingle' IS NULL ELSE integration = ? END
    AND (? = 0 OR EXISTS (SELECT 1 FROM ${HELD})) ORDER BY integration LIMIT ?`

/** Parameters: the time since when the hint waits, now, the integration or NULL, integrations to leave out as JSON, whether to find one of `createMirror`. */
const HINTED = `SELECT record FROM notewire_integrations
  WHERE rank = 0 AND due_at <= ? AND lease_until > ? AND record ->> 'state' = 'active' AND integration = coalesce(?, integration)
    AND integration NOT IN (SELECT value FROM json_each(?)) AND (record ->> 'isSingle' IS NULL OR ?)
  ORDER BY due_at LIMIT 1`

const ADDED = `SELECT * FROM notewire_integrations WHERE record ->> 'isSingle' IS NULL`

const having = (field: string, value: string) => `count(*) FILTER (WHERE record ->> '${field}' = '${value}')`

// Some versions of SQLite return the object of a subquery as text.
const countedBy = (path: string, condition: string) => `json((SELECT json_group_object(key, number) FROM (
    SELECT record ->> '${path}' AS key, count(*) AS number FROM (${ADDED})
      WHERE record ->> '${path}' IS NOT NULL AND record ->> 'state' <> 'removing' ${condition}
      GROUP BY 1 ORDER BY 2 DESC, 1 LIMIT ${MAX_COUNTED})))`

const COUNT = `SELECT json_object(
    'active', ${having('state', 'active')}, 'removing', ${having('state', 'removing')},
    'parked', json_object(${['key_changed', 'key_shared', 'key_refused'].map((reason) => `'${reason}', ${having('parkedBecause', reason)}`).join(', ')}),
    'due', count(*) FILTER (WHERE next_at <= now OR next_at > latest),
    'dueSince', min(next_at) FILTER (WHERE next_at <= now),
    'nextAt', min(next_at) FILTER (WHERE next_at > now AND next_at <= latest),
    'backingOff', count(*) FILTER (WHERE record ->> 'state' = 'active' AND record ->> 'failures' > 0),
    'contradictions', (SELECT coalesce(sum(contradicted), 0) FROM notewire_mirrors
      WHERE integration IN (SELECT integration FROM (${ADDED}))),
    'heldRemovals', (SELECT count(DISTINCT integration) FROM notewire_mirror_notes WHERE held_by_scan IS NOT NULL AND presence = 'hidden'
      AND integration IN (SELECT integration FROM (${ADDED}))),
    'problems', ${countedBy('$.problem.code', '')},
    'endpoints', ${countedBy('$.endpoint.status', "AND record ->> '$.endpoint.status' <> 'active'")},
    'oldestSyncedAt', min(record ->> 'syncedAt') FILTER (WHERE record ->> 'state' <> 'removing')) AS result
  FROM (
    SELECT now, latest, record, CASE WHEN lease_until > now THEN max(due_at, lease_until) ELSE due_at END AS next_at
    FROM (SELECT ? AS now, ? AS latest) LEFT JOIN (${ADDED})
  )`
