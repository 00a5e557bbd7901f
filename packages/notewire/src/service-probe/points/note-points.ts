import { noteIdOf } from '../note-list.ts'
import { asDefault, incompatible, otherwise, type ProbedPoint, unseen } from '../point.ts'
import type { Sample } from '../sample.ts'
import type { Wire, WireAnswer } from '../wire.ts'
import { isDone, statusInWords } from '../wire-shapes.ts'

const READ = { row: 8, title: 'reading one note' } as const
const DELETED = { row: 8, title: 'reading a deleted note' } as const
const MISSING = { row: 8, title: 'reading a note that is not there' } as const

/** Reading one note (open point 8). */
export async function notePoints(wire: Wire, { notes, tombstones }: Sample): Promise<readonly ProbedPoint[]> {
  const listed = notes.map(noteIdOf).find((id) => id !== undefined)
  if (listed === undefined)
    return [READ, DELETED, MISSING].map((subject) => unseen(subject, 'there is no note to read'))
  const read = await readNote(wire, listed)
  const point = reading(read)
  if (!isDone(read)) return [point, ...[DELETED, MISSING].map((subject) => unseen(subject, 'no note can be read'))]
  const deleted = tombstones.map(noteIdOf).find((id) => id !== undefined)
  return [
    point,
    deleted === undefined ? unseen(DELETED, 'no deleted note is listed') : deletion(await readNote(wire, deleted)),
    absence(await readNote(wire, 'note_notewire_probe')),
  ]
}

function readNote(wire: Wire, id: string): Promise<WireAnswer | undefined> {
  return wire.ask({ path: `/v1/notes/${encodeURIComponent(id)}` })
}

function reading(answer: WireAnswer | undefined): ProbedPoint {
  if (answer === undefined) return unseen(READ, 'no answer came')
  if (isDone(answer)) return asDefault(READ, 'GET /v1/notes/{note_id} answers the note')
  const seen = `GET /v1/notes/{note_id} answers ${statusInWords(answer)} for a note that was just listed`
  if ([404, 405, 501].includes(answer.status)) {
    const advice =
      'There is no such operation: client.notes.get goes through the list instead, which is slow with many notes, and the mirror confirms deletions by a second listing.'
    return otherwise(READ, seen, advice, { noteOperation: 'absent' })
  }
  return incompatible(READ, seen, 'client.notes.get fails. The list works all the same.')
}

function deletion(answer: WireAnswer | undefined): ProbedPoint {
  if (answer === undefined) return unseen(DELETED, 'no answer came')
  if (isDone(answer)) return asDefault(DELETED, 'its deletion marker')
  const advice = 'The client and the mirror take it for gone. There is nothing to set.'
  const contract = answer.status === 404 ? { noteOperation: 'live_notes' as const } : {}
  return otherwise(DELETED, statusInWords(answer), advice, contract)
}

function absence(answer: WireAnswer | undefined): ProbedPoint {
  if (answer === undefined) return unseen(MISSING, 'no answer came')
  if (answer.status === 404) return asDefault(MISSING, statusInWords(answer))
  const advice = 'The mirror takes 404 alone for a note that is gone, and asks again for all else.'
  return incompatible(MISSING, statusInWords(answer), advice)
}
