import * as z from 'zod/mini'
import { checked, fields, name } from '../errors/checked.ts'
import type { Integration } from './integration.ts'
import type { IntegrationHandle, IssuedKey, NoteHandle, Owner, RecordingHandle } from './owner.ts'
import type { World } from './world.ts'

const text = z.optional(z.nullable(z.string()))
const channel = z.object({ channel_id: z.string() }, 'a channel that owner.createChannel() returned')

export const newOwnerSchema = fields({
  name: z.optional(name).check(z.describe('Default: `owner-2`, `owner-3` and so on.')),
})

export const noteChangesSchema = fields({ title: text, content: text })

export const outcomeSchema = fields({
  transcript: z
    .optional(z.array(fields({ speaker: text, text: z.string() })))
    .check(z.describe('The spoken lines. Default: a plausible conversation.')),
  summary: z
    .optional(z.union([z.string(), z.literal(false)], 'a text, or false for no summary'))
    .check(z.describe('The summary in Markdown, or false for none. Default: a plausible summary.')),
})

const newNoteSchema = fields({ title: text, content: text, channel: z.optional(channel) })
const newIntegrationSchema = fields({
  channels: z.optional(
    z.array(channel).check(z.minLength(1, 'at least one channel, or omitted to access the personal notes')),
  ),
})
const placeSchema = z.union(
  [z.literal('personal'), channel],
  '"personal", or a channel that owner.createChannel() returned',
)

export function scopesSchema({ scopes }: World) {
  return z.array(z.enum(scopes)).check(z.minLength(1))
}

export function createOwner(world: World): Owner {
  return {
    owner_id: world.owner_id,
    name: world.name,
    apiKey: world.apiKey,
    createChannel: (name) => world.createChannel(checked('owner.createChannel', z.string(), name)),
    record(note = {}) {
      const { channel, ...changes } = checked('owner.record', newNoteSchema, note)
      const { note_id } = world.recordNote(changes, channel?.channel_id ?? 'personal')
      return beginSession(world, note_id)
    },
    createIntegration(integration = {}) {
      const { channels } = checked('owner.createIntegration', newIntegrationSchema, integration)
      const places = channels?.map(({ channel_id }) => channel_id) ?? ['personal']
      return integrationHandle(world, world.createIntegration(places))
    },
    note: (note_id) => noteHandle(world, world.note(checked('owner.note', z.string(), note_id)).note_id),
    notes: () =>
      world.notes
        .all()
        .filter(({ status }) => status !== 'deleted')
        .map(({ note_id }) => noteHandle(world, note_id)),
  }
}

function beginSession(world: World, note_id: string): RecordingHandle {
  const recording_session_id = world.beginSession(note_id)
  const note = noteHandle(world, note_id)
  return {
    recording_session_id,
    note,
    end(outcome = {}) {
      world.endSession(note_id, recording_session_id, checked('recording.end', outcomeSchema, outcome))
      return note
    },
  }
}

function noteHandle(world: World, note_id: string): NoteHandle {
  return {
    note_id,
    get revision() {
      return world.note(note_id).revision
    },
    record: () => beginSession(world, note_id),
    edit: (changes) => world.editNote(note_id, checked('note.edit', noteChangesSchema, changes)),
    delete: () => world.deleteNote(note_id),
    moveTo(place) {
      const valid = checked('note.moveTo', placeSchema, place)
      world.moveNote(note_id, valid === 'personal' ? valid : valid.channel_id)
    },
  }
}

function integrationHandle(world: World, integration: Integration): IntegrationHandle {
  return {
    integration_id: integration.integration_id,
    issueKey(options = {}): IssuedKey {
      const schema = fields({ scopes: z.optional(scopesSchema(world)) })
      const { scopes = world.scopes } = checked('integration.issueKey', schema, options)
      const { key, apiKey } = world.integrations.issueKey(integration, [...scopes])
      const { key_id } = apiKey
      return { key_id, key, scopes: apiKey.scopes, revoke: () => void world.integrations.revokeKey(key_id) }
    },
  }
}
