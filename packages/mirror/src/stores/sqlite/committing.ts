import type { SqliteRow, SqliteStatement, SqliteValue } from '@notewire/webhooks/storage'
import { type ContentParts, type ContentWrite, earliestDue, type NoteWrite } from '../../interfaces/note-write.ts'
import type { MirrorCommit } from '../../interfaces/store.ts'
import { escapedText } from '../escaped-text.ts'
import { EVIDENCE_COLUMNS } from '../state-row.ts'
import { PART_COLUMNS, partValues } from './content-columns.ts'
import { fenceStatement, hintStatement } from './integration-statements.ts'
import { evidenceValues, NOTE_COLUMNS, noteValues } from './note-columns.ts'

/** Makes the statements of a commit. A guard statement fails if another process has written meanwhile. */
export function commitStatements(integrationName: string, commit: MirrorCommit): readonly SqliteStatement[] {
  const integration = escapedText(integrationName)
  const { notes, fence, heardAt } = commit
  const dueAt = fence && heardAt !== undefined ? earliestDue(notes) : null
  const announced = notes.filter(({ announce }) => announce !== undefined).length
  let announcedBefore = 0
  return [
    ...(fence === undefined ? [] : [fenceStatement(integration, fence)]),
    ...(dueAt === null ? [] : [hintStatement(integration, dueAt)]),
    ...guards(integration, commit),
    ...mirrorWrite(integration, commit, announced),
    ...notes.map((write) => {
      if (write.announce !== undefined) announcedBefore += 1
      return noteWrite(integration, write, announced - announcedBefore)
    }),
    ...notes.flatMap((write) => contentWrite(integration, write)),
    ...indexing(integration, notes),
  ]
}

/** Whether a guard rejected the commit. Only the message is the same with all drivers. */
export function isConflict(error: unknown): boolean {
  return error instanceof Error && error.message.includes('CHECK constraint failed: notewire_written_meanwhile')
}

/** Whether the commit was rejected because the integration was removed, or taken by another worker. */
export function isFenced(error: unknown): boolean {
  return error instanceof Error && error.message.includes('CHECK constraint failed: notewire_fenced')
}

/** Makes the statement that checks whether a commit erases existing content. Most commits with an absent part do not. No statement if no part is absent. */
export function erasureStatement(integration: string, { notes }: MirrorCommit): readonly SqliteStatement[] {
  const erased = notes.flatMap(({ state, content }) => {
    const parts = PARTS.map((part) => Number(content === 'erase' || content?.[part] === null))
    return parts.includes(1) ? [[escapedText(state.noteId), ...parts]] : []
  })
  return erased.length === 0
    ? []
    : [{ sql: COUNT_ERASED, parameters: [JSON.stringify(erased), escapedText(integration)] }]
}

/** Whether the rows of `erasureStatement` say that content is erased. */
export function erasesAny([row]: readonly SqliteRow[]): boolean {
  return Number(row?.['erased']) > 0
}

/** Makes the statement that rolls the transaction back unless each note has the expected version. */
export function guardNotes(integration: string, versions: readonly (readonly [string, number])[]): SqliteStatement {
  return { sql: GUARD_NOTES, parameters: [JSON.stringify(versions), integration] }
}

function guards(integration: string, { notes, progress }: MirrorCommit): readonly SqliteStatement[] {
  const versions = notes.map(({ state, expectedVersion }) => [escapedText(state.noteId), expectedVersion] as const)
  return [
    ...(notes.length === 0 ? [] : [guardNotes(integration, versions)]),
    ...(progress === undefined ? [] : [{ sql: GUARD_PROGRESS, parameters: [integration, progress.expectedVersion] }]),
  ]
}

function mirrorWrite(
  integration: string,
  { progress, heardAt }: MirrorCommit,
  announced: number,
): readonly SqliteStatement[] {
  if (progress === undefined && heardAt === undefined && announced === 0) return []
  const next = progress === undefined ? null : JSON.stringify(progress.next)
  return [{ sql: WRITE_MIRROR, parameters: [integration, announced, next, Number(next !== null), heardAt ?? null] }]
}

/** @param back  the number of notes of the same commit that are announced after this one */
function noteWrite(integration: string, { state, announce, isStamp }: NoteWrite, back: number): SqliteStatement {
  const noteId = escapedText(state.noteId)
  if (isStamp) return { sql: STAMP_NOTE, parameters: [...evidenceValues(state), integration, noteId] }
  const { sql, places } = WRITES[announce ?? 'unannounced']
  const positions = places.flatMap(() => [back, integration])
  return { sql, parameters: [integration, noteId, ...noteValues(state), ...positions] }
}

