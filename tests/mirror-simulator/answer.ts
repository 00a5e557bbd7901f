import type { Note } from '@notewire/protocol'
import type { Random } from '../simulation/random.ts'
import type { Moments } from './moments.ts'

/** What the service answered, and when. */
export interface Answer {
  readonly url: URL
  readonly status: number
  readonly headers: Headers
  readonly text: string
  /** The moment whose truth it tells. */
  readonly madeAt: number
}

const encoder = new TextEncoder()

/** As the client gets it: of a real `Response` what the client reads, since making those takes a fifth of all time. */
export function answerOf({ status, headers, text }: Answer, isTruncated: boolean): Response {
  const bytes = encoder.encode(isTruncated ? text.slice(0, text.length / 2) : text)
  const chunks = [{ done: false, value: bytes }]
  const read = async () => chunks.pop() ?? { done: true, value: undefined }
  const body = { getReader: () => ({ read, cancel: async () => undefined }) }
  return { status, headers, body } as unknown as Response
}

const NOWHERE = new URL('https://nowhere.test/')

/** What somebody on the way answers who has not asked the service. */
export function madeUp(
  fate: string,
  { random, moments }: { readonly random: Random; readonly moments: Moments },
): Answer {
  const headers = new Headers()
  const status = fate === 'denied' ? random.pick([401, 403]) : random.pick([429, 429, 500, 502, 503, 504])
  if (status === 429 && random.chance(0.7)) headers.set('retry-after', String(random.pick([0, 1, 7, 61, 3_600])))
  return { url: NOWHERE, status, headers, text: 'not now', madeAt: moments.next() }
}

/** A page, as a service answers it that has lost sight of its notes. */
export function withoutNotes(answer: Answer): Answer {
  return { ...answer, text: JSON.stringify({ ...pageIn(answer, () => false), next_cursor: null, has_more: false }) }
}

/** A page, as a service answers it that does not know deletion markers. */
export function withoutTombstones(answer: Answer): Answer {
  return { ...answer, text: JSON.stringify(pageIn(answer, (note) => note.status !== 'deleted')) }
}

function pageIn({ text }: Answer, isShown: (note: Partial<Note>) => boolean): object {
  const page: Record<string, unknown> = JSON.parse(text)
  const [field = 'notes'] = Object.keys(page).filter((name) => Array.isArray(page[name]))
  return { ...page, [field]: (page[field] as Partial<Note>[]).filter(isShown) }
}
