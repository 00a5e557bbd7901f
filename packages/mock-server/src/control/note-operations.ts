import * as z from 'zod/mini'
import { fields, name } from '../errors/checked.ts'
import { noteChangesSchema, outcomeSchema } from '../world/create-owner.ts'
import type { NoteRecord } from '../world/note.ts'
import type { Owners } from '../world/owners.ts'
import type { World } from '../world/world.ts'
import {
  type Call,
  type ControlOperation,
  operation,
  ownerFilter,
  ownerOrFirst,
  paging,
  timestamp,
} from './operation.ts'

const place = name.check(z.describe('`personal`, or the identifier of a channel.'))

export const noteOperations = {
  'GET /control/notes': operation({
    summary: 'List notes, the newest first, including tombstones',
    input: fields({ ...ownerFilter, ...paging }),
    run: ({ owners, input: { owner_id, ...part } }) => ({
      notes: newestNotes(owners, owner_id, part).notes.map(({ world, note }) => noteView(world, note)),
    }),
  }),
  'POST /control/notes': operation({
    summary: 'Create a note and start its first recording session',
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
  'PATCH /control/notes/:note_id': onNote({
    summary: 'Edit the title or the content of a note',
    input: noteChangesSchema,
    act: (world, note_id, { input }) => world.editNote(note_id, input),
  }),
  'POST /control/notes/:note_id/move': onNote({
    summary: 'Move a note to a channel, or to the personal notes',
    input: fields({ place }),
    act: (world, note_id, { input }) => world.moveNote(note_id, input.place),
  }),
  'DELETE /control/notes/:note_id': operation({
    summary: 'Delete a note',
    status: 204,
    run: ({ owners, id }) => void owners.ofNote(id('note_id')).deleteNote(id('note_id')),
  }),
  'POST /control/notes/:note_id/sessions': operation({
    summary: 'Start another recording session of a note',
    status: 201,
    run: ({ owners, id }) => ({ recording_session_id: owners.ofNote(id('note_id')).beginSession(id('note_id')) }),
  }),
  'POST /control/notes/:note_id/sessions/:recording_session_id/end': onNote({
    summary: 'End a recording session',
    input: outcomeSchema,
    act: (world, note_id, { id, input }) => world.endSession(note_id, id('recording_session_id'), input),
  }),
}

/** An operation on the note of the path. It returns the note in its new state. */
function onNote<Schema extends z.ZodMiniType = z.ZodMiniType<undefined>>({
  act,
  ...described
}: Pick<ControlOperation, 'summary'> & {
  readonly input?: Schema
  readonly act?: (world: World, note_id: string, call: Call<z.output<Schema>>) => void
}): ControlOperation {
  return operation<Schema>({
    ...described,
    run: (call) => {
      const note_id = call.id('note_id')
      const world = call.owners.ofNote(note_id)
      act?.(world, note_id, call)
      return noteView(world, world.note(note_id))
    },
  })
}

function noteView({ owner_id }: World, note: NoteRecord): object {
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

export interface OwnedNote {
  readonly world: World
  readonly note: NoteRecord
}

export function newestNotes(
  owners: Owners,
  owner_id: string | undefined,
  { skip, limit }: { readonly skip: number; readonly limit: number },
): { readonly notes: readonly OwnedNote[]; readonly more: boolean } {
  const found = owners
    .only(owner_id)
    .flatMap((world) => world.notes.newest(skip + limit + 1).map((note) => ({ world, note })))
    .toSorted((one, other) => other.note.created_at - one.note.created_at)
  return { notes: found.slice(skip, skip + limit), more: found.length > skip + limit }
}
