import type { SqliteDriver, SqliteRow, SqliteStatement, SqliteValue } from '@notewire/webhooks/storage'
import {
  type ConsumableNote,
  type ConsumerCommit,
  type ConsumerNote,
  type ConsumerRecord,
  type ConsumerStore,
  NEW_CONSUMER,
} from '../../consumers/consumer-store.ts'
import { eachPart, NOTE_PARTS } from '../../notes/note-parts.ts'
import { escapedJson, escapedText, readEscapedJson } from '../escaped-text.ts'
import { isConflict } from './committing.ts'
import { READ_CONTENT, storedNote } from './content-columns.ts'
import type { ErasingDatabase } from './database.ts'
import { READ_STATE } from './note-columns.ts'

export function createConsumerStore<Transaction>(
  database: ErasingDatabase,
  driver: SqliteDriver<Transaction>,
): ConsumerStore<Transaction> {
  const batchIn = driver.batchIn?.bind(driver)
  const read = (sql: string, ...parameters: readonly SqliteValue[]) => database.read({ sql, parameters })
  const keyOf = (integration: string, name: string) => [escapedText(integration), escapedText(name)] as const

  return {
    takesTransactions: batchIn !== undefined,

    async listConsumers(integration, { name, isDetailed = false }) {
      const key = [escapedText(integration), name === undefined ? null : escapedText(name)] as const
      const rows = await read(LIST_CONSUMERS, ...key, isDetailed ? 1 : 0)
      const found = rows.map(({ result }) => readEscapedJson(String(result)) as ConsumerRecord)
      return found.map((record) => ({ ...record, state: record.state ?? NEW_CONSUMER }))
    },

    commitConsumer(integration, name, commit, transaction) {
      const key = keyOf(integration, name)
      if ('leaseUntil' in commit) {
        const renew = { sql: RENEW, parameters: [commit.leaseUntil, ...key, commit.token] }
        return database.run([renew], 'process').then(([rows]) => (rows?.length === 1 ? 'committed' : 'lost'))
      }
      const statements = commitStatements(key, commit)
      if (transaction === undefined) return database.run(statements, 'process').then(committed, lostOrThrow)
      try {
        batchIn?.(transaction, statements)
        return 'committed'
      } catch (error) {
        return lostOrThrow(error)
      }
    },

    async listConsumable(integration, name, { after, dueBy, limit }) {
      const key = keyOf(integration, name)
      const [ofIntegration, consumer] = key
      const rows = await read(LIST, ...key, dueBy, after, limit, consumer, ofIntegration, after, limit)
      return {
        due: rows.filter(({ is_due }) => is_due === 1).map(consumableNote),
        changes: rows.filter(({ is_due }) => is_due === 0).map(consumableNote),
      }
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
  const written = escapedJson([...notes])
  return [
    { sql: GUARD, parameters: [...key, expectedVersion] },
    { sql: WRITE_CONSUMER, parameters: [...key, token, escapedJson(state)] },
    ...(forgetsApplied ? [{ sql: DELETE_APPLIED, parameters: key }] : []),
    ...(notes.size === 0 ? [] : [DELETE_NOTES, WRITE_NOTES].map((sql) => ({ sql, parameters: [...key, written] }))),
  ]
}

function consumableNote(row: SqliteRow): ConsumableNote {
  const position = (column: string) => Number(row[column] ?? 0)
  return {
    ...storedNote(row),
    position: position('position'),
    visiblePosition: position('visible_since'),
    vanishedPosition: position('vanished_since'),
    changedPositions: eachPart((part) => position(`${part}_at`)),
    kept: row['kept'] === null ? null : (readEscapedJson(String(row['kept'])) as ConsumerNote),
  }
}

const CHANGED_SINCE_CURSOR = `
  FROM notewire_mirror_notes AS note
  WHERE note.integration = asked.integration AND note.position > coalesce(consumer.state ->> 'cursor', 0)`

const KEPT_OF_CONSUMER = `
  FROM notewire_mirror_consumer_notes AS kept
  WHERE kept.integration = asked.integration AND kept.consumer = asked.name`

/** Parameters: integration, name or NULL, whether to read the notes. */
const LIST_CONSUMERS = `
  WITH given (integration, only_name, is_detailed) AS (VALUES (?, ?, ?)),
  asked (integration, name) AS (
    SELECT integration, only_name FROM given WHERE only_name IS NOT NULL
    UNION ALL
    SELECT known.integration, known.name FROM given
    CROSS JOIN notewire_mirror_consumers AS known ON known.integration = given.integration WHERE only_name IS NULL
  )
  SELECT json_object(
    'name', asked.name, 'version', coalesce(consumer.version, 0), 'token', coalesce(consumer.token, 0), 'state', json(consumer.state),
    'hasChanges', json(iif(EXISTS (SELECT 1 ${CHANGED_SINCE_CURSOR}), 'true', 'false')),
    'nextDueAt', (SELECT min(due_at) ${KEPT_OF_CONSUMER} AND due_at IS NOT NULL),
    'notes', json(CASE WHEN (SELECT is_detailed FROM given) THEN json_object(
      'lag', (SELECT count(*) ${CHANGED_SINCE_CURSOR}),
      'waiting', (SELECT count(due_at) ${KEPT_OF_CONSUMER}),
      'parked', json((SELECT json_group_array(json_set(note, '$.noteId', note_id)) FROM (
        SELECT * ${KEPT_OF_CONSUMER} AND note ->> 'parkedAt' IS NOT NULL ORDER BY note_id)))) END)) AS result
  FROM asked
  LEFT JOIN notewire_mirror_consumers AS consumer ON consumer.integration = asked.integration AND consumer.name = asked.name
  ORDER BY asked.name`

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
  WHERE integration = ? AND consumer = ? AND due_at IS NULL AND note ->> 'parkedAt' IS NULL`

const DELETE_NOTES = `
  DELETE FROM notewire_mirror_consumer_notes
  WHERE integration = ? AND consumer = ? AND note_id IN (SELECT value ->> 0 FROM json_each(?))`

const WRITE_NOTES = `
  INSERT INTO notewire_mirror_consumer_notes (integration, consumer, note_id, note)
  SELECT ?, ?, value ->> 0, value ->> 1 FROM json_each(?) WHERE value ->> 1 IS NOT NULL`

const READ_CONSUMABLE = `
  ${READ_STATE}, ${READ_CONTENT}, kept.note AS kept, note.position, note.visible_since, note.vanished_since,
  ${NOTE_PARTS.map((part) => `note.${part}_at`).join(', ')}`

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
