import { systemClock } from '@notewire/protocol'
import * as z from 'zod/mini'
import { fields } from '../errors/checked.ts'
import { MockServerError } from '../errors/mock-server-error.ts'
import type { NoteRecord } from '../world/note.ts'
import type { World } from '../world/world.ts'
import { endpointOf } from './endpoint-operations.ts'
import { type Call, ownerOrFirst } from './operation.ts'

const note_id = z.optional(z.string()).check(z.describe('The note of the event. Default: a new note.'))
const title = z.optional(z.string())
const endpoint_id = z.optional(z.string()).check(z.describe('The endpoint. Default: every endpoint.'))

export const triggerSchema = z.discriminatedUnion('event_type', [
  fields({ event_type: z.literal(['note.ended', 'note.summary.generated']), note_id, title, ...ownerOrFirst }),
  fields({
    event_type: z.literal('note.updated'),
    note_id,
    title: title.check(z.describe('The title after the edit. Default: a new one.')),
    ...ownerOrFirst,
  }),
  fields({
    event_type: z.literal('note.deleted'),
    note_id,
    title,
    reason: z._default(z.enum(['deleted', 'access_lost']), 'deleted'),
    ...ownerOrFirst,
  }),
  fields({ event_type: z.literal(['endpoint.verification', 'endpoint.test']), endpoint_id }),
])

type TriggerInput = z.output<typeof triggerSchema>

type Triggered =
  | { readonly event_type: TriggerInput['event_type']; readonly note_id: string }
  | { readonly event_type: TriggerInput['event_type']; readonly endpoint_ids: readonly string[] }

/**
 * Performs the act of an owner that causes an event of this kind (contract §6).
 *
 * @throws {@link MockServerError} when the owner, note or endpoint does not exist
 */
export function trigger(call: Call<unknown>, input: TriggerInput): Triggered {
  const { event_type } = input
  switch (event_type) {
    case 'endpoint.test':
    case 'endpoint.verification':
      return { event_type, endpoint_ids: sendToEndpoints(call, event_type, input.endpoint_id) }
    case 'note.ended':
    case 'note.summary.generated': {
      const { note_id } = input
      const world = worldOf(call, input)
      return {
        event_type,
        note_id: note_id === undefined ? endedNote(world, input.title) : endSession(world, note_id),
      }
    }
    case 'note.updated': {
      const world = worldOf(call, input)
      const note_id = input.note_id ?? endedNote(world, undefined)
      world.editNote(note_id, { title: input.title ?? `Edited ${new Date(systemClock.now()).toISOString()}` })
      return { event_type, note_id }
    }
    case 'note.deleted': {
      const world = worldOf(call, input)
      const note_id = input.note_id ?? endedNote(world, input.title)
      if (input.reason === 'deleted') world.deleteNote(note_id)
      else world.moveNote(note_id, anotherPlace(world, world.note(note_id)))
      return { event_type, note_id }
    }
  }
}

function worldOf(
  { owners }: Call<unknown>,
  input: { note_id?: string | undefined; owner_id?: string | undefined },
): World {
  return input.note_id === undefined ? owners.find(input.owner_id) : owners.ofNote(input.note_id)
}

function endedNote(world: World, title: string | undefined): string {
  return endSession(world, world.recordNote({ title }, 'personal').note_id)
}

/** Ends the open recording session of a note, or a new one. */
function endSession(world: World, note_id: string): string {
  const open = world.note(note_id).sessions.find(({ ended }) => !ended)?.recording_session_id
  world.endSession(note_id, open ?? world.beginSession(note_id), {})
  return note_id
}

function anotherPlace(world: World, { place }: NoteRecord): string {
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
