import { isInTransaction, type PostgresQueries, type PostgresTransaction } from '@notewire/storage'
import type {
  ConsumableNote,
  ConsumerCommit,
  ConsumerCommitResult,
  ConsumerStore,
} from '../../consumers/consumer-store.ts'
import { escapedJson, escapedText } from '../escaped-text.ts'
import { listConsumers, renewConsumer } from '../sql/listing-consumers.ts'
import { storedState } from '../sql/note-states.ts'
import { type StoredState, withState } from '../state-json.ts'
import { dialect } from './dialect.ts'
import type { TimedDatabase } from './timed-database.ts'

/** Makes the store of consumers. Each operation is one statement, and a commit in the user's transaction is two. */
export function createConsumerStore(
  queries: PostgresQueries,
  database: TimedDatabase,
): ConsumerStore<PostgresTransaction> {
  const keyOf = (integration: string, name: string) => [escapedText(integration), escapedText(name)]

  return {
    takesTransactions: true,
    listConsumers: (integration, request) => listConsumers(database, integration, request),
    async commitConsumer(integration, name, commit, transaction) {
      if ('leaseUntil' in commit)
        return (await renewConsumer(database, integration, name, commit)) ? 'committed' : 'lost'
      const value = commitValue(integration, name, commit)
      const row =
        transaction === undefined
          ? (await queries.run<CommitRow>('commitConsumer', COMMIT, [value]))[0]
          : await queries.runInTransaction<CommitRow>(transaction, COMMIT_IN, (id) => [value, id])
      return row?.result ?? 'lost'
    },
    async listConsumable(integration, name, { after, dueBy, limit }) {
      const [ofIntegration, consumer] = keyOf(integration, name)
      const values = [ofIntegration, after, limit, ofIntegration, consumer, dueBy, after, limit, consumer]
      const [found] = await database.ask<StoredConsumable>('listConsumable', LIST, ...values)
      return { changes: found?.changes.map(withState) ?? [], due: found?.due.map(withState) ?? [] }
    },
  }
}

function commitValue(integration: string, name: string, { notes, ...commit }: ConsumerCommit): string {
  return escapedJson({
    integration,
    name,
    ...commit,
    notes: [...notes].map(([noteId, note]) => ({ noteId, note })),
  })
}

interface StoredConsumable {
  readonly changes: readonly StoredState<ConsumableNote>[]
  readonly due: readonly StoredState<ConsumableNote>[]
}

interface CommitRow {
  readonly result: ConsumerCommitResult
}

/** Parameter: one commit, as JSON. */
// The upsert compares the version under the lock of the existing row, so that only one of two processes writes. ARRAY, LIMIT and the scalar
// subquery make PostgreSQL find rows by their index: without statistics, it would read all notes of all consumers.
const commitStatement = (condition: string) => `
WITH given AS (
  SELECT given.* FROM jsonb_to_record($1::jsonb)
    AS given (integration text, name text, "expectedVersion" bigint, token bigint, state jsonb, notes jsonb,
      "forgetsApplied" boolean) WHERE ${condition}
), written AS (
  INSERT INTO notewire_mirror_consumers AS consumers (integration, name, version, token, state)
    SELECT integration, name, 1, token, state FROM given
      WHERE "expectedVersion" = 0 OR (
        SELECT true FROM notewire_mirror_consumers AS known
          WHERE known.integration = given.integration AND known.name = given.name)
    ON CONFLICT (integration, name) DO UPDATE SET
      version = consumers.version + 1, token = excluded.token, state = excluded.state
      WHERE consumers.version = (SELECT "expectedVersion" FROM given)
    RETURNING integration, name
), notes AS (
  SELECT written.integration, written.name, note.* FROM written, given, jsonb_to_recordset(given.notes) AS note ("noteId" text, note jsonb)
), forgotten AS (
  DELETE FROM notewire_mirror_consumer_notes AS kept USING written
    WHERE kept.integration = written.integration AND kept.consumer = written.name
      AND kept.note_id = ANY (ARRAY(SELECT "noteId" FROM notes WHERE note IS NULL))
), applied AS (
  DELETE FROM notewire_mirror_consumer_notes AS kept
    USING (SELECT written.* FROM written, given WHERE given."forgetsApplied" LIMIT 1) AS forgetting
    WHERE kept.integration = forgetting.integration AND kept.consumer = forgetting.name
      AND kept.due_at IS NULL AND kept.note->>'parkedAt' IS NULL AND kept.note_id NOT IN (SELECT "noteId" FROM notes)
), kept AS (
  INSERT INTO notewire_mirror_consumer_notes (integration, consumer, note_id, note)
    SELECT integration, name, "noteId", note FROM notes WHERE note IS NOT NULL
    ON CONFLICT (integration, consumer, note_id) DO UPDATE SET note = excluded.note
)
SELECT CASE WHEN EXISTS (SELECT FROM written) THEN 'committed' ELSE 'lost' END AS result FROM given`

const COMMIT = commitStatement('true')
/** Parameters: one commit, as JSON, and the ID of the transaction. Writes nothing and returns no row in another transaction. */
const COMMIT_IN = commitStatement(isInTransaction('$2'))

const CONSUMABLE = `json_build_object(
    'state', ${storedState(dialect).sql}, 'note', content.note, 'transcript', content.transcript, 'summary', content.summary,
    'position', note.position, 'visiblePosition', note.visible_since, 'vanishedPosition', note.vanished_since,
    'changedPositions', json_build_object('title', note.title_at, 'content', note.content_at, 'transcript', note.transcript_at,
      'summary', note.summary_at, 'statuses', note.statuses_at),
    'kept', kept.note)`

const CONTENT = `LEFT JOIN notewire_mirror_content AS content
  ON content.integration = note.integration AND content.note_id = note.note_id`

/** Parameters: integration, cursor, limit; integration, name, time, cursor, limit; name. */
// Each page is limited before content is joined, as in LIST_NOTES. LIMIT 1 makes PostgreSQL look up the consumer's row of a note by its index.
// Without statistics, it would compare each note with all rows of the consumer, which are many during a first listing.
const LIST = `
WITH changes AS (
  SELECT note.* FROM notewire_mirror_notes AS note
    WHERE note.integration = $1 AND note.position > $2 AND note.position > 0 ORDER BY note.position LIMIT $3
), due AS (
  SELECT kept.* FROM notewire_mirror_consumer_notes AS kept
    JOIN notewire_mirror_notes AS note ON note.integration = kept.integration AND note.note_id = kept.note_id
    WHERE kept.integration = $4 AND kept.consumer = $5 AND kept.due_at <= $6::float8
      AND note.position <= $7
    ORDER BY kept.due_at, kept.note_id LIMIT $8
)
SELECT json_build_object(
  'changes', (SELECT coalesce(json_agg(${CONSUMABLE} ORDER BY note.position), '[]')
    FROM changes AS note ${CONTENT}
    LEFT JOIN LATERAL (
      SELECT * FROM notewire_mirror_consumer_notes AS kept
        WHERE kept.integration = note.integration AND kept.consumer = $9 AND kept.note_id = note.note_id LIMIT 1
    ) AS kept ON true),
  'due', (SELECT coalesce(json_agg(${CONSUMABLE} ORDER BY kept.due_at, kept.note_id), '[]')
    FROM due AS kept
    JOIN notewire_mirror_notes AS note ON note.integration = kept.integration AND note.note_id = kept.note_id ${CONTENT})
)::text AS result`