function contentWrite(integration: string, { state, content }: NoteWrite): readonly SqliteStatement[] {
  const noteId = escapedText(state.noteId)
  if (content === undefined) return []
  if (content === 'erase') return [{ sql: ERASE_CONTENT, parameters: [integration, noteId] }]
  const parts = namedParts(content)
  if (parts.length === 0) return []
  const values = parts.flatMap((part): readonly SqliteValue[] => partValues(part, content))
  return [{ sql: writeParts(parts), parameters: [...values, integration, noteId] }]
}

// One statement indexes all notes, because FTS5 writes a segment of its index before each later statement that runs triggers.
function indexing(integration: string, notes: readonly NoteWrite[]): readonly SqliteStatement[] {
  const complete = notes.filter(isComplete).map(({ state }) => escapedText(state.noteId))
  return complete.length === 0 ? [] : [{ sql: INDEX_NOTES, parameters: [JSON.stringify(complete), integration] }]
}

// A note is indexed when its content is complete: indexing it twice would be most of the cost of a first listing.
function isComplete({ state: { presence, settledRevision, dueAt }, content }: NoteWrite): boolean {
  if (content === undefined || content === 'erase') return false
  const awaitsMore = presence === 'live' && settledRevision === null && dueAt !== null
  return !awaitsMore || content.transcript !== undefined || content.summary !== undefined
}

const PARTS = ['note', 'summary', 'transcript'] as const

function namedParts(content: Exclude<ContentWrite, 'erase'>): readonly (keyof ContentParts)[] {
  return PARTS.filter((part) => content[part] !== undefined)
}

const GUARD_NOTES = `
  INSERT INTO notewire_mirror_conflicts (of)
  SELECT 'a note' FROM json_each(?) AS expected
  LEFT JOIN notewire_mirror_notes AS note ON note.integration = ? AND note.note_id = expected.value ->> 0
  WHERE coalesce(note.version, 0) <> expected.value ->> 1
  LIMIT 1`

const GUARD_PROGRESS = `
  INSERT INTO notewire_mirror_conflicts (of)
  SELECT 'the progress'
  WHERE coalesce((SELECT progress_version FROM notewire_mirrors WHERE integration = ?), 0) <> ?`

const WRITE_MIRROR = `
  INSERT INTO notewire_mirrors (integration, sequence, position, progress, progress_version, heard_at)
  VALUES (?, 0, ?, ?, ?, ?)
  ON CONFLICT (integration) DO UPDATE SET
    position = position + excluded.position,
    progress = coalesce(excluded.progress, progress),
    progress_version = progress_version + excluded.progress_version,
    heard_at = coalesce(max(heard_at, excluded.heard_at), heard_at, excluded.heard_at)`

const CHANGED_PLACES = ['position', 'statuses_at']
const APPEARED_PLACES = [...CHANGED_PLACES, 'visible_since', 'first_visible']

const statusesAt = (position: string) => `
  statuses_at = CASE
    WHEN (status, transcript_status, summary_status)
      IS NOT (excluded.status, excluded.transcript_status, excluded.summary_status) THEN ${position}
    ELSE statuses_at
  END`

const CHANGED_AGAIN = `, position = excluded.position, ${statusesAt('excluded.position')},
  vanished_since = CASE
    WHEN presence = 'live' AND excluded.presence <> 'live' THEN excluded.position
    ELSE vanished_since
  END`

const STAMP_NOTE = `
  UPDATE notewire_mirror_notes SET version = version + 1, ${EVIDENCE_COLUMNS.map(([name]) => `${name} = ?`).join(', ')}
  WHERE integration = ? AND note_id = ?`

const WRITE_CHANGED = writeNote(CHANGED_PLACES, CHANGED_AGAIN)
const WRITE_APPEARED = writeNote(
  APPEARED_PLACES,
  `${CHANGED_AGAIN}, visible_since = excluded.visible_since, first_visible = coalesce(first_visible, excluded.first_visible)`,
)

/** The statements that write a note. In each of `places`, a statement stores the note's position. */
const WRITES = {
  unannounced: { sql: writeNote([], `, ${statusesAt('coalesce(position, 0)')}`), places: [] },
  appeared: { sql: WRITE_APPEARED, places: APPEARED_PLACES },
  changed: { sql: WRITE_CHANGED, places: CHANGED_PLACES },
  vanished: { sql: WRITE_CHANGED, places: CHANGED_PLACES },
} as const

