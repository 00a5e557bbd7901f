import type { NoteHandle, NotesService } from '@notewire/mock-server'
import { progressBar } from './narrator.ts'

const STEPS = 96

/**
 * Lets the owner of the notes work from nine to five, something every five minutes.
 *
 * @param atEachStep  is called at the end of each step, with the time of day
 * @returns what was done, and how often
 */
export async function liveThroughADay(
  service: NotesService,
  atEachStep: (time: string) => Promise<void>,
): Promise<Record<string, number>> {
  const { owner, clock } = service
  const team = owner.createChannel('Team')
  const done = { 'sessions ended': 0, 'titles edited': 0, 'notes deleted': 0, 'notes moved out of our sight': 0 }
  const day = progressBar('five-minute steps from 9:00 to 17:00', STEPS)

  for (let step = 0; step < STEPS; step += 1) {
    if (step % 3 === 0) {
      owner.record({ title: `Meeting ${step / 3 + 1}` }).end()
      done['sessions ended'] += 1
    }
    // Three edits within seconds: their deliveries may well arrive in another order.
    const edited = pick(owner.notes(), step)
    for (const draft of ['first', 'second', 'final']) {
      edited.edit({ title: `Title of step ${step}, ${draft} draft` })
      done['titles edited'] += 1
      await clock.advance('2s')
    }
    if (step % 6 === 4) {
      pick(owner.notes(), step * 7).delete()
      done['notes deleted'] += 1
    }
    if (step % 8 === 6) {
      edited.moveTo(team)
      done['notes moved out of our sight'] += 1
    }
    await clock.advance('4m54s')
    await atEachStep(timeOfDay(clock.now()))
    day.step()
  }
  day.done()
  return done
}

function pick(notes: readonly NoteHandle[], step: number): NoteHandle {
  const note = notes[(step * 31) % notes.length]
  if (note === undefined) throw new Error('the owner has no notes')
  return note
}

function timeOfDay(ms: number): string {
  return new Date(ms).toISOString().slice(11, 16)
}
