import type { Sql } from 'sql-template-tag'
import {
  type ConsumerRecord,
  type ConsumersRequest,
  type LeaseRenewal,
  NEW_CONSUMER,
} from '../../consumers/consumer-store.ts'
import { resultOf, sql } from './sql.ts'
import type { Dialect, SqlDatabase } from './sql-database.ts'

interface StoredConsumer extends Omit<ConsumerRecord, 'state' | 'hasChanges'> {
  readonly state: ConsumerRecord['state'] | null
  readonly hasChanges: 0 | 1
}

/** Lists the consumers of an integration by name. */
export async function listConsumers(
  { dialect, read }: SqlDatabase,
  integration: string,
  request: ConsumersRequest,
): Promise<readonly ConsumerRecord[]> {
  const found = await read<StoredConsumer>('listConsumers', listStatement(integration, request, dialect))
  return found.map(({ state, hasChanges, ...record }) => ({
    ...record,
    state: state ?? NEW_CONSUMER,
    hasChanges: hasChanges === 1,
  }))
}

/** Renews the lease of a consumer that was taken with a token, and returns whether it was neither released nor taken again. */
export async function renewConsumer(
  { dialect, write }: SqlDatabase,
  integration: string,
  name: string,
  { token, leaseUntil }: LeaseRenewal,
): Promise<boolean> {
  const state = dialect.withFields(sql`state`, { leaseUntil: sql`CAST(${leaseUntil} AS numeric)` })
  const statement = sql`UPDATE notewire_mirror_consumers SET state = ${state}
    WHERE integration = ${integration} AND name = ${name} AND token = ${token} AND state ->> 'leaseUntil' IS NOT NULL
    RETURNING '1' AS result`
  return (await write('commitConsumer', statement, 'process')).length === 1
}

function listStatement(integration: string, { name, isDetailed = false }: ConsumersRequest, dialect: Dialect): Sql {
  const { json, object } = dialect
  const changes = sql`FROM notewire_mirror_notes AS note WHERE note.integration = ${integration} AND note.position > 0
    AND note.position > CAST(coalesce(consumer.state ->> 'cursor', '0') AS bigint)`
  const kept = sql`FROM notewire_mirror_consumer_notes AS kept WHERE kept.integration = ${integration} AND kept.consumer = asked.name`
  const row = object({
    name: sql`asked.name`,
    version: sql`coalesce(consumer.version, 0)`,
    token: sql`coalesce(consumer.token, 0)`,
    state: json(sql`consumer.state`),
    hasChanges: sql`CASE WHEN EXISTS (SELECT 1 ${changes}) THEN 1 ELSE 0 END`,
    nextDueAt: sql`(SELECT min(kept.due_at) ${kept} AND kept.due_at IS NOT NULL)`,
    notes: isDetailed ? notesOf({ changes, kept }, dialect) : sql`NULL`,
  })
  const names =
    name === undefined
      ? sql`SELECT name FROM notewire_mirror_consumers WHERE integration = ${integration}`
      : sql`SELECT CAST(${name} AS text) AS name`
  return sql`SELECT ${resultOf(row)} FROM (${names}) AS asked
    LEFT JOIN notewire_mirror_consumers AS consumer ON consumer.integration = ${integration} AND consumer.name = asked.name
    ORDER BY asked.name`
}

/** The fields of `ConsumerNotes`. */
function notesOf(
  { changes, kept }: Readonly<Record<'changes' | 'kept', Sql>>,
  { arrayOf, object, withFields }: Dialect,
): Sql {
  const parked = withFields(sql`kept.note`, { noteId: sql`kept.note_id` })
  return object({
    lag: sql`(SELECT count(*) ${changes})`,
    waiting: sql`(SELECT count(kept.due_at) ${kept})`,
    parked: arrayOf(
      sql`SELECT ${parked} AS item ${kept} AND kept.note ->> 'parkedAt' IS NOT NULL ORDER BY kept.note_id`,
    ),
  })
}
