import type { SqliteDriver, SqliteRow, SqliteStatement } from '@notewire/webhooks/storage'
import { eachPart } from '../../interfaces/consumer-change.ts'
import {
  type ConsumableNote,
  type ConsumerCommit,
  type ConsumerNote,
  type ConsumerStore,
  NEW_CONSUMER,
} from '../../interfaces/consumer-store.ts'
import { escapedText, unescapedText } from '../escaped-text.ts'
import { isConflict } from './committing.ts'
import { READ_CONTENT, storedNote } from './content-columns.ts'
import type { ErasingDatabase } from './database.ts'
import { READ_STATE } from './note-columns.ts'

/** Makes the store of consumers. */
export function createConsumerStore<Transaction>(
  database: ErasingDatabase,
  driver: SqliteDriver<Transaction>,
): ConsumerStore<Transaction> {
  const batchIn = driver.batchIn?.bind(driver)
  const read = (sql: string, ...parameters: readonly (string | number)[]) => database.read({ sql, parameters })
  const keyOf = (integration: string, name: string) => [escapedText(integration), escapedText(name)] as const

  return {
    async readConsumer(integration, name) {
      const [row = {}] = await read(READ_CONSUMER, ...keyOf(integration, name))
      const { state, version, token, has_changes, next_due_at } = row
      return {
        state: typeof state === 'string' ? JSON.parse(state) : NEW_CONSUMER,
        version: Number(version ?? 0),
        token: Number(token ?? 0),
        hasChanges: has_changes === 1,
        nextDueAt: (next_due_at ?? null) as number | null,
      }
    },

    commitConsumer: (integration, name, commit) =>
      database.run(commitStatements(keyOf(integration, name), commit), 'process').then(committed, lostOrThrow),

    ...(batchIn && {
      commitConsumerIn: (transaction: Transaction, integration: string, name: string, commit: ConsumerCommit) => {
        try {
          batchIn(transaction, commitStatements(keyOf(integration, name), commit))
          return 'committed'
        } catch (error) {
          return lostOrThrow(error)
        }
      },
    }),

    async renewConsumer(integration, name, token, leaseUntil) {
      const renew = { sql: RENEW, parameters: [leaseUntil, ...keyOf(integration, name), token] }
      const [rows] = await database.run([renew], 'process')
      return rows?.length === 1 ? 'renewed' : 'lost'
    },

    async listConsumable(integration, name, { after, now, dueBy = now, limit }) {
      const key = keyOf(integration, name)
      const [ofIntegration, consumer] = key
      const rows = await read(LIST, ...key, dueBy, after, limit, consumer, ofIntegration, after, limit)
      return {
        due: rows.filter(({ is_due }) => is_due === 1).map(consumableNote),
        changes: rows.filter(({ is_due }) => is_due === 0).map(consumableNote),
      }
    },

    async describeConsumer(integration, name) {
      const key = keyOf(integration, name)
      const [counts] = await read(COUNT, ...key)
      const parked = await read(LIST_PARKED, ...key)
      return {
        lag: Number(counts?.['lag']),
        waiting: Number(counts?.['waiting']),
        parked: parked.map((row) => ({ noteId: unescapedText(String(row['note_id'])), ...keptNote(row) })),
      }
    },

    async retryParked(integration, name, now) {
      const retry = { sql: RETRY_PARKED, parameters: [now, ...keyOf(integration, name)] }
      const [rows = []] = await database.run([retry], 'process')
      return rows.length
    },
  }
}

const committed = () => 'committed' as const

function lostOrThrow(error: unknown): 'lost' {
  if (isConflict(error)) return 'lost'
  throw error
}

function commitStatements(
  key: readonly [string, string],
  { expectedVersion, token, state, notes, forgetsApplied }: ConsumerCommit,
): readonly SqliteStatement[] {
  const written = JSON.stringify([...notes].map(([noteId, note]) => ({ ...note, noteId: escapedText(noteId) })))
  return [
    { sql: GUARD, parameters: [...key, expectedVersion] },
    { sql: WRITE_CONSUMER, parameters: [...key, token, JSON.stringify(state)] },
    ...(forgetsApplied ? [{ sql: DELETE_APPLIED, parameters: key }] : []),
    ...(notes.size === 0 ? [] : [DELETE_NOTES, WRITE_NOTES].map((sql) => ({ sql, parameters: [...key, written] }))),
  ]
}

function keptNote({ kept }: SqliteRow): ConsumerNote {
  return JSON.parse(String(kept))
}

function consumableNote(row: SqliteRow): ConsumableNote {
  const position = (column: string) => Number(row[column] ?? 0)
  return {
    ...storedNote(row),
    position: position('position'),
    visibleSince: position('visible_since'),
    vanishedSince: position('vanished_since'),
    changedAt: eachPart((part) => position(`${part}_at`)),
    kept: row['kept'] === null ? null : keptNote(row),
  }
}

const CHANGED_SINCE_CURSOR = `
  FROM notewire_mirror_notes AS note
  WHERE note.integration = asked.integration AND note.position > coalesce(consumer.state ->> 'cursor', 0)`

