import { anEvent } from '@notewire/webhooks/testing'
import { type Letter, letterOf } from './letter.ts'
import type { Post } from './post.ts'
import type { Stage } from './stage.ts'
import type { TrueNote } from './true-note.ts'

/** What an owner can do to a note, and the event that tells of it. */
interface Act {
  readonly isPossible: (note: TrueNote) => boolean
  readonly do: (stage: Stage, note: TrueNote) => void
  readonly event: 'note.ended' | 'note.updated' | 'note.deleted'
  /** By how much it raises the revision. */
  readonly raises: 0 | 1
}

const isThere = (note: TrueNote) => !note.isDeleted
const isElsewhere = (note: TrueNote) => !note.isDeleted && !note.isVisible

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

/** How soon after a move the note may come back: within a read, within a scan, after the event, after a poll. */
const BACK_WITHIN_MS = [1, 10, 40, 500, 30_000] as const

/** The owner does something. */
export async function act(stage: Stage, post: Post): Promise<void> {
  const { random, world } = stage
  await world.catchUp()
  const note = world.notes[random.integer(0, world.notes.length - 1)]
  if (note === undefined || random.chance(0.15)) recordNew(stage)
  else actOn(note, stage, post)
}

/** The owner does something to a note soon. */
export function meddle(noteId: string, withinMs: number, stage: Stage, post: Post): void {
  const { random, schedule, world } = stage
  const note = world.find(noteId)
  if (note === undefined) return
  const doIt = async () => {
    await world.catchUp()
    actOn(note, stage, post)
  }
  schedule.after(random.integer(0, withinMs), () => schedule.hold(doIt()))
}

function actOn(note: TrueNote, stage: Stage, post: Post): void {
  const { random } = stage
  const chosen = random.pick(ACTS)
  if (!chosen.isPossible(note)) return
  if (stage.strikes('earlyEvent')) {
    post.take(eventBefore(chosen, note, stage))
    later(stage, random.integer(1, random.pick([20, 2_000])), chosen, note)
    return
  }
  chosen.do(stage, note)
  lookAgain(stage)
  if (chosen === moveOut && random.chance(0.5)) {
    later(stage, random.integer(0, random.pick(BACK_WITHIN_MS)), moveBack, note)
  }
}

/** A new note, most of them at once with a first session. */
export function recordNew(stage: Stage): void {
  const { random, world } = stage
  const note = world.record()
  if (random.chance(0.8)) end.do(stage, note)
  lookAgain(stage)
}

function later(stage: Stage, ms: number, chosen: Act, note: TrueNote): void {
  const doIt = async () => {
    await stage.world.catchUp()
    if (!chosen.isPossible(note)) return
    chosen.do(stage, note)
    lookAgain(stage)
  }
  stage.schedule.after(ms, () => stage.schedule.hold(doIt()))
}

/** What the service does by itself after an act is to be noticed when it happens, and not only with the next request. */
function lookAgain({ schedule, world }: Stage): void {
  for (const ms of [5_001, 31_000]) schedule.after(ms, () => schedule.hold(world.catchUp()))
}

function eventBefore({ event, raises }: Act, note: TrueNote, { random }: Stage): Letter {
  const revision = note.handle.revision + raises
  const made = anEvent({ kind: event, noteId: note.id, revision, eventId: `evt_early_${random.integer(1, 1e9)}` })
  return letterOf({ event_id: made.event_id, event_type: event, body: JSON.stringify(made) }, note.id, 0)
}
