import { OptionError, refuseUnknownOptions } from '@notewire/protocol'
import type { Integration } from './integration.ts'
import type { Channel, IntegrationHandle, IssuedKey, NoteHandle, Owner, RecordingHandle } from './owner.ts'
import type { World } from './world.ts'

/** The owner of a world, with handles on what is in it. */
export function createOwner(world: World): Owner {
  return {
    createChannel: (name) => world.createChannel(name),
    record(note = {}) {
      refuseUnknownOptions('owner.record', note, ['title', 'content', 'channel'])
      const { note_id } = world.recordNote(note, placeOf(note.channel ?? 'personal'))
      return beginSession(world, note_id)
    },
    createIntegration(integration = {}) {
      refuseUnknownOptions('owner.createIntegration', integration, ['channels'])
      return integrationHandle(world, world.createIntegration(placesOf(integration.channels)))
    },
    note: (note_id) => noteHandle(world, world.note(note_id).note_id),
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
      refuseUnknownOptions('recording.end', outcome, ['transcript', 'summary'])
      const lines = outcome.transcript?.map(({ speaker = null, text }) => ({ speaker, text }))
      world.endSession(note_id, recording_session_id, { lines, summary: outcome.summary })
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
    edit(changes) {
      refuseUnknownOptions('note.edit', changes, ['title', 'content'])
      world.editNote(note_id, changes)
    },
    delete: () => world.deleteNote(note_id),
    moveTo: (place) => world.moveNote(note_id, placeOf(place)),
  }
}

function integrationHandle(world: World, integration: Integration): IntegrationHandle {
  return {
    integration_id: integration.integration_id,
    issueKey(options = {}) {
      refuseUnknownOptions('integration.issueKey', options, ['scopes'])
      return issueKey(world, integration, options.scopes ?? world.scopes)
    },
  }
}

function issueKey(world: World, integration: Integration, scopes: readonly string[]): IssuedKey {
  const unknown = scopes.find((scope) => !world.scopes.includes(scope))
  if (unknown !== undefined || scopes.length === 0) {
    throw new OptionError(
      'scopes',
      `a key needs at least one known scope, and got ${unknown === undefined ? 'none' : `"${unknown}"`}. Choose from: ${world.scopes.join(', ')}.`,
    )
  }
  const { key, apiKey } = world.integrations.issueKey(integration, [...scopes])
  return { key_id: apiKey.key_id, key, scopes: apiKey.scopes, revoke: () => world.integrations.revokeKey(key) }
}

function placesOf(channels: readonly Channel[] | undefined): readonly string[] {
  if (channels === undefined) return ['personal']
  if (channels.length > 0) return channels.map(placeOf)
  throw new OptionError(
    'channels',
    'an integration for no channel would see nothing. Name at least one, or leave "channels" out for the personal notes.',
  )
}

function placeOf(place: Channel | 'personal'): string {
  return place === 'personal' ? place : place.channel_id
}
