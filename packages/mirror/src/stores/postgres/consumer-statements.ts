import { isInTransaction, type PostgresQueries, type PostgresTransaction } from '@notewire/webhooks/storage'
import {
  type ConsumableNote,
  type ConsumableNotes,
  type ConsumerCommit,
  type ConsumerCommitResult,
  type ConsumerDescription,
  type ConsumerRecord,
  type ConsumerStore,
  NEW_CONSUMER,
} from '../../interfaces/consumer-store.ts'
import { escapedText } from '../escaped-text.ts'
import { type Answered, withState } from './answers.ts'
import { escapedJson, readEscapedJson } from './escaped-json.ts'
import { aheadOf } from './integration-functions.ts'
import { stateJson, timeIn } from './note-columns.ts'

/** Makes the store of consumers. Each operation is one statement, and `commitConsumerIn` is two. */
export function createConsumerStore(queries: PostgresQueries): ConsumerStore<PostgresTransaction> {
  async function ask<Answer>(operation: string, text: string, ...values: unknown[]): Promise<Answer> {
    const [row] = await queries.run<{ readonly result: string }>(operation, text, values)
    return readEscapedJson(row?.result ?? 'null') as Answer
  }
  const keyOf = (integration: string, name: string) => [escapedText(integration), escapedText(name)]

  return {
    async readConsumer(integration, name, now) {
      const found = await ask<ConsumerRecord>('readConsumer', READ_CONSUMER, ...keyOf(integration, name), now ?? null)
      return { ...found, state: found.state ?? NEW_CONSUMER }
    },
    async commitConsumer(integration, name, commit) {
      const values = [commitValue(integration, name, commit)]
      return commitResult((await queries.run<CommitRow>('commitConsumer', COMMIT, values))[0])
    },
    async commitConsumerIn(transaction, integration, name, commit) {
      const value = commitValue(integration, name, commit)
      return commitResult(await queries.runInTransaction<CommitRow>(transaction, COMMIT_IN, (id) => [value, id]))
    },
    async renewConsumer(integration, name, token, leaseUntil, now) {
      const values = [leaseUntil, now ?? null, ...keyOf(integration, name), token]
      return (await queries.run('renewConsumer', RENEW, values)).length === 1 ? 'renewed' : 'lost'
    },
    async listConsumable(integration, name, { after, now, dueBy = now, limit }) {
      const [ofIntegration, consumer] = keyOf(integration, name)
      const values = [ofIntegration, after, limit, ofIntegration, consumer, dueBy, now, after, limit, consumer]
      const { changes, due } = await ask<ConsumableAnswer>('listConsumable', LIST, ...values)
      return { changes: changes.map(withState), due: due.map(withState) }
    },
    describeConsumer: (integration, name) =>
      ask<ConsumerDescription>('describeConsumer', DESCRIBE, ...keyOf(integration, name)),
    async retryParked(integration, name, now) {
      return (await queries.run('retryParked', RETRY_PARKED, [now, ...keyOf(integration, name)])).length
    },
  }
}

function commitValue(integration: string, name: string, { notes, ...commit }: ConsumerCommit): string {
  return escapedJson({
    integration,
    name,
    ...commit,
    notes: [...notes].map(([noteId, note]) => ({ noteId, isKept: note !== null, ...note })),
  })
}

interface CommitRow {
  readonly result: ConsumerCommitResult
}

function commitResult(row: CommitRow | undefined): ConsumerCommitResult {
  return row?.result ?? 'lost'
}

type ConsumableAnswer = { readonly [Kind in keyof ConsumableNotes]: readonly Answered<ConsumableNote>[] }

/** Parameters: integration, name. */
const asked = (ahead: string) => `
  FROM (SELECT $1::text AS integration, $2::text AS name, ${ahead} AS ahead) AS asked
  LEFT JOIN notewire_mirror_consumers AS consumers
    ON consumers.integration = asked.integration AND consumers.name = asked.name`

const CHANGED_SINCE_CURSOR = `
  FROM notewire_mirror_notes AS notes
  WHERE notes.integration = asked.integration AND notes.position > 0
    AND notes.position > coalesce((consumers.state->>'cursor')::bigint, 0)`

