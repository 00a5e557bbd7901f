import type { ContractVariants } from '@notewire/mock-server'
import { noteIdOf } from '../note-list.ts'
import { asDefault, incompatible, otherwise, type PointSubject, type ProbedPoint, unseen } from '../point.ts'
import type { Sample } from '../sample.ts'
import type { Wire, WireAnswer } from '../wire.ts'
import { bodyOf, errorCodeOf, type Fields, isDone, statusInWords } from '../wire-shapes.ts'

type Kind = 'transcript' | 'summary'

const SHAPE: Readonly<Record<Kind, PointSubject>> = {
  transcript: { row: 9, title: 'shape of a transcript' },
  summary: { row: 10, title: 'shape of a summary' },
}
const NOT_READY: Readonly<Record<Kind, PointSubject>> = {
  transcript: { row: 9, title: 'transcript that is not ready' },
  summary: { row: 10, title: 'summary that is not ready' },
}
const REVISION: PointSubject = { row: 9, title: 'revision of transcripts and summaries' }

/** Transcripts and summaries (open points 9 and 10). */
export async function contentPoints(wire: Wire, { notes }: Sample): Promise<readonly ProbedPoint[]> {
  const transcripts = await readings(wire, notes, 'transcript')
  const summaries = await readings(wire, notes, 'summary')
  return [
    transcriptShape(transcripts),
    transcriptNotReady(transcripts),
    summaryShape(summaries),
    summaryNotReady(summaries),
    revisions([...transcripts, ...summaries]),
  ]
}

/** The content of one note, as it was answered. */
interface Reading {
  readonly note: Fields
  readonly answer: WireAnswer
}

/** How many notes of each kind are read: of those that are ready, of those that are not, and of those that do not say. */
const MOST_READ = 2

async function readings(wire: Wire, notes: readonly Fields[], kind: Kind): Promise<readonly Reading[]> {
  const statusOf = (note: Fields) => note[`${kind}_status`]
  const picked = [
    ...notes.filter((note) => statusOf(note) === 'ready').slice(-MOST_READ),
    ...notes.filter((note) => statusOf(note) === 'pending').slice(-MOST_READ),
    ...notes.filter((note) => statusOf(note) !== 'ready' && statusOf(note) !== 'pending').slice(-2 * MOST_READ),
  ]
  const read: Reading[] = []
  for (const note of picked) {
    const answer = await wire.ask({ path: `/v1/notes/${encodeURIComponent(noteIdOf(note) ?? '')}/${kind}` })
    if (answer !== undefined) read.push({ note, answer })
    if (answer?.status === 403) break
  }
  return read
}

function whyUnseen(readings: readonly Reading[], otherReason: string): string {
  if (readings.some(({ answer }) => answer.status === 403)) return 'the key may not read them'
  return otherReason
}

function transcriptShape(readings: readonly Reading[]): ProbedPoint {
  const ready = readings.filter(({ answer }) => answer.status === 200).map(({ answer }) => bodyOf(answer))
  if (ready.length === 0) return unseen(SHAPE.transcript, whyUnseen(readings, 'no transcript is ready'))
  const missing = ['note_id', 'text', 'segments'].filter((field) => ready.some((body) => !(field in body)))
  if (missing.length === 0) return asDefault(SHAPE.transcript, 'note_id, text and segments')
  const seen = `without ${missing.join(', ')}`
  const isReadable = !missing.includes('text') || !missing.includes('segments')
  return isReadable
    ? otherwise(SHAPE.transcript, seen, 'See which of text and segments is there before you use it.')
    : incompatible(SHAPE.transcript, seen, 'The client finds no transcript in it.')
}

function summaryShape(readings: readonly Reading[]): ProbedPoint {
  const ready = readings.filter(({ answer }) => answer.status === 200).map(({ answer }) => bodyOf(answer))
  if (ready.length === 0) return unseen(SHAPE.summary, whyUnseen(readings, 'no summary is ready'))
  const missing = ['note_id', 'status', 'markdown'].filter((field) => ready.some((body) => !(field in body)))
  if (missing.length === 0) return asDefault(SHAPE.summary, 'note_id, status and markdown')
  const seen = `without ${missing.join(', ')}`
  return missing.includes('markdown')
    ? incompatible(SHAPE.summary, seen, 'The client finds no summary in it.')
    : otherwise(SHAPE.summary, seen, 'There is nothing to set.')
}

function transcriptNotReady(readings: readonly Reading[]): ProbedPoint {
  const answer = readings.map((reading) => reading.answer).find(isNotReady)
  if (answer === undefined) return unseen(NOT_READY.transcript, whyUnseen(readings, 'every transcript is ready'))
  const { status } = answer
  const seen = statusInWords(answer)
  if (status === 404 && errorCodeOf(answer) === 'not_ready') return asDefault(NOT_READY.transcript, seen)
  const advice = 'The client throws not_ready for it, too. There is nothing to set.'
  if (status === 409 || status === 202) {
    return otherwise(NOT_READY.transcript, seen, advice, { transcriptNotReady: status })
  }
  return otherwise(NOT_READY.transcript, seen, MISTAKEN_FOR_MISSING)
}

const MISTAKEN_FOR_MISSING =
  'Without the code not_ready, the client takes it for a note that is not there (not_found): go by the status in the note, or by the events.'

function summaryNotReady(readings: readonly Reading[]): ProbedPoint {
  const notReady = readings
    .map((reading) => reading.answer)
    .find((answer) => isNotReady(answer) || (answer.status === 200 && bodyOf(answer)['markdown'] === null))
  if (notReady === undefined) return unseen(NOT_READY.summary, whyUnseen(readings, 'every summary is ready'))
  if (isDone(notReady) && notReady.status === 200) return asDefault(NOT_READY.summary, '200, with its status and null')
  const contract: ContractVariants = notReady.status === 404 ? { summaryNotReady: 404 } : {}
  const advice =
    notReady.status === 404 && errorCodeOf(notReady) !== 'not_ready'
      ? MISTAKEN_FOR_MISSING
      : 'The client throws not_ready for it. There is nothing to set.'
  return otherwise(NOT_READY.summary, statusInWords(notReady), advice, contract)
}

function isNotReady({ status }: WireAnswer): boolean {
  return status === 404 || status === 409 || status === 202
}

/** The revision of content, held against that of its note. */
function revisions(readings: readonly Reading[]): ProbedPoint {
  const read = readings
    .filter(({ answer }) => answer.status === 200)
    .map(({ note, answer }) => ({ ofNote: note['revision'], ofContent: bodyOf(answer)['revision'] }))
  if (read.length === 0) return unseen(REVISION, whyUnseen(readings, 'no content is ready'))
  if (read.every(({ ofContent }) => typeof ofContent !== 'number')) {
    return otherwise(REVISION, 'absent', SETTLED_OTHERWISE, { contentRevision: 'absent' })
  }
  const isBehind = read.some(({ ofNote, ofContent }) => Number(ofContent) < Number(ofNote))
  if (!isBehind) return asDefault(REVISION, "the note's own")
  const seen = "lower than the note's: the one at which it was written"
  return otherwise(REVISION, seen, SETTLED_OTHERWISE, { contentRevision: 'written' })
}

const SETTLED_OTHERWISE =
  'The mirror reads the note before and after its content to know that they belong together: one request more a note. There is nothing to set.'