// The mirror's position is advanced before the notes are written, so the position of a note is counted back from it.
function writeNote(places: readonly string[], placesAgain: string): string {
  const placed = places.map(() => '(SELECT position - ? FROM notewire_mirrors WHERE integration = ?)')
  const values = ['?', '?', '1', ...NOTE_COLUMNS.map(() => '?'), ...placed]
  return `
    INSERT INTO notewire_mirror_notes (${['integration', 'note_id', 'version', ...NOTE_COLUMNS, ...places].join(', ')})
    VALUES (${values.join(', ')})
    ON CONFLICT (integration, note_id) DO UPDATE SET
      version = version + 1, ${NOTE_COLUMNS.map((name) => `${name} = excluded.${name}`).join(', ')}${placesAgain}`
}

const partWrites = new Map<string, string>()

/** Returns the same string each time, because the driver finds its prepared statement by it. */
function writeParts(parts: readonly (keyof ContentParts)[]): string {
  const names = parts.join()
  const sql = partWrites.get(names) ?? writePartsSql(parts)
  partWrites.set(names, sql)
  return sql
}

function writePartsSql(parts: readonly (keyof ContentParts)[]): string {
  const columns = parts.flatMap((part): readonly string[] => PART_COLUMNS[part])
  const positions = parts.flatMap((part) => Object.entries(POSITION_COLUMNS[part]))
  const names = columns.join(', ')
  const first = positions.map(([, texts]) => `iif(${differ(texts, () => 'NULL')}, coalesce(note.position, 0), 0)`)
  const later = positions.map(([column, texts]) => {
    return `${column} = iif(${differ(texts, (name) => `excluded.${name}`)}, ${POSITION_OF_EXCLUDED}, ${column})`
  })
  return `
    INSERT INTO notewire_mirror_content (row_id, ${names}, ${positions.map(([column]) => column).join(', ')}, is_indexed)
    SELECT note.row_id, ${names}, ${first.join(', ')}, 0
    FROM (SELECT ${columns.map((name) => `? AS ${name}`).join(', ')})
    CROSS JOIN notewire_mirror_notes AS note WHERE note.integration = ? AND note.note_id = ?
    ON CONFLICT (row_id) DO UPDATE SET
      ${columns.map((name) => `${name} = excluded.${name}`).join(', ')}, ${later.join(', ')}`
}

/** For each part of the content, the columns with the positions of the latest changes, and the columns whose changes they record. */
const POSITION_COLUMNS: Readonly<Record<keyof ContentParts, Readonly<Record<string, readonly string[]>>>> = {
  note: { title_at: ['title'], content_at: ['content'] },
  summary: { summary_at: ['summary'] },
  transcript: { transcript_at: ['transcript', 'segments'] },
}

function differ(names: readonly string[], other: (name: string) => string): string {
  return names.map((name) => `${name} IS NOT ${other(name)}`).join(' OR ')
}

const POSITION_OF_EXCLUDED =
  '(SELECT coalesce(position, 0) FROM notewire_mirror_notes AS note WHERE note.row_id = excluded.row_id)'

const INDEX_NOTES = `
  UPDATE notewire_mirror_content SET is_indexed = 1
  WHERE is_indexed = 0 AND row_id IN (
    SELECT note.row_id FROM json_each(?) AS complete
    CROSS JOIN notewire_mirror_notes AS note ON note.integration = ? AND note.note_id = complete.value
  )`

/** Indexes some of the notes whose transcript or summary was not read yet. It runs when no note is due. */
export const INDEX_PENDING: SqliteStatement = {
  sql: `
    UPDATE notewire_mirror_content SET is_indexed = 1
    WHERE row_id IN (SELECT row_id FROM notewire_mirror_content WHERE is_indexed = 0 LIMIT 200)`,
  parameters: [],
}

const ERASE_CONTENT = `
  DELETE FROM notewire_mirror_content
  WHERE row_id = (SELECT row_id FROM notewire_mirror_notes WHERE integration = ? AND note_id = ?)`

const COUNT_ERASED = `
  SELECT count(*) AS erased FROM json_each(?) AS erased
  CROSS JOIN notewire_mirror_notes AS note ON note.integration = ? AND note.note_id = erased.value ->> 0
  CROSS JOIN notewire_mirror_content AS content ON content.row_id = note.row_id
  WHERE (erased.value ->> 1 AND content.record IS NOT NULL)
    OR (erased.value ->> 2 AND content.summary_record IS NOT NULL)
    OR (erased.value ->> 3 AND content.transcript_record IS NOT NULL)`
