import { anEvent } from '@notewire/webhooks/testing'
import { type EventMessage, messageOf } from './event-message.ts'
import type { EventSender } from './event-sender.ts'
import type { HistoryContext } from './history-context.ts'
import type { NoteModel } from './note-model.ts'

/** An action of the owner on a note, and the event that announces it. */
interface Act {
  readonly isPossible: (note: NoteModel) => boolean
  readonly do: (context: HistoryContext, note: NoteModel) => void
  readonly event: 'note.ended' | 'note.updated' | 'note.deleted'
  /** How much the action raises the revision. */
  readonly raises: 0 | 1
}

const isThere = (note: NoteModel) => !note.isDeleted
const isElsewhere = (note: NoteModel) => !note.isDeleted && !note.isVisible

const edit: Act = { isPossible: isThere, do: ({ world }, note) => world.edit(note), event: 'note.updated', raises: 1 }
const end: Act = {
  isPossible: (note) => isThere(note) && note.recordings.length > 0,
  do: ({ world }, note) => world.endSession(note),
  event: 'note.ended',
  raises: 1,
}
const recordAgain: Act = {
  isPossible: (note) => isThere(note) && note.recordings.length === 0,
  do: ({ world }, note) => world.recordAgain(note),
  event: 'note.updated',
  raises: 0,
}
const remove: Act = {
  isPossible: isThere,
  do: ({ world }, note) => world.delete(note),
  event: 'note.deleted',
  raises: 1,
}
const moveOut: Act = {
  isPossible: (note) => isThere(note) && note.isVisible,
  do: ({ world }, note) => world.moveOut(note),
  event: 'note.deleted',
  raises: 0,
}
const moveBack: Act = {
  isPossible: isElsewhere,
  do: ({ world }, note) => world.moveBack(note),
  event: 'note.updated',
  raises: 0,
}

const ACTS: readonly [Act, ...Act[]] = [edit, edit, end, end, recordAgain, remove, moveOut, moveOut, moveBack, moveBack]

/** How soon a moved note may come back: within a read, within a full listing, after the event, after a poll. */
const BACK_WITHIN_MS = [1, 10, 40, 500, 30_000] as const

/** Performs a random action of the owner. */
export async function act(context: HistoryContext, sender: EventSender): Promise<void> {
  const { random, world } = context
  await world.catchUp()
  const note = world.notes[random.integer(0, world.notes.length - 1)]
  if (note === undefined || random.chance(0.15)) recordNew(context)
  else actOn(note, context, sender)
}

/** Schedules an action on a note, so that it happens while a read of the note is in progress. */
export function changeDuringRead(noteId: string, withinMs: number, context: HistoryContext, sender: EventSender): void {
  const { random, schedule, world } = context
  const note = world.find(noteId)
  if (note === undefined) return
  const doIt = async () => {
    await world.catchUp()
    actOn(note, context, sender)
  }
  schedule.after(random.integer(0, withinMs), () => schedule.hold(doIt()))
}

function actOn(note: NoteModel, context: HistoryContext, sender: EventSender): void {
  const { random } = context
  const chosen = random.pick(ACTS)
  if (!chosen.isPossible(note)) return
  if (context.occurs('earlyEvent')) {
    sender.send(earlyEventOf(chosen, note, context))
    actLater(context, random.integer(1, random.pick([20, 2_000])), chosen, note)
    return
  }
  chosen.do(context, note)
  pollServiceLater(context)
  if (chosen === moveOut && random.chance(0.5)) {
    actLater(context, random.integer(0, random.pick(BACK_WITHIN_MS)), moveBack, note)
  }
}

/** Records a new note, usually with an ended session. */
export function recordNew(context: HistoryContext): void {
  const { random, world } = context
  const note = world.record()
  if (random.chance(0.8)) end.do(context, note)
  pollServiceLater(context)
}

function actLater(context: HistoryContext, ms: number, chosen: Act, note: NoteModel): void {
  const doIt = async () => {
    await context.world.catchUp()
    if (!chosen.isPossible(note)) return
    chosen.do(context, note)
    pollServiceLater(context)
  }
  context.schedule.after(ms, () => context.schedule.hold(doIt()))
}

/** Schedules polls of the service, so that summaries and delayed events are seen when they happen, not at the next request. */
function pollServiceLater({ schedule, world }: HistoryContext): void {
  for (const ms of [5_001, 31_000]) schedule.after(ms, () => schedule.hold(world.catchUp()))
}

function earlyEventOf({ event, raises }: Act, note: NoteModel, { random }: HistoryContext): EventMessage {
  const revision = note.handle.revision + raises
  const made = anEvent({ kind: event, noteId: note.id, revision, eventId: `evt_early_${random.integer(1, 1e9)}` })
  return messageOf({ event_id: made.event_id, event_type: event, body: JSON.stringify(made) }, note.id, 0)
}
