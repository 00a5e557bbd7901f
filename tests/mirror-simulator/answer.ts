import type { Note } from '@notewire/protocol'
import type { Random } from '../simulation/random.ts'
import type { CursorRefusal } from './contract-draw.ts'
import type { LogicalClock } from './logical-clock.ts'

/** An answer of the service. */
export interface Answer {
  readonly url: URL
  readonly status: number
  readonly headers: Headers
  readonly text: string
  /** The text that arrives, if it differs from what the service made. */
  readonly spoiledText?: string | undefined
  /** When the service made it, by the logical clock. */
  readonly madeAt: number
}

const encoder = new TextEncoder()

/** Makes the response for the client, with only the members that the client reads: real `Response` objects take a fifth of all time. */
export function answerOf(
  { status, headers, text: made, spoiledText: text = made }: Answer,
  isTruncated: boolean,
): Response {
  const bytes = encoder.encode(isTruncated ? text.slice(0, text.length / 2) : text)
  const chunks = [{ done: false, value: bytes }]
  const read = async () => chunks.pop() ?? { done: true, value: undefined }
  const body = { getReader: () => ({ read, cancel: async () => undefined }) }
  return { status, headers, body } as unknown as Response
}

const NO_URL = new URL('https://nowhere.test/')

/** Makes an error response of a proxy that has not called the service. */
export function errorAnswer(
  outcome: string,
  { random, logicalClock }: { readonly random: Random; readonly logicalClock: LogicalClock },
): Answer {
  const headers = new Headers()
  const status = outcome === 'denied' ? random.pick([401, 403]) : random.pick([429, 429, 500, 502, 503, 504])
  if (status === 429 && random.chance(0.7)) headers.set('retry-after', String(random.pick([0, 1, 7, 61, 3_600])))
  return { url: NO_URL, status, headers, text: 'not now', madeAt: logicalClock.next() }
}

/** Makes the answer to a cursor that the service does not know. */
export function refusedCursor(url: URL, { status, code }: CursorRefusal, madeAt: number): Answer {
  return {
    url,
    status,
    headers: new Headers(),
    text: code === undefined ? '' : JSON.stringify({ error: { code } }),
    madeAt,
  }
}

/** Makes an empty last page, as if the service had no notes. */
export function withoutNotes(answer: Answer): Answer {
  return { ...answer, text: JSON.stringify({ ...pageIn(answer, () => false), next_cursor: null, has_more: false }) }
}

/** Removes the tombstones from a page. */
export function withoutTombstones(answer: Answer): Answer {
  return { ...answer, text: JSON.stringify(pageIn(answer, (note) => note.status !== 'deleted')) }
}

/** Makes an answer in which a record of a note has no usable revision, or no identifier. */
export function withUnusableRecord(answer: Answer, field: 'revision' | 'identifier', random: Random): Answer {
  // `JSON.stringify` leaves out what is `undefined`.
  const spoiled = field === 'revision' ? { revision: 'one' } : { note_id: undefined, id: undefined }
  const body: Record<string, unknown> = JSON.parse(answer.text)
  const notes = isListing(answer.url)
    ? Object.values(body).find((value): value is object[] => Array.isArray(value))
    : [body]
  const record = notes?.at(random.integer(0, Math.max(0, notes.length - 1)))
  if (record === undefined) return answer
  Object.assign(record, spoiled)
  return { ...answer, spoiledText: JSON.stringify(body) }
}

/** Whether the answer at `url` is a page of notes. */
export function isListing({ pathname }: URL): boolean {
  return pathname.endsWith('/notes')
}

function pageIn({ text }: Answer, isShown: (note: Partial<Note>) => boolean): object {
  const page: Record<string, unknown> = JSON.parse(text)
  const [field = 'notes'] = Object.keys(page).filter((name) => Array.isArray(page[name]))
  return { ...page, [field]: (page[field] as Partial<Note>[]).filter(isShown) }
}
