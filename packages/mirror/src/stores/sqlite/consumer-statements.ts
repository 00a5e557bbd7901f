import type { SqliteDriver, SqliteRow, SqliteStatement, SqliteValue } from '@notewire/storage'
import type { ConsumableNote, ConsumerCommit, ConsumerNote, ConsumerStore } from '../../consumers/consumer-store.ts'
import { eachPart, NOTE_PARTS } from '../../notes/note-parts.ts'
import { escapedJson, escapedText, readEscapedJson } from '../escaped-text.ts'
import { listConsumers, renewConsumer } from '../sql/listing-consumers.ts'
import type { SqlDatabase } from '../sql/sql-database.ts'
import { isConflict } from './committing.ts'
import { READ_CONTENT, storedNote } from './content-columns.ts'
import type { ErasingDatabase } from './database.ts'
import { READ_STATE } from './note-columns.ts'

export function createConsumerStore<Transaction>(
  database: ErasingDatabase,
  driver: SqliteDriver<Transaction>,
  statements: SqlDatabase,
): ConsumerStore<Transaction> {
  const batchIn = driver.batchIn?.bind(driver)
  const read = (sql: string, ...parameters: readonly SqliteValue[]) => database.read({ sql, parameters })
  const keyOf = (integration: string, name: string) => [escapedText(integration), escapedText(name)] as const

  return {
    takesTransactions: batchIn !== undefined,

    listConsumers: (integration, request) => listConsumers(statements, integration, request),

    commitConsumer(integration, name, commit, transaction) {
      if ('leaseUntil' in commit) {
        return renewConsumer(statements, integration, name, commit).then((isHeld) => (isHeld ? 'committed' : 'lost'))
      }
      const key = keyOf(integration, name)
      const writes = commitStatements(key, commit)
      if (transaction === undefined) return database.run(writes, 'process').then(committed, lostOrThrow)
      try {
        batchIn?.(transaction, writes)
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

const GUARD = `
  INSERT INTO notewire_mirror_conflicts (of)
  SELECT 'a consumer'
  WHERE coalesce((SELECT version FROM notewire_mirror_consumers WHERE integration = ? AND name = ?), 0) <> ?`

const WRITE_CONSUMER = `
  INSERT INTO notewire_mirror_consumers (integration, name, version, token, state) VALUES (?, ?, 1, ?, ?)
  ON CONFLICT (integration, name) DO UPDATE SET version = version + 1, token = excluded.token, state = excluded.state`

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
