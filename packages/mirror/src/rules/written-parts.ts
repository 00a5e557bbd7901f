import { NOTE_PARTS, type NotePart } from '../notes/note-parts.ts'
import { type NoteState, unknownNote } from '../notes/note-state.ts'
import { type ContentWrite, NO_DIGESTS, type NoteWrite, type PartDigests } from '../notes/note-write.ts'
import { partsOf } from '../notes/stored-note.ts'
import type { VersionedState } from '../stores/mirror-store.ts'
import type { Decision } from './evidence.ts'

/** A note that the store does not contain. */
export function absentNote(noteId: string): VersionedState {
  return { state: unknownNote(noteId), version: 0, digests: NO_DIGESTS }
}

/** Makes the write of a decision about a note: also which parts change, and whether the note vanishes. */
export function writeOf(before: VersionedState, decision: Decision): NoteWrite {
  const { state, announce } = decision
  const digests = digestsAfter(before.digests, decision)
  const isChanged = (part: NotePart) =>
    part === 'statuses' ? haveStatusesChanged(before, state) : digests[part] !== before.digests[part]
  return {
    ...decision,
    expectedVersion: before.version,
    changed: NOTE_PARTS.filter(isChanged),
    vanishes: announce !== undefined && before.state.presence === 'live' && state.presence !== 'live',
    digests,
  }
}

/** The note after a write. */
export function afterWrite({ state, expectedVersion, digests = NO_DIGESTS }: NoteWrite): VersionedState {
  return { state, version: expectedVersion + 1, digests }
}

function haveStatusesChanged({ state: before, version }: VersionedState, after: NoteState): boolean {
  return (
    version === 0 ||
    before.status !== after.status ||
    before.transcriptStatus !== after.transcriptStatus ||
    before.summaryStatus !== after.summaryStatus
  )
}

function digestsAfter(before: PartDigests, { state, content }: Decision): PartDigests {
  if (content === undefined) return before
  if (content === 'erase') return NO_DIGESTS
  const { note = null, transcript = null, summary = null }: Exclude<ContentWrite, 'erase'> = content
  const values = partsOf({ state, note, transcript, summary })
  return {
    title: content.note === undefined ? before.title : digestOf(values.title),
    content: content.note === undefined ? before.content : digestOf(values.content),
    transcript: content.transcript === undefined ? before.transcript : digestOf(values.transcript),
    summary: content.summary === undefined ? before.summary : digestOf(values.summary),
  }
}

/** A digest of 64 bits (FNV-1a, twice). It is synchronous, which those of Web Crypto are not, and nobody compares digests of different notes. */
function digestOf(value: unknown): string | null {
  if (value === undefined || value === null) return null
  const text = JSON.stringify(value)
  let [first, second] = [0x81_1c_9d_c5, 0x9d_c5_81_1c]
  for (let index = 0; index < text.length; index += 1) {
    const code = text.charCodeAt(index)
    first = Math.imul(first ^ code, 0x01_00_01_93)
    second = Math.imul(second ^ code, 0x85_eb_ca_6b)
  }
  return `${(first >>> 0).toString(16)}-${(second >>> 0).toString(16)}-${text.length}`
}
