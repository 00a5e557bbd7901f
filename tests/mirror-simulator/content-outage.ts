import type { EventMessage } from './event-message.ts'
import type { EventSender } from './event-sender.ts'
import type { HistoryContext } from './history-context.ts'
import type { Instance } from './instance.ts'
import type { Network } from './network.ts'

/** Longer than the mirror's patience for content that is not ready, in minutes. */
const OUTAGE_MIN = 15

interface Participants {
  readonly instance: Instance
  readonly network: Network
  readonly sender: EventSender
}

/** Has requests for content fail for a while after an edit. Often, the note leaves meanwhile without an event. */
export async function haveContentFail(
  { world, random, checker, chronicle }: HistoryContext,
  { instance, network, sender }: Participants,
): Promise<void> {
  const { mirror, process } = instance
  const events: EventMessage[] = []
  world.onDelivery((event) => events.push(event))
  const notes = world.notes.filter(({ isVisible }) => isVisible)
  const note = notes[random.integer(0, notes.length - 1)]
  if (note === undefined) return
  chronicle.count('content fails')
  network.refusesContent = true
  await world.catchUp()
  world.edit(note)
  // The event of an edit is sent after some seconds.
  await process.clock.sleep(61_000)
  await world.catchUp()
  for (const event of events.splice(0)) await sender.deliver(event)
  for (let minute = 0; minute < OUTAGE_MIN; minute += 1) {
    await mirror.settle().catch((error) => checker.onError(error))
    await process.clock.sleep(60_000)
  }
  if (random.chance(0.7)) world.moveOut(note)
  network.refusesContent = false
}
