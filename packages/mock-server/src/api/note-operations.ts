import type { Hono } from 'hono'
import type { NoteRecord } from '../world/note-record.ts'
import type { World } from '../world/world.ts'
import { type ApiContext, type ApiEnv, allow } from './authorisation.ts'
import type { Cursors } from './cursor.ts'
import { readNoteQuery } from './note-query.ts'
import { noteResource, summaryResource, transcriptResource } from './note-resources.ts'
import { notFound, notReady } from './problem.ts'

/** Reading notes, transcripts and summaries (contract §4; open points 1 to 10). */
export function mountNoteOperations(api: Hono<ApiEnv>, world: World, cursors: Cursors): void {
  const allowed = allow(world.integrations)

  api.get('/v1/notes', allowed('notes:read'), (context) => {
    const { limit, includeDeleted, updatedAfter } = readNoteQuery(context.req.query())
    const integration = context.get('integration')
    const cursor = context.req.query('cursor')
    const { notes, hasMore } = world.notes.list({
      places: integration.places,
      after: cursor === undefined ? -1 : cursors.read(cursor, integration),
      limit,
      admits: (note) => note.updated_at > updatedAfter && (includeDeleted || note.status !== 'deleted'),
    })
    const last = notes.at(-1)
    const next_cursor = hasMore && last !== undefined ? cursors.after(last.sequence, integration) : null
    return context.json({ notes: notes.map(noteResource), next_cursor, has_more: hasMore })
  })

  api.get('/v1/notes/:note_id', allowed('notes:read'), (context) =>
    context.json(noteResource(visibleNote(world, context))),
  )

  api.get('/v1/notes/:note_id/transcript', allowed('transcripts:read'), (context) => {
    const note = liveNote(world, context)
    if (note.transcript_status === 'pending') throw notReady()
    return context.json(transcriptResource(note, world.linesOf(note)))
  })

  api.get('/v1/notes/:note_id/summary', allowed('summaries:read'), (context) => {
    const note = liveNote(world, context)
    return context.json(summaryResource(note, world.summaryOf(note)))
  })
}

/** A deleted note answers its tombstone, one out of sight nothing (open point 8). */
function visibleNote(world: World, context: ApiContext): NoteRecord {
  const note = world.notes.find(context.req.param('note_id') ?? '')
  if (note === undefined || !context.get('integration').places.includes(note.place)) throw notFound('note')
  return note
}

function liveNote(world: World, context: ApiContext): NoteRecord {
  const note = visibleNote(world, context)
  if (note.status === 'deleted') throw notFound('note')
  return note
}
