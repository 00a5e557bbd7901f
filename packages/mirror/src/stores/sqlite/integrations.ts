import type { SqliteRow, SqliteStatement, SqliteValue } from '@notewire/webhooks/storage'
import { dueAfterHint, type IntegrationStore, MAX_WAIT_MS, newIntegration } from '../../interfaces/integration-store.ts'
import type { MirrorStore } from '../../interfaces/store.ts'
import { escapedText, unescapedText } from '../escaped-text.ts'
import { isFenced } from './committing.ts'
import type { ErasingDatabase } from './database.ts'
import { fencedUpdate, fenceStatement, MOST_URGENT, recordIn, THIS_ONE } from './integration-statements.ts'

/** Makes the store of integrations. */
export function createIntegrationStore(
  database: ErasingDatabase,
  { readProgress }: Pick<MirrorStore, 'readProgress'>,
): IntegrationStore {
  /** Runs statements in one transaction, and returns the rows of the last statement. */
  async function write(
    durability: 'process' | 'power-cut',
    ...statements: SqliteStatement[]
  ): Promise<readonly SqliteRow[]> {
    return (await database.run(statements, durability)).at(-1) ?? []
  }

  async function writes(sql: string, ...parameters: SqliteValue[]): Promise<boolean> {
    return (await write('power-cut', { sql, parameters })).length > 0
  }

  return {
    async put(name, generation, now, delayMs = 0) {
      const integration = escapedText(name)
      const { rank, dueAt } = newIntegration(name, generation, now + delayMs)
      const [row] = await write(
        'power-cut',
        { sql: INSERT, parameters: [integration, generation, dueAt, rank] },
        { sql: BEGIN_ANOTHER_COPY, parameters: [generation, dueAt, rank, integration] },
        { sql: READ, parameters: [integration] },
      )
      return recordIn(row ?? {})
    },

    async get(integration) {
      const row = (await database.read({ sql: READ, parameters: [escapedText(integration)] }))[0]
      return row && recordIn(row)
    },

    async take({ now, until, most, integration }) {
      const latestEnd = now + 2 * (until - now)
      const [found, values] =
        integration === undefined
          ? [MOST_URGENT, [most, now, now + MAX_WAIT_MS, latestEnd]]
          : [THIS_ONE, [most, now, now + MAX_WAIT_MS, latestEnd, escapedText(integration)]]
      // Most calls find no due integration. They do not wait for a writer.
      if ((await database.read({ sql: found, parameters: values })).length === 0) return undefined
      const sql = `UPDATE notewire_integrations SET token = token + 1, is_held = 1, due_at = ?
        WHERE integration = (${found}) RETURNING *`
      const [row] = await write('process', { sql, parameters: [until, ...values] })
      if (row === undefined) return undefined
      const record = recordIn(row)
      return { record, copy: await readProgress(record.integration) }
    },

    async renew(integration, fence, { until }) {
      return (await write('process', fencedUpdate('due_at = ?', [until], escapedText(integration), fence))).length > 0
    },

    async finish(integration, fence, next, { hints, now }) {
      const { state, parkedBecause, failures, pausedUntil, pollEveryMs, endpoint, rank, dueAt } = next
      const values = [
        ...[state, parkedBecause, failures, pausedUntil, pollEveryMs, endpoint && JSON.stringify(endpoint)],
        ...[hints, rank, hints, dueAt, dueAfterHint(next, now)],
      ]
      return (await write('process', fencedUpdate(FINISH, values, escapedText(integration), fence))).length > 0
    },

    async wake(integration, now) {
      await writes(WAKE, now, escapedText(integration))
    },

    async claimKey(name, fence, print) {
      const integration = escapedText(name)
      try {
        const claim = fencedUpdate('key_print = ?', [print], integration, fence)
        return (await write('process', fenceStatement(integration, fence), claim)).length > 0 ? 'claimed' : 'shared'
      } catch (error) {
        if (isFenced(error)) return 'fenced'
        throw error
      }
    },

    resume: (integration, now) => writes(RESUME, now, escapedText(integration)),

    async remove(name, generation, now) {
      const integration = escapedText(name)
      const { rank } = newIntegration(name, generation, now)
      const remove = { sql: REMOVE, parameters: [generation, now, rank, integration] }
      return (await write('power-cut', remove, { sql: READ, parameters: [integration] })).length > 0
    },

    async listConsumers(integration) {
      const sql = 'SELECT name FROM notewire_mirror_consumers WHERE integration = ? ORDER BY name'
      const rows = await database.read({ sql, parameters: [escapedText(integration)] })
      return rows.map(({ name }) => unescapedText(String(name)))
    },

    async erase(name, fence, limit) {
      const integration = escapedText(name)
      const batch = [integration, limit]
      try {
        const rows = await write(
          'power-cut',
          fenceStatement(integration, fence, 'removing'),
          { sql: ERASE_CONTENT, parameters: batch },
          { sql: ERASE_NOTES, parameters: batch },
          ...ERASE_REST.map((sql) => ({ sql, parameters: [integration] })),
        )
        return rows.length > 0 ? 'done' : 'more'
      } catch (error) {
        if (isFenced(error)) return 'fenced'
        throw error
      } finally {
        database.recordErasure()
        await database.truncateLog()
      }
    },

    async list({ state = null, hasHeldRemovals = false, after, limit }) {
      const parameters = [escapedText(after), state, hasHeldRemovals ? 1 : 0, limit]
      const rows = await database.read({ sql: LIST, parameters })
      return rows.map((row) => ({ record: recordIn(row), heldRemovals: Number(row['held_removals']) }))
    },

    async count(now) {
      const [row = {}] = await database.read({ sql: COUNT, parameters: [now, now + MAX_WAIT_MS] })
      const { due_since, next_at, key_changed, key_shared, key_refused, ...counts } = row
      const parked = {
        key_changed: Number(key_changed),
        key_shared: Number(key_shared),
        key_refused: Number(key_refused),
      }
      return {
        active: Number(counts['active']),
        removing: Number(counts['removing']),
        parked,
        due: Number(counts['due']),
        dueSince: due_since as number | null,
        nextAt: next_at as number | null,
        backingOff: Number(counts['backing_off']),
        contradictions: Number(counts['contradictions']),
        heldRemovals: Number(counts['held_removals']),
      }
    },
  }
}

