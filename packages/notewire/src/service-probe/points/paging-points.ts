import { askForPage, noteIdOf, type WirePage } from '../note-list.ts'
import { asDefault, incompatible, otherwise, type ProbedPoint, unseen } from '../point.ts'
import type { Sample } from '../sample.ts'
import type { Wire } from '../wire.ts'
import { bodyOf, errorCodeOf, isDone, statusInWords } from '../wire-shapes.ts'

const LIMIT = { row: 5, title: 'limit outside of its bounds' } as const
const SIZE = { row: 5, title: 'size of a page' } as const
const LAST = { row: 6, title: 'next_cursor on the last page' } as const
const FOLLOWING = { row: 6, title: 'following next_cursor' } as const
const INVALID = { row: 6, title: 'answer to a cursor that is none' } as const
const LIFETIME = { row: 6, title: 'how long a cursor is good for' } as const

/** How the list is divided into pages (open points 5 and 6). */
export async function pagingPoints(wire: Wire, { first }: Sample): Promise<readonly ProbedPoint[]> {
  if (first === undefined) {
    return [SIZE, LIMIT, FOLLOWING, LAST, INVALID, LIFETIME].map((subject) =>
      unseen(subject, 'the key may not list notes'),
    )
  }
  return [
    ...(await limits(wire, first)),
    await following(wire),
    await lastPage(wire),
    await invalidCursor(wire),
    unseen(LIFETIME, 'it would take too long to wait for it. An expired cursor is met with a new listing'),
  ]
}

async function limits(wire: Wire, first: WirePage): Promise<readonly ProbedPoint[]> {
  const tooSmall = await wire.ask({ path: '/v1/notes', query: { limit: '0' } })
  const tooLarge = await wire.ask({ path: '/v1/notes', query: { limit: '100000' } })
  const largest = await askForPage(wire, { limit: '100' })
  const size = pageSize(first, largest)
  if (tooLarge === undefined) return [size, unseen(LIMIT, 'no answer came')]
  if (!isDone(tooLarge)) {
    const seen = `limit=100000 is answered ${statusInWords(tooLarge)}`
    return [size, asDefault(LIMIT, seen, 'The client asks for 100 at most.')]
  }
  const small = isDone(tooSmall) ? 'limit=0 as well' : 'limit=0 is refused'
  const seen = `limit=100000 is accepted and capped silently; ${small}`
  return [size, otherwise(LIMIT, seen, 'There is nothing to set.', { limitOutOfRange: 'capped' })]
}

function pageSize(first: WirePage, largest: WirePage | undefined): ProbedPoint {
  if (largest === undefined) {
    return incompatible(SIZE, 'limit=100 is refused', 'The mirror asks for 100 notes a page. Report it to Notewire.')
  }
  if (!first.hasMore) return unseen(SIZE, 'there are too few notes for a second page')
  const seen = `${first.notes.length} without a limit, ${largest.notes.length} with limit=100`
  return first.notes.length === 50 && largest.notes.length <= 100
    ? asDefault(SIZE, seen)
    : otherwise(SIZE, seen, 'There is nothing to set.')
}

/** Follows the cursor of a page of one note, twice where the first page behind it is empty. */
async function following(wire: Wire): Promise<ProbedPoint> {
  const one = await askForPage(wire, { limit: '1' })
  if (one?.cursor === undefined) return unseen(FOLLOWING, 'there are too few notes for a second page')
  const two = await askForPage(wire, { limit: '1', cursor: one.cursor })
  if (two === undefined) return incompatible(FOLLOWING, 'the next page is refused', 'No listing would come to its end.')
  if (two.cursor === one.cursor && two.hasMore) return repeated()
  if (two.notes.length === 0 && two.cursor !== undefined) {
    const three = await askForPage(wire, { limit: '1', cursor: two.cursor })
    if (three?.cursor === two.cursor) return repeated()
    const seen = 'a page can be empty although more follow'
    return otherwise(FOLLOWING, seen, 'The client goes on to the next. There is nothing to set.', { emptyPages: true })
  }
  const [before, after] = [one.notes[0], two.notes[0]]
  if (before !== undefined && after !== undefined && noteIdOf(before) === noteIdOf(after)) {
    const advice = 'A listing would bring notes twice, or never end: the client ends it with cursor_repeated.'
    return incompatible(FOLLOWING, 'the second page begins with the note that the first one had', advice)
  }
  return asDefault(FOLLOWING, 'each page leads to the next')
}

function repeated(): ProbedPoint {
  const advice = 'No listing would ever end: the client ends it with cursor_repeated. Report it to the service.'
  return incompatible(FOLLOWING, 'a page leads to itself', advice, { repeatingCursor: true })
}

/** Nothing was updated after the end of time: the answer is a last page. */
async function lastPage(wire: Wire): Promise<ProbedPoint> {
  const page = await askForPage(wire, { updated_after: '9999-12-31T23:59:59Z' })
  if (page === undefined || page.hasMore) return unseen(LAST, 'no last page could be had')
  const cursor = bodyOf(page.answer)['next_cursor']
  if (cursor === null) return asDefault(LAST, 'null')
  if (cursor === '') return otherwise(LAST, 'an empty text', 'There is nothing to set.', { lastCursor: 'empty' })
  if (cursor === undefined) return otherwise(LAST, 'absent', 'There is nothing to set.', { lastCursor: 'absent' })
  return otherwise(LAST, 'something else', 'The client goes by has_more. There is nothing to set.')
}

async function invalidCursor(wire: Wire): Promise<ProbedPoint> {
  const answer = await wire.ask({ path: '/v1/notes', query: { cursor: 'notewire-probe' } })
  if (answer === undefined) return unseen(INVALID, 'no answer came')
  if (isDone(answer)) {
    const advice = 'A listing whose cursor was forgotten would start again, or end early, without anybody noticing.'
    return incompatible(INVALID, `${answer.status}, as if it were one`, advice)
  }
  const seen = statusInWords(answer)
  if (errorCodeOf(answer) === 'invalid_cursor') return asDefault(INVALID, seen)
  const advice =
    'The client knows an expired cursor by the code invalid_cursor: without it, a sync that was left in the middle for too long fails with invalid_request. Start it again without its checkpoint.'
  return otherwise(INVALID, seen, advice)
}
