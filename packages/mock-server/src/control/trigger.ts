import { systemClock } from '@notewire/protocol'
import * as z from 'zod/mini'
import { checked, fields } from '../errors/checked.ts'
import { MockServerError } from '../errors/mock-server-error.ts'
import type { NoteRecord } from '../world/note-record.ts'
import type { Control, ServiceParts } from './control.ts'

const note_id = z.optional(z.string()).check(z.describe('The note of the event. Default: a new note.'))
const title = z.optional(z.string())
const endpoint_id = z.optional(z.string()).check(z.describe('The endpoint. Default: every endpoint.'))

/** A request to make an event happen. */
export const triggerSchema = z.discriminatedUnion('event_type', [
  fields({ event_type: z.literal(['note.ended', 'note.summary.generated']), note_id, title }),
  fields({
    event_type: z.literal('note.updated'),
    note_id,
    title: title.check(z.describe('The title after the edit. Default: a new one.')),
  }),
  fields({
    event_type: z.literal('note.deleted'),
    note_id,
    title,
    reason: z._default(z.enum(['deleted', 'access_lost']), 'deleted'),
  }),
  fields({ event_type: z.literal(['endpoint.verification', 'endpoint.test']), endpoint_id }),
])

type Wanted = z.output<typeof triggerSchema>

/** The note or the endpoints that a triggered event is about. */
export type Triggered =
  | { readonly event_type: Wanted['event_type']; readonly note_id: string }
  | { readonly event_type: Wanted['event_type']; readonly endpoint_ids: readonly string[] }

/**
 * Does, as the owner of the notes, what makes an event of this kind happen (contract §6).
 *
 * @throws {@link MockServerError} when the input is wrong, or the note or endpoint does not exist
 */
export function trigger(control: Control, parts: ServiceParts, input: unknown): Triggered {
  const wanted = checked('a trigger', triggerSchema, input)
  const { event_type } = wanted
  switch (event_type) {
    case 'endpoint.test':
    case 'endpoint.verification':
      return { event_type, endpoint_ids: sendToEndpoints(control, parts, event_type, wanted.endpoint_id) }
    case 'note.ended':
    case 'note.summary.generated':
      return { event_type, note_id: endedNote(control, parts, wanted).note_id }
    case 'note.updated': {
      const { note_id } = noteOf(control, parts, { note_id: wanted.note_id })
      const title = wanted.title ?? `Edited ${new Date(systemClock.now()).toISOString()}`
      parts.world.editNote(note_id, { title })
      return { event_type, note_id }
    }
    case 'note.deleted': {
      const note = noteOf(control, parts, wanted)
      if (wanted.reason === 'deleted') parts.world.deleteNote(note.note_id)
      else parts.world.moveNote(note.note_id, placeElsewhere(note, parts))
      return { event_type, note_id: note.note_id }
    }
  }
}

interface NoteChoice {
  readonly note_id?: string | undefined
  readonly title?: string | undefined
}

/** The given note, or a new one that has ended. */
function noteOf(control: Control, parts: ServiceParts, choice: NoteChoice): NoteRecord {
  return choice.note_id === undefined ? endedNote(control, parts, choice) : parts.world.note(choice.note_id)
}

/** The given note, or a new one, with a recording session that has just ended. */
function endedNote(control: Control, { world }: ServiceParts, { note_id, title }: NoteChoice): NoteRecord {
  const note = note_id === undefined ? control.recordNote({ title }) : world.note(note_id)
  const underWay = note.sessions.find((session) => !session.ended)?.recording_session_id
  world.endSession(note.note_id, underWay ?? world.beginSession(note.note_id), {})
  return world.note(note.note_id)
}

function placeElsewhere({ place }: NoteRecord, { world }: ServiceParts): string {
  const places = ['personal', ...world.channels().map(({ channel_id }) => channel_id)]
  return places.find((other) => other !== place) ?? world.createChannel('Elsewhere').channel_id
}

function sendToEndpoints(
  control: Control,
  { endpoints }: ServiceParts,
  event_type: 'endpoint.test' | 'endpoint.verification',
  endpoint_id: string | undefined,
): readonly string[] {
  const ids = endpoint_id === undefined ? endpoints.all().map((endpoint) => endpoint.endpoint_id) : [endpoint_id]
  if (ids.length === 0) throw noEndpoint()
  for (const id of ids) {
    if (event_type === 'endpoint.test') control.sendTest(id)
    else control.verifyEndpoint(id)
  }
  return ids
}

function noEndpoint(): MockServerError {
  const problem = 'the service has no endpoint to send to'
  return new MockServerError('endpoint_missing', { problem, remedy: 'Register an endpoint first.' })
}