const KEPT = `
  FROM notewire_mirror_consumer_notes AS kept
  WHERE kept.integration = asked.integration AND kept.consumer = asked.name`

/** SQL for a state whose times are moved from one clock to another. */
function shiftedState(state: string, by: string): string {
  const times = ['dueAt', 'leaseUntil'].map((field) => `'${field}', (${state}->>'${field}')::float8 ${by}`)
  return `${state} || jsonb_build_object(${times.join(', ')})`
}

/** Parameters: integration, name, present. */
const READ_CONSUMER = `SELECT json_build_object(
    'state', ${shiftedState('consumers.state', '- asked.ahead')}, 'version', coalesce(consumers.version, 0), 'token', coalesce(consumers.token, 0),
    'hasChanges', EXISTS (SELECT ${CHANGED_SINCE_CURSOR}),
    'nextDueAt', (SELECT ${timeIn('min(due_at)')} ${KEPT}) - asked.ahead)::text AS result ${asked(aheadOf('$3::float8'))}`

const KEPT_FIELDS = `
  'since', kept.since, 'attempts', kept.attempts, 'dueAt', ${timeIn('kept.due_at')}, 'parkedAt', ${timeIn('kept.parked_at')},
  'error', CASE WHEN kept.error_name IS NOT NULL
    THEN json_build_object('name', kept.error_name, 'code', kept.error_code) END`

const DESCRIBE = `SELECT json_build_object(
    'lag', (SELECT count(*) ${CHANGED_SINCE_CURSOR}),
    'waiting', (SELECT count(due_at) ${KEPT}),
    'parked', (SELECT coalesce(json_agg(json_build_object('noteId', kept.note_id, ${KEPT_FIELDS}) ORDER BY kept.note_id), '[]')
      ${KEPT} AND kept.parked_at IS NOT NULL))::text AS result ${asked('0')}`

const RETRY_PARKED = `UPDATE notewire_mirror_consumer_notes
  SET due_at = notewire_integrations_now_1($1), attempts = 0, parked_at = NULL
  WHERE integration = $2 AND consumer = $3 AND parked_at IS NOT NULL RETURNING 1`

const RENEW = `UPDATE notewire_mirror_consumers SET state = jsonb_set(state, '{leaseUntil}', to_jsonb($1::float8 + ${aheadOf('$2::float8')}))
  WHERE integration = $3 AND name = $4 AND token = $5 AND state->>'leaseUntil' IS NOT NULL RETURNING 1`

/** Parameter: one commit, as JSON. */
// The upsert compares the version under the lock of the existing row, so that only one of two processes writes. ARRAY, LIMIT and the scalar
// subquery make PostgreSQL find rows by their index: without statistics, it would read all notes of all consumers.
const commitStatement = (condition: string) => `
WITH given AS (
  SELECT given.*, ${aheadOf('given.now')} AS ahead FROM jsonb_to_record($1::jsonb)
    AS given (integration text, name text, "expectedVersion" bigint, token bigint, state jsonb, notes jsonb,
      "forgetsApplied" boolean, now float8) WHERE ${condition}
), written AS (
  INSERT INTO notewire_mirror_consumers AS consumers (integration, name, version, token, state)
    SELECT integration, name, 1, token, ${shiftedState('state', '+ ahead')} FROM given
      WHERE "expectedVersion" = 0 OR (
        SELECT true FROM notewire_mirror_consumers AS known
          WHERE known.integration = given.integration AND known.name = given.name)
    ON CONFLICT (integration, name) DO UPDATE SET
      version = consumers.version + 1, token = excluded.token, state = excluded.state
      WHERE consumers.version = (SELECT "expectedVersion" FROM given)
    RETURNING integration, name
), notes AS (
  SELECT written.integration, written.name, given.ahead, note.* FROM written, given, jsonb_to_recordset(given.notes) AS note (
    "noteId" text, "isKept" boolean, since bigint, attempts bigint, "dueAt" float8, "parkedAt" float8, error jsonb)
), forgotten AS (
  DELETE FROM notewire_mirror_consumer_notes AS kept USING written
    WHERE kept.integration = written.integration AND kept.consumer = written.name
      AND kept.note_id = ANY (ARRAY(SELECT "noteId" FROM notes WHERE NOT "isKept"))
), applied AS (
  DELETE FROM notewire_mirror_consumer_notes AS kept
    USING (SELECT written.* FROM written, given WHERE given."forgetsApplied" LIMIT 1) AS forgetting
    WHERE kept.integration = forgetting.integration AND kept.consumer = forgetting.name
      AND kept.due_at IS NULL AND kept.parked_at IS NULL AND kept.note_id NOT IN (SELECT "noteId" FROM notes)
), kept AS (
  INSERT INTO notewire_mirror_consumer_notes
      (integration, consumer, note_id, since, attempts, due_at, parked_at, error_name, error_code)
    SELECT integration, name, "noteId", since, attempts, to_timestamp(("dueAt" + ahead) / 1000), to_timestamp(("parkedAt" + ahead) / 1000),
        error->>'name', error->>'code'
      FROM notes WHERE "isKept"
    ON CONFLICT (integration, consumer, note_id) DO UPDATE SET
      since = excluded.since, attempts = excluded.attempts, due_at = excluded.due_at, parked_at = excluded.parked_at,
      error_name = excluded.error_name, error_code = excluded.error_code
)
SELECT CASE WHEN EXISTS (SELECT FROM written) THEN 'committed' ELSE 'lost' END AS result FROM given`

