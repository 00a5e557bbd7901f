import { systemClock } from '@notewire/protocol'
import * as z from 'zod/mini'
import { fields } from '../errors/checked.ts'
import { MockServerError } from '../errors/mock-server-error.ts'
import type { NoteRecord } from '../world/note.ts'
import type { World } from '../world/world.ts'
import { endpointOf } from './endpoint-operations.ts'
import { type Call, forOwner } from './operation.ts'

const note_id = z.optional(z.string()).check(z.describe('The note of the event. Default: a new note.'))
const title = z.optional(z.string())
const endpoint_id = z.optional(z.string()).check(z.describe('The endpoint. Default: every endpoint.'))

export const triggerSchema = z.discriminatedUnion('event_type', [
  fields({ event_type: z.literal(['note.ended', 'note.summary.generated']), note_id, title, ...forOwner }),
  fields({
    event_type: z.literal('note.updated'),
    note_id,
    title: title.check(z.describe('The title after the edit. Default: a new one.')),
    ...forOwner,
  }),
  fields({
    event_type: z.literal('note.deleted'),
    note_id,
    title,
    reason: z._default(z.enum(['deleted', 'access_lost']), 'deleted'),
    ...forOwner,
  }),
  fields({ event_type: z.literal(['endpoint.verification', 'endpoint.test']), endpoint_id }),
])

type Wanted = z.output<typeof triggerSchema>

type Triggered =
  | { readonly event_type: Wanted['event_type']; readonly note_id: string }
  | { readonly event_type: Wanted['event_type']; readonly endpoint_ids: readonly string[] }

/**
 * Does, as an owner of notes, what makes an event of this kind happen (contract §6).
 *
 * @throws {@link MockServerError} when the owner, note or endpoint does not exist
 */
export function trigger(call: Call<unknown>, wanted: Wanted): Triggered {
  const { event_type } = wanted
  switch (event_type) {
    case 'endpoint.test':
    case 'endpoint.verification':
      return { event_type, endpoint_ids: sendToEndpoints(call, event_type, wanted.endpoint_id) }
    case 'note.ended':
    case 'note.summary.generated': {
      const { note_id } = wanted
      const world = worldOf(call, wanted)
      return {
        event_type,
        note_id: note_id === undefined ? endedNote(world, wanted.title) : endSession(world, note_id),
      }
    }
    case 'note.updated': {
      const world = worldOf(call, wanted)
      const note_id = wanted.note_id ?? endedNote(world, undefined)
      world.editNote(note_id, { title: wanted.title ?? `Edited ${new Date(systemClock.now()).toISOString()}` })
      return { event_type, note_id }
    }
    case 'note.deleted': {
      const world = worldOf(call, wanted)
      const note_id = wanted.note_id ?? endedNote(world, wanted.title)
      if (wanted.reason === 'deleted') world.deleteNote(note_id)
      else world.moveNote(note_id, placeElsewhere(world, world.note(note_id)))
      return { event_type, note_id }
    }
  }
}

function worldOf(
  { owners }: Call<unknown>,
  wanted: { note_id?: string | undefined; owner_id?: string | undefined },
): World {
  return wanted.note_id === undefined ? owners.find(wanted.owner_id) : owners.ofNote(wanted.note_id)
}

function endedNote(world: World, title: string | undefined): string {
  return endSession(world, world.recordNote({ title }, 'personal').note_id)
}

/** Ends the recording session that is under way, or a new one. */
function endSession(world: World, note_id: string): string {
  const underWay = world.note(note_id).sessions.find(({ ended }) => !ended)?.recording_session_id
  world.endSession(note_id, underWay ?? world.beginSession(note_id), {})
  return note_id
}

function placeElsewhere(world: World, { place }: NoteRecord): string {
  const places = ['personal', ...world.channels().map(({ channel_id }) => channel_id)]
  return places.find((other) => other !== place) ?? world.createChannel('Elsewhere').channel_id
}

function sendToEndpoints(
  call: Call<unknown>,
  event_type: 'endpoint.test' | 'endpoint.verification',
  endpoint_id: string | undefined,
): readonly string[] {
  const { endpoints, engine } = call
  const chosen = endpoint_id === undefined ? endpoints.all() : [endpointOf(endpoints, endpoint_id)]
  if (chosen.length === 0) throw noEndpoint()
  for (const endpoint of chosen) {
    if (event_type === 'endpoint.test') engine.sendTest(endpoint)
    else endpoints.update(endpoint, { url: endpoint.url })
  }
  return chosen.map((endpoint) => endpoint.endpoint_id)
}

function noEndpoint(): MockServerError {
  const problem = 'the service has no endpoint to send to'
  return new MockServerError('endpoint_missing', problem, 'Register an endpoint first.')
}
