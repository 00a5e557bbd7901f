import { isInTransaction, type PostgresQueries, type PostgresTransaction } from '@notewire/webhooks/storage'
import {
  type ConsumableNote,
  type ConsumerCommit,
  type ConsumerCommitResult,
  type ConsumerRecord,
  type ConsumerStore,
  NEW_CONSUMER,
} from '../../consumers/consumer-store.ts'
import { escapedJson, escapedText, readEscapedJson } from '../escaped-text.ts'
import { type StoredState, withState } from '../state-json.ts'
import { stateOf } from './note-columns.ts'

/** Makes the store of consumers. Each operation is one statement, and a commit in the user's transaction is two. */
export function createConsumerStore(queries: PostgresQueries): ConsumerStore<PostgresTransaction> {
  async function ask<Answer>(operation: string, text: string, ...values: unknown[]): Promise<readonly Answer[]> {
    const rows = await queries.run<{ readonly result: string }>(operation, text, values)
    return rows.map(({ result }) => readEscapedJson(result) as Answer)
  }
  const keyOf = (integration: string, name: string) => [escapedText(integration), escapedText(name)]

  return {
    takesTransactions: true,
    async listConsumers(integration, { name, isDetailed = false }) {
      const only = name === undefined ? null : escapedText(name)
      const values = [escapedText(integration), only, isDetailed]
      const found = await ask<ConsumerRecord>('listConsumers', LIST_CONSUMERS, ...values)
      return found.map((record) => ({ ...record, state: record.state ?? NEW_CONSUMER }))
    },
    async commitConsumer(integration, name, commit, transaction) {
      if ('leaseUntil' in commit) {
        const values = [commit.leaseUntil, ...keyOf(integration, name), commit.token]
        return (await queries.run('commitConsumer', RENEW, values)).length === 1 ? 'committed' : 'lost'
      }
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
      const [found] = await ask<StoredConsumable>('listConsumable', LIST, ...values)
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

const CHANGED_SINCE_CURSOR = `
  FROM notewire_mirror_notes AS notes
  WHERE notes.integration = asked.integration AND notes.position > 0
    AND notes.position > coalesce((consumers.state->>'cursor')::bigint, 0)`

const KEPT = `
  FROM notewire_mirror_consumer_notes AS kept
  WHERE kept.integration = asked.integration AND kept.consumer = asked.name`

/** Parameters: integration, name or NULL, whether to read the notes. */
const LIST_CONSUMERS = `SELECT json_build_object(
    'name', asked.name, 'state', consumers.state,
    'version', coalesce(consumers.version, 0), 'token', coalesce(consumers.token, 0),
    'hasChanges', EXISTS (SELECT ${CHANGED_SINCE_CURSOR}),
    'nextDueAt', (SELECT min(due_at) ${KEPT}),
    'notes', CASE WHEN asked.is_detailed THEN json_build_object(
      'lag', (SELECT count(*) ${CHANGED_SINCE_CURSOR}),
      'waiting', (SELECT count(due_at) ${KEPT}),
      'parked', (SELECT coalesce(json_agg(kept.note || jsonb_build_object('noteId', kept.note_id) ORDER BY kept.note_id), '[]')
        ${KEPT} AND kept.note->>'parkedAt' IS NOT NULL)) END)::text AS result
  FROM (
    SELECT given.integration, names.name COLLATE "C" AS name, given.is_detailed
      FROM (SELECT $1::text AS integration, $2::text AS only_name, $3::boolean AS is_detailed) AS given,
      LATERAL (
        SELECT given.only_name AS name WHERE given.only_name IS NOT NULL
        UNION ALL SELECT known.name FROM notewire_mirror_consumers AS known
          WHERE given.only_name IS NULL AND known.integration = given.integration
      ) AS names
  ) AS asked
  LEFT JOIN notewire_mirror_consumers AS consumers
    ON consumers.integration = asked.integration AND consumers.name = asked.name
  ORDER BY asked.name`

/** Parameters: end of the lease, integration, name, token. */
const RENEW = `UPDATE notewire_mirror_consumers SET state = jsonb_set(state, '{leaseUntil}', to_jsonb($1::float8))
  WHERE integration = $2 AND name = $3 AND token = $4 AND state->>'leaseUntil' IS NOT NULL RETURNING 1`

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
    'state', ${stateOf('notes')}, 'note', content.note, 'transcript', content.transcript, 'summary', content.summary,
    'position', notes.position, 'visiblePosition', notes.visible_since, 'vanishedPosition', notes.vanished_since,
    'changedPositions', json_build_object('title', notes.title_at, 'content', notes.content_at, 'transcript', notes.transcript_at,
      'summary', notes.summary_at, 'statuses', notes.statuses_at),
    'kept', kept.note)`

const CONTENT = `LEFT JOIN notewire_mirror_content AS content
  ON content.integration = notes.integration AND content.note_id = notes.note_id`

/** Parameters: integration, cursor, limit; integration, name, time, cursor, limit; name. */
// Each page is limited before content is joined, as in LIST_NOTES. LIMIT 1 makes PostgreSQL look up the consumer's row of a note by its index.
// Without statistics, it would compare each note with all rows of the consumer, which are many during a first listing.
const LIST = `
WITH changes AS (
  SELECT notes.* FROM notewire_mirror_notes AS notes
    WHERE notes.integration = $1 AND notes.position > $2 AND notes.position > 0 ORDER BY notes.position LIMIT $3
), due AS (
  SELECT kept.* FROM notewire_mirror_consumer_notes AS kept
    JOIN notewire_mirror_notes AS notes ON notes.integration = kept.integration AND notes.note_id = kept.note_id
    WHERE kept.integration = $4 AND kept.consumer = $5 AND kept.due_at <= $6::float8
      AND notes.position <= $7
    ORDER BY kept.due_at, kept.note_id LIMIT $8
)
SELECT json_build_object(
  'changes', (SELECT coalesce(json_agg(${CONSUMABLE} ORDER BY notes.position), '[]')
    FROM changes AS notes ${CONTENT}
    LEFT JOIN LATERAL (
      SELECT * FROM notewire_mirror_consumer_notes AS kept
        WHERE kept.integration = notes.integration AND kept.consumer = $9 AND kept.note_id = notes.note_id LIMIT 1
    ) AS kept ON true),
  'due', (SELECT coalesce(json_agg(${CONSUMABLE} ORDER BY kept.due_at, kept.note_id), '[]')
    FROM due AS kept
    JOIN notewire_mirror_notes AS notes ON notes.integration = kept.integration AND notes.note_id = kept.note_id ${CONTENT})
)::text AS result`