const COMMIT = commitStatement('true')
/** Parameters: one commit, as JSON, and the ID of the transaction. Writes nothing and returns no row in another transaction. */
const COMMIT_IN = commitStatement(isInTransaction('$2'))

const CONSUMABLE = `json_build_object(
    'state', ${stateJson('notes')}, 'note', content.note, 'transcript', content.transcript, 'summary', content.summary,
    'position', notes.position, 'visibleSince', notes.visible_since, 'vanishedSince', notes.vanished_since,
    'changedAt', json_build_object('title', notes.title_at, 'content', notes.content_at, 'transcript', notes.transcript_at,
      'summary', notes.summary_at, 'statuses', notes.statuses_at),
    'kept', CASE WHEN kept.since IS NOT NULL THEN json_build_object(${KEPT_FIELDS}) END)`

const CONTENT = `LEFT JOIN notewire_mirror_content AS content
  ON content.integration = notes.integration AND content.note_id = notes.note_id`

/** Parameters: integration, cursor, limit; integration, name, time, present, cursor, limit; name. */
// Each page is limited before content is joined, as in LIST_NOTES. LIMIT 1 makes PostgreSQL look up the consumer's row of a note by its index.
// Without statistics, it would compare each note with all rows of the consumer, which are many during a first listing.
const LIST = `
WITH changes AS (
  SELECT notes.* FROM notewire_mirror_notes AS notes
    WHERE notes.integration = $1 AND notes.position > $2 AND notes.position > 0 ORDER BY notes.position LIMIT $3
), due AS (
  SELECT kept.* FROM notewire_mirror_consumer_notes AS kept
    JOIN notewire_mirror_notes AS notes ON notes.integration = kept.integration AND notes.note_id = kept.note_id
    WHERE kept.integration = $4 AND kept.consumer = $5 AND kept.due_at <= to_timestamp(($6::float8 + (SELECT ${aheadOf('$7::float8')})) / 1000)
      AND notes.position <= $8
    ORDER BY kept.due_at, kept.note_id LIMIT $9
)
SELECT json_build_object(
  'changes', (SELECT coalesce(json_agg(${CONSUMABLE} ORDER BY notes.position), '[]')
    FROM changes AS notes ${CONTENT}
    LEFT JOIN LATERAL (
      SELECT * FROM notewire_mirror_consumer_notes AS kept
        WHERE kept.integration = notes.integration AND kept.consumer = $10 AND kept.note_id = notes.note_id LIMIT 1
    ) AS kept ON true),
  'due', (SELECT coalesce(json_agg(${CONSUMABLE} ORDER BY kept.due_at, kept.note_id), '[]')
    FROM due AS kept
    JOIN notewire_mirror_notes AS notes ON notes.integration = kept.integration AND notes.note_id = kept.note_id ${CONTENT})
)::text AS result`
