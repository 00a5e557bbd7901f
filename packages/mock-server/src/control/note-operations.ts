import * as z from 'zod/mini'
import { fields, name } from '../errors/checked.ts'
import { noteChangesSchema, outcomeSchema } from '../world/create-owner.ts'
import type { NoteRecord } from '../world/note.ts'
import type { World } from '../world/world.ts'
import { logQuery, matcherOf, pageOf } from './log-page.ts'
import {
  type Call,
  type ControlOperation,
  known,
  operation,
  ownerFilter,
  ownerOrFirst,
  timestamp,
} from './operation.ts'

const place = name.check(z.describe('`personal`, or the identifier of a channel.'))

export const noteOperations = {
  'GET /control/notes': operation({
    summary: 'List notes, the newest first, including tombstones',
    input: fields({ ...ownerFilter, ...logQuery }),
    run: ({ owners, input: { owner_id, search, ...position } }) => {
      const isFound = matcherOf(search)
      const worlds = owners.only(owner_id)
      const notes = worlds.flatMap((world) => world.notes.all().map((note) => ({ world, note })))
      if (worlds.length > 1) notes.sort((one, other) => one.note.created_at - other.note.created_at)
      const matches = ({ note: { note_id, title, status } }: (typeof notes)[number]) =>
        isFound(() => [note_id, title, status])
      const part = pageOf(notes, ({ note }) => note.note_id, matches, position)
      const found = known('note', position.before, part)
      return { notes: found.entries.map(({ world, note }) => noteView(world, note)), page: found.page }
    },
  }),
  'POST /control/notes': operation({
    summary: 'Record a note',
    status: 201,
    input: fields({
      title: z.optional(z.nullable(z.string())).check(z.describe('Default: a plausible title.')),
      content: z.optional(z.nullable(z.string())),
      place: z._default(place, 'personal'),
      ...ownerOrFirst,
    }),
    run: ({ owners, input: { place, owner_id, ...changes } }) => {
      const world = owners.find(owner_id)
      const { note_id } = world.recordNote(changes, place)
      world.beginSession(note_id)
      return noteView(world, world.note(note_id))
    },
  }),
  'GET /control/notes/:note_id': onNote({ summary: 'Read a note with its recording sessions' }),
  'POST /control/notes/:note_id/sessions/:recording_session_id/end': onNote({
    summary: 'End the recording session',
    input: outcomeSchema,
    act: (world, note_id, { id, input }) => world.endSession(note_id, id('recording_session_id'), input),
  }),
  'PATCH /control/notes/:note_id': onNote({
    summary: 'Edit the note',
    input: noteChangesSchema,
    act: (world, note_id, { input }) => world.editNote(note_id, input),
  }),
  'POST /control/notes/:note_id/move': onNote({
    summary: 'Move the note',
    input: fields({ place }),
    act: (world, note_id, { input }) => world.moveNote(note_id, input.place),
  }),
  'POST /control/notes/:note_id/sessions': operation({
    summary: 'Start another recording session',
    status: 201,
    run: ({ owners, id }) => ({ recording_session_id: owners.ofNote(id('note_id')).beginSession(id('note_id')) }),
  }),
  'DELETE /control/notes/:note_id': operation({
    summary: 'Delete the note',
    status: 204,
    run: ({ owners, id }) => void owners.ofNote(id('note_id')).deleteNote(id('note_id')),
  }),
}

/** An operation on the note of the path. It returns the note in its new state. */
function onNote<Schema extends z.ZodMiniType = z.ZodMiniType<undefined>>({
  act,
  ...described
}: Pick<ControlOperation, 'summary'> & {
  readonly input?: Schema
  readonly act?: (world: World, note_id: string, call: Call<z.output<Schema>>) => void
}) {
  return operation<object, Schema>({
    ...described,
    run: (call) => {
      const note_id = call.id('note_id')
      const world = call.owners.ofNote(note_id)
      act?.(world, note_id, call)
      return noteView(world, world.note(note_id))
    },
  })
}

function noteView({ owner_id }: World, note: NoteRecord) {
  const { note_id, revision, title, content, status, transcript_status, summary_status, place, sessions } = note
  return {
    ...{ note_id, owner_id, revision, title, content, status, transcript_status, summary_status, place },
    created_at: timestamp(note.created_at),
    updated_at: timestamp(note.updated_at),
    ended_at: timestamp(note.ended_at),
    deleted_at: timestamp(note.deleted_at),
    sessions: sessions.map(({ recording_session_id, ended }) => ({ recording_session_id, ended })),
  }
}
