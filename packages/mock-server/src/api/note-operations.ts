import type { Hono } from 'hono'
import type { SeededRandom } from '../seed/seeded-random.ts'
import { sentResource } from '../variants/sent-fields.ts'
import type { NoteRecord } from '../world/note.ts'
import { type ApiContext, type ApiEnv, requireScope } from './authorisation.ts'
import { cursorsOf, notePage } from './note-list.ts'
import { noteResource, summaryResource, transcriptResource } from './note-resources.ts'
import { notFound, Problem } from './problem.ts'
import type { ServiceParts } from './service-parts.ts'

/** With `eventOrder: 'any'`, content becomes readable this long after its event, in milliseconds (open point 29). */
const CONTENT_LAG_MS = 1000

export function mountNoteOperations(api: Hono<ApiEnv>, parts: ServiceParts, random: SeededRandom): void {
  const { timeline, contract } = parts
  const cursors = cursorsOf(random.fork('cursors'), contract)

  api.get('/v1/notes', requireScope(contract.noteScope), (context) => context.json(notePage(parts, cursors, context)))

  if (contract.noteOperation !== 'absent') {
    api.get('/v1/notes/:note_id', requireScope(contract.noteScope), (context) => {
      const read = contract.noteOperation === 'tombstones' ? visibleNote : liveNote
      return context.json(sentResource(noteResource(read(context), contract), contract))
    })
  }

  api.get('/v1/notes/:note_id/transcript', requireScope('transcripts:read'), (context) => {
    const note = liveNote(context)
    const { transcript_status, ended_at } = note
    const isLate = contract.eventOrder === 'any' && ended_at !== null && timeline.now() < ended_at + CONTENT_LAG_MS
    if (transcript_status === 'pending' || isLate) throw notReady('transcript', contract.transcriptNotReady)
    const transcript = transcriptResource(note, context.get('world').linesOf(note), contract)
    return context.json(sentResource(transcript, contract))
  })

  api.get('/v1/notes/:note_id/summary', requireScope('summaries:read'), (context) => {
    const note = liveNote(context)
    const markdown = context.get('world').summaryOf(note)
    const { summaryNotReady } = contract
    if (markdown === null && summaryNotReady !== 200) throw notReady('summary', summaryNotReady)
    return context.json(sentResource(summaryResource(note, markdown, contract), contract))
  })
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

function notReady(content: 'transcript' | 'summary', answer: 404 | 409 | 202 | 'not_found'): Problem {
  if (answer === 'not_found') return notFound(content)
  const event = { transcript: 'note.ended', summary: 'note.summary.generated' }[content]
  const message = `The ${content} is not ready yet. Read it again after the event ${event}, or when ${content}_status is "ready".`
  return new Problem(answer, { code: 'not_ready', message })
}
