import { askForPage, askForPages, isMarkedDeleted, noteIdOf, pageIn, type WirePage } from './note-list.ts'
import { ProbeError } from './probe-error.ts'
import type { ProbeSettings } from './probe-options.ts'
import type { Wire, WireAnswer } from './wire.ts'
import { errorCodeOf, type Fields, fieldsOf, isDone } from './wire-shapes.ts'

/** What the points are judged by: some notes, and a few answers. */
export interface Sample {
  /** The list without any parameter; `undefined` when the key may not list. */
  readonly first: WirePage | undefined
  /** The answer to that, whatever it was. */
  readonly listAnswer: WireAnswer
  /** Notes that are there, a few hundred at most. */
  readonly notes: readonly Fields[]
  /** Deletion markers. */
  readonly tombstones: readonly Fields[]
  /** The answer to a request without a key. */
  readonly anonymous: WireAnswer | undefined
}

const PAGES = 3
const DAY_MS = 86_400_000

/**
 * Looks at the service for the first time.
 *
 * @throws {@link ProbeError} when the list cannot be read for another reason than a scope
 */
export async function takeSample(wire: Wire, { clock }: ProbeSettings): Promise<Sample> {
  const listAnswer = await wire.ask({ path: '/v1/notes' })
  if (listAnswer === undefined) throw new ProbeError('server_error', 0, 'the service did not answer. Try again later.')
  if (listAnswer.status !== 403) refuseUnusable(listAnswer)
  const anonymous = await wire.ask({ path: '/v1/notes', anonymous: true })
  if (!isDone(listAnswer)) return { first: undefined, listAnswer, notes: [], tombstones: [], anonymous }
  const first = pageIn(listAnswer)
  const pages = [first, ...(await askForPages(wire, { limit: '100', include_deleted: 'true' }, PAGES))]
  // What changed of late is more likely not to be ready yet than what comes first in the order of creation.
  const now = Date.parse(listAnswer.headers.get('date') ?? '') || clock.now()
  const lately = new Date(now - DAY_MS).toISOString()
  const recent = await askForPage(wire, { limit: '100', include_deleted: 'true', updated_after: lately })
  const found = new Map<string, Fields>()
  for (const note of [...pages, ...(recent === undefined ? [] : [recent])].flatMap(({ notes }) => notes)) {
    const id = noteIdOf(note)
    if (id !== undefined) found.set(id, note)
  }
  const all = [...found.values()]
  return {
    first,
    listAnswer,
    notes: all.filter((note) => !isMarkedDeleted(note)),
    tombstones: all.filter(isMarkedDeleted),
    anonymous,
  }
}

function refuseUnusable(answer: WireAnswer): void {
  const { status } = answer
  if (isDone(answer) && Object.keys(fieldsOf(answer.json)).length > 0) return
  const told = errorCodeOf(answer) === undefined ? `${status}` : `${status} (${errorCodeOf(answer)})`
  if (status === 401) {
    throw new ProbeError(
      'unauthorized',
      status,
      `GET /v1/notes answered ${told}: the service does not accept the API key. Check that it is complete, not revoked, and made for this service.`,
    )
  }
  if (status >= 300 && status < 400) {
    throw new ProbeError(
      'redirect_refused',
      status,
      `GET /v1/notes answered ${told}: redirects are not followed, because the key goes to the base URL alone. Give the address that answers directly.`,
    )
  }
  if (status >= 500) {
    throw new ProbeError('server_error', status, `GET /v1/notes answered ${told}: the service fails. Try again later.`)
  }
  throw new ProbeError(
    'not_supported',
    status,
    `GET /v1/notes answered ${told}, and no list of notes in JSON. Check the base URL: it is the address before "/v1".`,
  )
}
