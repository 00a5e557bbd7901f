import type { MakeIdentifier } from '../seed/identifiers.ts'
import type { SeededRandom } from '../seed/seeded-random.ts'
import { noteBegun, sessionBegun, sessionEnded, summaryGenerated } from './note.ts'
import type { NoteIndex } from './note-index.ts'
import { plausibleContent, plausibleTitle } from './plausible-words.ts'

const MINUTE_MS = 60_000
const OLDEST_MS = 6 * 7 * 24 * 60 * MINUTE_MS
/** Longer than any recording and its summary, so that all seeded notes are in the past. */
const NEWEST_MS = 120 * MINUTE_MS

interface Seeding {
  readonly count: number
  readonly now: number
  readonly random: SeededRandom
  readonly makeIdentifier: MakeIdentifier
}

export function seedNotes(notes: NoteIndex, { count, now, random, makeIdentifier }: Seeding): void {
  const slotMs = (OLDEST_MS - NEWEST_MS) / count
  for (let sequence = 0; sequence < count; sequence++) {
    const createdAt = Math.floor(now - OLDEST_MS + slotMs * (sequence + random.fraction()))
    const endedAt = createdAt + random.integer(10 * MINUTE_MS, 50 * MINUTE_MS)
    const summarisedAt = endedAt + random.integer(5000, 30_000)
    const recording_session_id = makeIdentifier('recording_session')
    const beginning = {
      note_id: makeIdentifier('note'),
      sequence,
      title: plausibleTitle(random),
      content: random.chance(0.5) ? plausibleContent(random) : null,
      place: 'personal',
    }
    const recorded = sessionBegun(noteBegun(beginning, createdAt), recording_session_id)
    const ended = sessionEnded(recorded, { recording_session_id, lines: undefined }, undefined, endedAt)
    notes.put(summaryGenerated(ended, summarisedAt))
  }
}
