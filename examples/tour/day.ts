import type { NoteHandle, NotesService } from '@notewire/mock-server'
import { progressBar } from './narrator.ts'

const STEPS = 96

/**
 * Simulates a working day of the owner from 9:00 to 17:00, with several acts every five minutes.
 *
 * @param atEachStep  is called at the end of each step, with the time of day
 * @returns the number of each kind of act
 */
export async function simulateDay(
  service: NotesService,
  atEachStep: (time: string) => Promise<void>,
): Promise<Record<string, number>> {
  const { owner, clock } = service
  const team = owner.createChannel('Team')
  const done = { 'sessions ended': 0, 'titles edited': 0, 'notes deleted': 0, 'notes moved out of reach of the key': 0 }
  const day = progressBar('five-minute steps from 9:00 to 17:00', STEPS)

  for (let step = 0; step < STEPS; step += 1) {
    if (step % 3 === 0) {
      owner.record({ title: `Meeting ${step / 3 + 1}` }).end()
      done['sessions ended'] += 1
    }
    // Three edits within seconds, which the service combines into one event.
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
      done['notes moved out of reach of the key'] += 1
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
