import type { Hono } from 'hono'
import type { NoteRecord } from '../world/note-record.ts'
import { type ApiContext, type ApiEnv, allow } from './authorisation.ts'
import type { Cursors } from './cursor.ts'
import { notePage } from './note-page.ts'
import { noteResource, summaryResource, transcriptResource } from './note-resources.ts'
import { notFound, notReady } from './problem.ts'
import type { ServiceParts } from './service-parts.ts'

interface NoteOperationsParts extends ServiceParts {
  readonly cursors: Cursors
}

/** With `eventOrder: 'any'`: how long after its event content becomes readable, in milliseconds (open point 29). */
const CONTENT_LAG_MS = 1000

/** Reading notes, transcripts and summaries (contract §4; open points 1 to 10). */
export function mountNoteOperations(api: Hono<ApiEnv>, parts: NoteOperationsParts): void {
  const { owners, timeline, contract } = parts
  const allowed = allow(owners)

  api.get('/v1/notes', allowed(contract.noteScope), (context) => {
    const request = {
      query: context.req.query(),
      world: context.get('world'),
      integration: context.get('integration'),
      fault: context.get('pageFault'),
    }
    return context.json(notePage(parts, request))
  })

  if (contract.noteOperation !== 'absent') {
    api.get('/v1/notes/:note_id', allowed(contract.noteScope), (context) => {
      const read = contract.noteOperation === 'tombstones' ? visibleNote : liveNote
      return context.json(noteResource(read(context), contract))
    })
  }

  api.get('/v1/notes/:note_id/transcript', allowed('transcripts:read'), (context) => {
    const note = liveNote(context)
    if (note.transcript_status === 'pending' || lags(note)) {
      if (contract.transcriptNotReady === 'not_found') throw notFound('transcript')
      throw notReady('transcript', contract.transcriptNotReady)
    }
    return context.json(transcriptResource(note, context.get('world').linesOf(note), contract))
  })

  api.get('/v1/notes/:note_id/summary', allowed('summaries:read'), (context) => {
    const note = liveNote(context)
    const markdown = context.get('world').summaryOf(note)
    if (markdown === null && contract.summaryNotReady === 'not_found') throw notFound('summary')
    if (markdown === null && contract.summaryNotReady === 404) throw notReady('summary', 404)
    return context.json(summaryResource(note, markdown, contract))
  })

  function lags({ ended_at }: NoteRecord): boolean {
    return contract.eventOrder === 'any' && ended_at !== null && timeline.now() < ended_at + CONTENT_LAG_MS
  }
}

/** The note, or its tombstone; 404 for a note that the key cannot access (open point 8). */
function visibleNote(context: ApiContext): NoteRecord {
  const note = context.get('world').notes.find(context.req.param('note_id') ?? '')
  if (note === undefined || !context.get('integration').places.includes(note.place)) throw notFound('note')
  return note
}

function liveNote(context: ApiContext): NoteRecord {
  const note = visibleNote(context)
  if (note.status === 'deleted') throw notFound('note')
  return note
}