/** Parameters: integration, name. */
const CONSUMER = `
  FROM (SELECT ? AS integration, ? AS name) AS asked
  LEFT JOIN notewire_mirror_consumers AS consumer ON consumer.integration = asked.integration AND consumer.name = asked.name`

const KEPT_OF_CONSUMER = `
  FROM notewire_mirror_consumer_notes AS kept
  WHERE kept.integration = asked.integration AND kept.consumer = asked.name`

const READ_CONSUMER = `
  SELECT consumer.version, consumer.token, consumer.state,
    EXISTS (SELECT 1 ${CHANGED_SINCE_CURSOR}) AS has_changes,
    (SELECT min(due_at) ${KEPT_OF_CONSUMER} AND due_at IS NOT NULL) AS next_due_at
  ${CONSUMER}`

const COUNT = `
  SELECT (SELECT count(*) ${CHANGED_SINCE_CURSOR}) AS lag,
    (SELECT count(*) ${KEPT_OF_CONSUMER} AND due_at IS NOT NULL) AS waiting
  ${CONSUMER}`

const READ_KEPT = `
  CASE WHEN kept.since IS NOT NULL THEN json_object(
    'since', kept.since, 'attempts', kept.attempts, 'dueAt', kept.due_at, 'parkedAt', kept.parked_at,
    'error', CASE WHEN kept.error_name IS NOT NULL THEN json_object('name', kept.error_name, 'code', kept.error_code) END
  ) END AS kept`

const LIST_PARKED = `
  SELECT note_id, ${READ_KEPT} FROM notewire_mirror_consumer_notes AS kept
  WHERE integration = ? AND consumer = ? AND parked_at IS NOT NULL ORDER BY note_id`

const RETRY_PARKED = `
  UPDATE notewire_mirror_consumer_notes SET due_at = ?, attempts = 0, parked_at = NULL
  WHERE integration = ? AND consumer = ? AND parked_at IS NOT NULL RETURNING note_id`

const GUARD = `
  INSERT INTO notewire_mirror_conflicts (of)
  SELECT 'a consumer'
  WHERE coalesce((SELECT version FROM notewire_mirror_consumers WHERE integration = ? AND name = ?), 0) <> ?`

const WRITE_CONSUMER = `
  INSERT INTO notewire_mirror_consumers (integration, name, version, token, state) VALUES (?, ?, 1, ?, ?)
  ON CONFLICT (integration, name) DO UPDATE SET version = version + 1, token = excluded.token, state = excluded.state`

const RENEW = `
  UPDATE notewire_mirror_consumers SET state = json_set(state, '$.leaseUntil', ?)
  WHERE integration = ? AND name = ? AND token = ? AND state ->> 'leaseUntil' IS NOT NULL RETURNING name`

const DELETE_APPLIED = `
  DELETE FROM notewire_mirror_consumer_notes
  WHERE integration = ? AND consumer = ? AND due_at IS NULL AND parked_at IS NULL`

const DELETE_NOTES = `
  DELETE FROM notewire_mirror_consumer_notes
  WHERE integration = ? AND consumer = ? AND note_id IN (SELECT value ->> 'noteId' FROM json_each(?))`

const WRITE_NOTES = `
  INSERT INTO notewire_mirror_consumer_notes
    (integration, consumer, note_id, since, attempts, due_at, parked_at, error_name, error_code)
  SELECT ?, ?, value ->> 'noteId', value ->> 'since', value ->> 'attempts', value ->> 'dueAt', value ->> 'parkedAt',
    value ->> '$.error.name', value ->> '$.error.code'
  FROM json_each(?) WHERE value ->> 'since' IS NOT NULL`

const READ_CONSUMABLE = `
  ${READ_STATE}, ${READ_CONTENT}, ${READ_KEPT}, note.position, note.visible_since, note.vanished_since, note.statuses_at,
  content.title_at, content.content_at, content.transcript_at, content.summary_at`

const WITH_CONTENT = 'LEFT JOIN notewire_mirror_content AS content ON content.row_id = note.row_id'

const DUE = `
  SELECT 1 AS is_due, kept.due_at AS place, ${READ_CONSUMABLE} FROM notewire_mirror_consumer_notes AS kept
  CROSS JOIN notewire_mirror_notes AS note ON note.integration = kept.integration AND note.note_id = kept.note_id
  ${WITH_CONTENT}
  WHERE kept.integration = ? AND kept.consumer = ? AND kept.due_at <= ? AND coalesce(note.position, 0) <= ?
  ORDER BY kept.due_at, kept.note_id LIMIT ?`

const CHANGES = `
  SELECT 0 AS is_due, note.position AS place, ${READ_CONSUMABLE} FROM notewire_mirror_notes AS note
  ${WITH_CONTENT}
  LEFT JOIN notewire_mirror_consumer_notes AS kept
    ON kept.integration = note.integration AND kept.consumer = ? AND kept.note_id = note.note_id
  WHERE note.integration = ? AND note.position > ?
  ORDER BY note.position LIMIT ?`

// One statement reads one snapshot, and takes no lock.
const LIST = `
  SELECT * FROM (${DUE}) UNION ALL SELECT * FROM (${CHANGES})
  ORDER BY is_due, place, note_id`
