import type { Note, NoteOwner, Summary, Transcript } from '@notewire/protocol'
import type { Contract } from '../variants/contract-variants.ts'
import type { NoteRecord, Place, SpokenLine } from '../world/note.ts'

type Resource<Kind> = Partial<Kind> & Readonly<Record<string, unknown>>

/** A note or its tombstone, as the API returns it (open points 2 to 4). */
export function noteResource(note: NoteRecord, contract: Contract): Resource<Note> {
  const required = { ...identifierOf(note, contract), revision: note.revision }
  if (note.status === 'deleted' && contract.tombstone === 'marker') return { ...required, status: 'deleted' }
  switch (contract.noteFields) {
    case 'required':
      return note.status === 'deleted' ? { ...required, status: 'deleted' } : required
    case 'all':
      return { ...required, ...fieldsOf(note, contract) }
    case 'unfamiliar':
      return { ...required, ...fieldsOf(note, contract), ...unfamiliarFieldsOf(note) }
  }
}

/** A transcript, as the API returns it (open point 9). */
export function transcriptResource(
  note: NoteRecord,
  lines: readonly SpokenLine[],
  contract: Contract,
): Resource<Transcript> {
  const revision = contentRevision(note, note.transcript_revision, contract)
  const text = lines.map(({ speaker, text }) => (speaker === null ? text : `${speaker}: ${text}`)).join('\n')
  return { note_id: note.note_id, ...revision, text, segments: segmentsOf(lines) }
}

/** A summary, ready or not, as the API returns it (open point 10). */
export function summaryResource(note: NoteRecord, markdown: string | null, contract: Contract): Resource<Summary> {
  const revision = contentRevision(note, note.summary_revision, contract)
  return { note_id: note.note_id, ...revision, status: note.summary_status, markdown }
}

export function granularityMs(timestamps: Contract['timestamps']): number {
  return { milliseconds: 1, seconds: 1000, minutes: 60_000 }[timestamps]
}

function identifierOf({ note_id }: NoteRecord, { noteIdentifier }: Contract): Resource<Note> {
  return {
    ...(noteIdentifier === 'id' ? {} : { note_id }),
    ...(noteIdentifier === 'note_id' ? {} : { id: note_id }),
  }
}

function fieldsOf(note: NoteRecord, contract: Contract): Resource<Note> & { readonly owner: NoteOwner } {
  const { title, content, status, transcript_status, summary_status } = note
  return {
    title,
    content,
    status,
    transcript_status,
    summary_status,
    created_at: timestamp(note.created_at, contract),
    updated_at: timestamp(note.updated_at, contract),
    ended_at: note.ended_at === null ? null : timestamp(note.ended_at, contract),
    deleted_at: note.deleted_at === null ? null : timestamp(note.deleted_at, contract),
    owner: ownerOf(note.place),
  }
}

/** Values and fields that are not in the contract (open point 3). */
function unfamiliarFieldsOf({ status, place }: NoteRecord): Resource<Note> {
  return {
    ...(status === 'deleted' ? {} : { status: 'archived' }),
    transcript_status: 'translated',
    summary_status: 'approved',
    owner: { ...ownerOf(place), type: 'workspace' },
    language: 'cy',
    labels: [{ name: 'new' }],
  }
}

function contentRevision(
  note: NoteRecord,
  revisionWhenWritten: number,
  contract: Contract,
): { readonly revision?: number | undefined } {
  if (contract.contentRevision === 'absent') return {}
  return { revision: contract.contentRevision === 'written' ? revisionWhenWritten : note.revision }
}

function timestamp(ms: number, { timestamps }: Contract): string {
  const step = granularityMs(timestamps)
  return new Date(Math.floor(ms / step) * step).toISOString()
}

function ownerOf(place: Place): NoteOwner {
  return place === 'personal' ? { type: 'personal' } : { type: 'channel', channel_id: place }
}

const MS_PER_WORD = 380
const MS_BETWEEN_LINES = 600

function segmentsOf(lines: readonly SpokenLine[]): Transcript['segments'] {
  let start_ms = 0
  return lines.map(({ speaker, text }) => {
    const end_ms = start_ms + text.split(/\s+/).length * MS_PER_WORD
    const line = { speaker, start_ms, end_ms, text }
    start_ms = end_ms + MS_BETWEEN_LINES
    return line
  })
}
