import type { SqliteRow, SqliteStatement } from '@notewire/storage'
import { type ContentParts, type ContentWrite, NO_DIGESTS, type NoteWrite } from '../../notes/note-write.ts'
import { escapedJson, escapedText } from '../escaped-text.ts'
import type { MirrorCommit } from '../mirror-store.ts'
import { progressJson } from '../progress-json.ts'
import { stateJson } from '../state-json.ts'
import { PART_COLUMNS } from './content-columns.ts'
import { fenceStatement, hintStatement } from './integration-statements.ts'
import { IS_INDEXING_LIMITED } from './schema.ts'

/** Makes the statements of a commit. A guard statement fails if another process has written meanwhile. */
export function commitStatements(integrationName: string, commit: MirrorCommit): readonly SqliteStatement[] {
  const integration = escapedText(integrationName)
  const { notes, fence, hintDueAt } = commit
  const announced = notes.filter(({ announce }) => announce !== undefined).length
  let announcedBefore = 0
  return [
    ...(fence === undefined ? [] : [fenceStatement(integration, fence)]),
    ...(hintDueAt === undefined ? [] : [hintStatement(integration, hintDueAt)]),
    ...(notes.length === 0 ? [] : [guardNotes(integration, notes)]),
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

export function erasesAny([row]: readonly SqliteRow[]): boolean {
  return Number(row?.['erased']) > 0
}

/** Makes the statement that rolls the transaction back unless each note has the expected version. */
function guardNotes(integration: string, notes: readonly NoteWrite[]): SqliteStatement {
  const versions = notes.map(({ state, expectedVersion }) => [escapedText(state.noteId), expectedVersion])
  return { sql: GUARD_NOTES, parameters: [JSON.stringify(versions), integration] }
}

function mirrorWrite(
  integration: string,
  { progress, heardAt }: MirrorCommit,
  announced: number,
): readonly SqliteStatement[] {
  if (progress === undefined && heardAt === undefined && announced === 0) return []
  const next = progress === undefined ? null : escapedJson(progressJson(progress))
  return [{ sql: WRITE_MIRROR, parameters: [integration, announced, next, heardAt ?? null] }]
}

/** @param back  the number of notes of the same commit that are announced after this one */
function noteWrite(integration: string, write: NoteWrite, back: number): SqliteStatement {
  const { state, announce, vanishes = false, changed = [], digests = NO_DIGESTS } = write
  const noteId = escapedText(state.noteId)
  const values = [JSON.stringify(digests), state.dueAt, escapedJson(stateJson(state))]
  const places = [
    ...(announce === 'appeared' ? ['visible_since'] : []),
    ...(vanishes ? ['vanished_since'] : []),
    ...changed.map((part) => `${part}_at`),
  ]
  if (announce === undefined) return { sql: writeNote(places), parameters: [integration, noteId, ...values] }
  return { sql: writePlacedNote(places), parameters: [integration, noteId, ...values, back, integration] }
}

function contentWrite(integration: string, { state, content }: NoteWrite): readonly SqliteStatement[] {
  const noteId = escapedText(state.noteId)
  if (content === undefined) return []
  if (content === 'erase') return [{ sql: ERASE_CONTENT, parameters: [integration, noteId] }]
  const parts = namedParts(content)
  if (parts.length === 0) return []
  const values = parts.map((part) => (content[part] == null ? null : escapedJson(content[part])))
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

const WRITE_MIRROR = `
  INSERT INTO notewire_mirrors (integration, sequence, position, progress, progress_version, heard_at)
  VALUES (?, 0, ?, ?, 0, ?)
  ON CONFLICT (integration) DO UPDATE SET
    position = position + excluded.position,
    progress = coalesce(excluded.progress, progress),
    heard_at = coalesce(max(heard_at, excluded.heard_at), heard_at, excluded.heard_at)`

const NOTE_COLUMNS = 'integration, note_id, version, digests, due_at, state'

const NOTE_AGAIN = `
  version = version + 1, digests = excluded.digests, due_at = excluded.due_at, state = excluded.state`

/** Makes a function that remembers the statements that it has made, because most notes of a commit need the same one. */
function remembered<Name extends string>(make: (names: readonly Name[]) => string): (names: readonly Name[]) => string {
  const made = new Map<string, string>()
  return (names) => {
    const sql = made.get(names.join()) ?? make(names)
    made.set(names.join(), sql)
    return sql
  }
}

/** Its names are the columns in which to store the position of the note, which stays the same. */
const writeNote = remembered(
  (places) => `
    INSERT INTO notewire_mirror_notes (${NOTE_COLUMNS}) VALUES (?, ?, 1, ?, ?, ?)
    ON CONFLICT (integration, note_id) DO UPDATE SET
      ${[NOTE_AGAIN, ...places.map((name) => `${name} = coalesce(position, 0)`)].join(', ')}`,
)

/** Its names are the columns in which to store the new position of the note. */
// The mirror's position is advanced before the notes are written, so the position of a note is counted back from it.
const writePlacedNote = remembered((places) => {
  const placed = ['position', ...(places.includes('visible_since') ? ['first_visible'] : []), ...places]
  const again = placed.map((name) =>
    name === 'first_visible' ? `${name} = coalesce(${name}, excluded.position)` : `${name} = excluded.position`,
  )
  return `
    INSERT INTO notewire_mirror_notes (${[NOTE_COLUMNS, ...placed].join(', ')})
    SELECT ${['?, ?, 1, ?, ?, ?', ...placed.map(() => 'place')].join(', ')}
    FROM (SELECT position - ? AS place FROM notewire_mirrors WHERE integration = ?) WHERE true
    ON CONFLICT (integration, note_id) DO UPDATE SET ${[NOTE_AGAIN, ...again].join(', ')}`
})

// A process that could not replace the indexing of an older database must not claim that its text is limited.
const INDEXED = `1 + ${IS_INDEXING_LIMITED}`

const writeParts = remembered((parts: readonly (keyof ContentParts)[]) => {
  const columns = parts.map((part) => PART_COLUMNS[part])
  return `
    INSERT INTO notewire_mirror_content (row_id, ${columns.join(', ')}, is_indexed)
    SELECT note.row_id, ${columns.map(() => '?').join(', ')}, 0
    FROM notewire_mirror_notes AS note WHERE note.integration = ? AND note.note_id = ?
    ON CONFLICT (row_id) DO UPDATE SET ${columns.map((name) => `${name} = excluded.${name}`).join(', ')},
      is_indexed = CASE WHEN is_indexed = 0 THEN 0 ELSE ${INDEXED} END`
})

const INDEX_NOTES = `
  UPDATE notewire_mirror_content SET is_indexed = ${INDEXED}
  WHERE is_indexed = 0 AND row_id IN (
    SELECT note.row_id FROM json_each(?) AS complete
    CROSS JOIN notewire_mirror_notes AS note ON note.integration = ? AND note.note_id = complete.value
  )`

/** Indexes some of the notes whose transcript or summary was not read yet. It runs when no note is due. */
export const INDEX_PENDING: SqliteStatement = {
  sql: `
    UPDATE notewire_mirror_content SET is_indexed = ${INDEXED}
    WHERE row_id IN (SELECT row_id FROM notewire_mirror_content WHERE is_indexed = 0 LIMIT 200)
    RETURNING row_id`,
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
