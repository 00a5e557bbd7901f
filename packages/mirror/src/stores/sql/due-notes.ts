import { empty, type Sql } from 'sql-template-tag'
import { escapedJson } from '../escaped-text.ts'
import type { DueNotes, DueRequest, VersionedState } from '../mirror-store.ts'
import { type StoredState, withState } from '../state-json.ts'
import { versionedState } from './note-states.ts'
import { constant, resultOf, sql } from './sql.ts'
import { type Dialect, readOne, type SqlDatabase } from './sql-database.ts'

interface StoredDue extends Omit<DueNotes, 'notes'> {
  readonly notes: readonly StoredState<VersionedState>[]
}

/** Reads due notes, those that must be read again first, then the most overdue. Waits for no lock. */
export async function readDue(database: SqlDatabase, integration: string, request: DueRequest): Promise<DueNotes> {
  const statement = dueStatement(integration, request, database.dialect)
  const due = await readOne<StoredDue>(database, 'readDue', statement)
  return { ...due, notes: due.notes.map(withState) }
}

// One statement reads the notes and the sequence as of the same moment: a hint that it sees has a sequence number that is not greater. Of each kind it
// reads the beginning of an index.
function dueStatement(integration: string, { dueBy, limit, except = [] }: DueRequest, dialect: Dialect): Sql {
  const { arrayOf, isDirty, milliseconds, object, sequenceOf, textsIn, timestamp } = dialect
  const isLeftOut = except.length === 0 ? empty : sql`AND note_id NOT IN (${textsIn(escapedJson(except))})`
  const ofKind = (kind: 'dirty' | 'clean') =>
    sql`integration = ${integration} AND ${isDirty(kind === 'dirty')} ${isLeftOut}`
  const due = (kind: 'dirty' | 'clean') => sql`SELECT * FROM (
    SELECT note_id, due_at, ${constant(kind === 'dirty' ? 0 : 1)} AS kind FROM notewire_mirror_notes AS note
    WHERE ${ofKind(kind)} AND due_at <= ${timestamp(dueBy)} ORDER BY due_at LIMIT ${limit}) AS due_of_kind`
  const next = (kind: 'dirty' | 'clean') => sql`SELECT * FROM (
    SELECT due_at FROM notewire_mirror_notes AS note
    WHERE ${ofKind(kind)} AND due_at IS NOT NULL AND note_id NOT IN (SELECT note_id FROM due) ORDER BY due_at LIMIT 1) AS next_of_kind`
  const notes = sql`SELECT ${versionedState(dialect)} AS item FROM due
    CROSS JOIN notewire_mirror_notes AS note WHERE note.integration = ${integration} AND note.note_id = due.note_id
    ORDER BY due.kind, due.due_at, due.note_id`
  const found = object({
    sequence: sequenceOf(sql`CAST(${integration} AS text)`),
    notes: arrayOf(notes),
    nextDueAt: milliseconds(sql`(SELECT min(due_at) FROM (${next('dirty')} UNION ALL ${next('clean')}) AS next)`),
  })
  return sql`WITH due AS (${due('dirty')} UNION ALL ${due('clean')} ORDER BY kind, due_at, note_id LIMIT ${limit}) SELECT ${resultOf(found)}`
}