const INSERT = `INSERT OR IGNORE INTO notewire_integrations (integration, generation, state, due_at, rank, hints, token, is_held, failures)
  VALUES (?, ?, 'active', ?, ?, 0, 0, 0, 0)`

const BEGIN_ANOTHER_COPY = `UPDATE notewire_integrations
  SET generation = ?, state = 'active', due_at = ?, rank = ?, is_held = 0, paused_until = NULL
  WHERE integration = ? AND state = 'removing' AND paused_until IS NOT NULL`

const READ = 'SELECT * FROM notewire_integrations WHERE integration = ?'

const FINISH = `is_held = 0, state = ?, parked_because = ?, failures = ?, paused_until = ?, poll_every_ms = ?, endpoint = ?,
  rank = CASE WHEN hints = ? THEN ? ELSE 0 END, due_at = CASE WHEN hints = ? THEN ? ELSE ? END`

const WAKE = `UPDATE notewire_integrations SET hints = hints + 1, failures = 0, paused_until = NULL,
    due_at = CASE WHEN is_held THEN due_at ELSE min(due_at, ?) END
  WHERE integration = ? AND state = 'active' RETURNING token`

const RESUME = `UPDATE notewire_integrations SET state = 'active', parked_because = NULL, due_at = ?, failures = 0, paused_until = NULL,
    token = token + 1, is_held = 0
  WHERE integration = ? AND state = 'parked' RETURNING token`

const REMOVE = `UPDATE notewire_integrations SET generation = ?, state = 'removing', parked_because = NULL, due_at = ?, rank = ?,
    hints = 0, is_held = 0, failures = 0, paused_until = NULL, key_print = NULL, poll_every_ms = NULL, endpoint = NULL
  WHERE integration = ? AND state <> 'removing'`

const BATCH = 'SELECT row_id FROM notewire_mirror_notes WHERE integration = ? ORDER BY note_id LIMIT ?'
const ERASE_CONTENT = `DELETE FROM notewire_mirror_content WHERE row_id IN (${BATCH})`
const ERASE_NOTES = `DELETE FROM notewire_mirror_notes WHERE row_id IN (${BATCH})`

const IS_EMPTY = 'NOT EXISTS (SELECT 1 FROM notewire_mirror_notes AS note WHERE note.integration = erased.integration)'
const ERASE_REST = [
  `DELETE FROM notewire_mirror_consumer_notes AS erased WHERE integration = ? AND ${IS_EMPTY}`,
  `DELETE FROM notewire_mirror_consumers AS erased WHERE integration = ? AND ${IS_EMPTY}`,
  `DELETE FROM notewire_mirrors AS erased WHERE integration = ? AND ${IS_EMPTY}`,
  `DELETE FROM notewire_integrations AS erased WHERE integration = ? AND state = 'removing' AND ${IS_EMPTY} RETURNING token`,
]

const HELD = `notewire_mirror_notes AS note
  WHERE note.integration = listed.integration AND note.held_by_scan IS NOT NULL AND note.presence = 'hidden'`

const LIST = `SELECT *, (SELECT count(*) FROM ${HELD}) AS held_removals FROM notewire_integrations AS listed
  WHERE integration > ? AND state = coalesce(?, state) AND (? = 0 OR EXISTS (SELECT 1 FROM ${HELD})) ORDER BY integration LIMIT ?`

const COUNT = `SELECT
    count(*) FILTER (WHERE state = 'active') AS active,
    count(*) FILTER (WHERE state = 'removing') AS removing,
    count(*) FILTER (WHERE parked_because = 'key_changed') AS key_changed,
    count(*) FILTER (WHERE parked_because = 'key_shared') AS key_shared,
    count(*) FILTER (WHERE parked_because = 'key_refused') AS key_refused,
    count(*) FILTER (WHERE due_at <= now OR due_at > latest) AS due,
    min(due_at) FILTER (WHERE due_at <= now) AS due_since,
    min(due_at) FILTER (WHERE due_at > now AND due_at <= latest) AS next_at,
    count(*) FILTER (WHERE state = 'active' AND failures > 0) AS backing_off,
    (SELECT coalesce(sum(contradicted), 0) FROM notewire_mirrors
      WHERE integration IN (SELECT integration FROM notewire_integrations)) AS contradictions,
    (SELECT count(DISTINCT integration) FROM notewire_mirror_notes WHERE held_by_scan IS NOT NULL AND presence = 'hidden'
      AND integration IN (SELECT integration FROM notewire_integrations)) AS held_removals
  FROM (SELECT ? AS now, ? AS latest) LEFT JOIN notewire_integrations`
