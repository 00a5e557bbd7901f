import { ENDPOINT_EVENT_KINDS, NOTE_EVENT_KINDS, type NoteEventKind, systemClock } from '@notewire/protocol'
import * as z from 'zod/mini'
import { fields } from '../errors/checked.ts'
import { MockServerError } from '../errors/mock-server-error.ts'
import type { Owners } from '../world/owners.ts'
import type { World } from '../world/world.ts'
import { endpointOf } from './endpoint-operations.ts'
import { type Call, ownerOrFirst } from './operation.ts'

export const triggerSchema = fields({
  event_type: z.enum([...NOTE_EVENT_KINDS, ...ENDPOINT_EVENT_KINDS]),
  note_id: z.optional(z.string()).check(z.describe('The note of the event. Default: a new note.')),
  title: z.optional(z.string()).check(z.describe('The title of a new note, or after an edit.')),
  reason: z._default(z.enum(['deleted', 'access_lost']), 'deleted').check(z.describe('Of note.deleted.')),
  endpoint_id: z.optional(z.string()).check(z.describe('For endpoint events. Default: every endpoint.')),
  ...ownerOrFirst,
})

type TriggerInput = z.output<typeof triggerSchema>

/**
 * Performs the act of an owner that causes an event of this kind (contract §6).
 *
 * @throws {@link MockServerError} when the owner, note or endpoint does not exist
 */
export function trigger(call: Call<unknown>, input: TriggerInput): object {
  const { event_type } = input
  if (event_type === 'endpoint.test' || event_type === 'endpoint.verification') {
    return { event_type, endpoint_ids: sendToEndpoints(call, event_type, input.endpoint_id) }
  }
  return triggerNoteEvent(call.owners, event_type, input)
}

function triggerNoteEvent(owners: Owners, event_type: NoteEventKind, input: TriggerInput): object {
  const { title, reason, owner_id } = input
  const world = input.note_id === undefined ? owners.find(owner_id) : owners.ofNote(input.note_id)
  const newTitle = event_type === 'note.updated' ? undefined : title
  const note_id = input.note_id ?? world.recordNote({ title: newTitle }, 'personal').note_id
  const isEnded = event_type === 'note.ended' || event_type === 'note.summary.generated'
  if (isEnded || input.note_id === undefined) endSession(world, note_id)
  if (event_type === 'note.updated') {
    world.editNote(note_id, { title: title ?? `Edited ${new Date(systemClock.now()).toISOString()}` })
  } else if (event_type === 'note.deleted') {
    if (reason === 'deleted') world.deleteNote(note_id)
    else world.moveNote(note_id, anotherPlace(world, note_id))
  }
  return { event_type, note_id }
}

/** Ends the open recording session of a note, or a new one. */
function endSession(world: World, note_id: string): void {
  const open = world.note(note_id).sessions.find(({ ended }) => !ended)?.recording_session_id
  world.endSession(note_id, open ?? world.beginSession(note_id), {})
}

function anotherPlace(world: World, note_id: string): string {
  const places = ['personal', ...world.channels().map(({ channel_id }) => channel_id)]
  return places.find((other) => other !== world.note(note_id).place) ?? world.createChannel('Elsewhere').channel_id
}

function sendToEndpoints(
  { endpoints, engine }: Call<unknown>,
  event_type: 'endpoint.test' | 'endpoint.verification',
  endpoint_id: string | undefined,
): readonly string[] {
  const chosen = endpoint_id === undefined ? endpoints.all() : [endpointOf(endpoints, endpoint_id)]
  if (chosen.length === 0) {
    const problem = 'the service has no endpoint to send to'
    throw new MockServerError('endpoint_missing', problem, 'Register an endpoint first.')
  }
  for (const endpoint of chosen) {
    if (event_type === 'endpoint.test') engine.sendTest(endpoint)
    else endpoints.update(endpoint, { url: endpoint.url })
  }
  return chosen.map((endpoint) => endpoint.endpoint_id)
}
