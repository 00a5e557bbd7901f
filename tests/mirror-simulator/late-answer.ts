import type { EventMessage } from './event-message.ts'
import type { EventSender } from './event-sender.ts'
import type { HistoryContext } from './history-context.ts'
import type { Instance } from './instance.ts'
import type { Network } from './network.ts'
import type { NoteModel } from './note-model.ts'

/** How long the read of the note may take to reach the service, in milliseconds. */
const ANSWERED_WITHIN_MS = 500

interface Participants {
  readonly instance: Instance
  readonly network: Network
  readonly sender: EventSender
}

/**
 * Has a whole full listing run while the answer to an older read of a note is in transit: the owner changes a note, its event makes the mirror read it,
 * the service answers, the owner changes the note again, the full listing lists all notes, and then the answer arrives.
 *
 * @param fullListing  runs a whole full listing
 * @returns whether the answer arrived after the full listing
 */
export async function haveAnswerArriveLate(
  context: HistoryContext,
  { instance, network, sender }: Participants,
  fullListing: () => Promise<void>,
): Promise<boolean> {
  const { world, random, checker, chronicle } = context
  const { mirror, process } = instance
  const events: EventMessage[] = []
  world.onDelivery((event) => events.push(event))
  const notes = world.notes.filter(({ isDeleted }) => !isDeleted)
  const note = notes[random.integer(0, notes.length - 1)]
  if (note === undefined) return false
  const deliver = async () => {
    for (const event of events.splice(0)) await sender.deliver(event)
  }

  await change(note, context)
  await deliver()
  const held = network.holdAnswers(note.id)
  process.jobs += 1
  const settled = mirror.settle().catch((error) => checker.onError(error))
  for (let ms = 0; held.count === 0 && ms < ANSWERED_WITHIN_MS; ms += 10) await process.clock.sleep(10)
  held.end()
  const isHeld = held.count > 0
  await change(note, context)
  const isAnnounced = random.chance(0.3)
  if (isAnnounced) await deliver()
  await fullListing()
  held.release()
  await settled
  process.jobs -= 1
  if (isHeld) chronicle.count('an answer arrives after a full listing')
  return isHeld
}

/** Moves a note out of sight or back, or edits it. */
async function change(note: NoteModel, { world, random }: HistoryContext): Promise<void> {
  await world.catchUp()
  if (random.chance(0.2)) world.edit(note)
  else if (note.isVisible) world.moveOut(note)
  else world.moveBack(note)
  await world.catchUp()
}
