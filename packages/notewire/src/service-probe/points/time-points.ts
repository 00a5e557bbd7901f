import { askForPages, noteIdOf } from '../note-list.ts'
import { asDefault, incompatible, otherwise, type ProbedPoint, unseen } from '../point.ts'
import type { Sample } from '../sample.ts'
import type { Wire } from '../wire.ts'
import type { Fields } from '../wire-shapes.ts'

const BOUNDARY = { row: 7, title: 'boundary of updated_after' } as const
const EXACTNESS = { row: 7, title: 'exactness of times' } as const

/** How the service tells times, and compares them (open point 7). */
export async function timePoints(wire: Wire, sample: Sample): Promise<readonly ProbedPoint[]> {
  const times = timesIn(sample.notes)
  const latest = sample.notes
    .filter(({ updated_at }) => instantOf(updated_at) !== undefined)
    .sort(byUpdate)
    .at(-1)
  if (latest === undefined) {
    const why = sample.first === undefined ? 'the key may not list notes' : 'no note tells when it was updated'
    return [unseen(BOUNDARY, why), unseen(EXACTNESS, why)]
  }
  return [await boundary(wire, latest), exactness(times)]
}

const MOST_PAGES = 3

async function boundary(wire: Wire, note: Fields): Promise<ProbedPoint> {
  const time = instantOf(note['updated_at'])
  if (time === undefined) return unseen(BOUNDARY, 'no note tells when it was updated')
  const id = noteIdOf(note)
  const lists = async (updated_after: string) => {
    const pages = await askForPages(wire, { updated_after, limit: '100' }, MOST_PAGES)
    return pages.length === 0 ? undefined : pages.some(({ notes }) => notes.some((each) => noteIdOf(each) === id))
  }
  const beyond = await lists(new Date(time + 3_600_000).toISOString())
  if (beyond === true) {
    const advice = 'Every sync would bring every note. That is right, and slow. Report it to the service.'
    return incompatible(BOUNDARY, 'updated_after is ignored', advice)
  }
  // The service's own words come back to it, whatever else its times may say.
  const at = await lists(new Date(time).toISOString())
  const before = at === true ? true : await lists(new Date(time - 3_600_000).toISOString())
  if (at === undefined || before === undefined) {
    return incompatible(BOUNDARY, 'updated_after is refused in ISO 8601, UTC', 'No sync works. Report it to Notewire.')
  }
  if (!before) return unseen(BOUNDARY, 'the note that was updated last did not come again')
  if (!at) return asDefault(BOUNDARY, 'a note updated at that very time is left out')
  const advice = 'Syncs reach back five minutes anyway. There is nothing to set.'
  return otherwise(BOUNDARY, 'a note updated at that very time is listed', advice, { updatedAfter: 'inclusive' })
}

/** Of fewer times than this, the digits prove nothing. */
const LEAST_TIMES = 3

function exactness(times: readonly number[]): ProbedPoint {
  if (times.length < LEAST_TIMES) return unseen(EXACTNESS, `there are ${times.length} times to look at`)
  const advice = 'Syncs reach back five minutes, which makes up for it. There is nothing to set.'
  if (times.every((time) => time % 60_000 === 0))
    return otherwise(EXACTNESS, 'minutes', advice, { timestamps: 'minutes' })
  if (times.every((time) => time % 1000 === 0))
    return otherwise(EXACTNESS, 'seconds', advice, { timestamps: 'seconds' })
  return asDefault(EXACTNESS, 'fractions of a second')
}

function timesIn(notes: readonly Fields[]): readonly number[] {
  const times = notes.flatMap(({ created_at, updated_at, ended_at }) => [created_at, updated_at, ended_at])
  return [...new Set(times.map(instantOf))].filter((time) => time !== undefined)
}

function instantOf(value: unknown): number | undefined {
  if (typeof value !== 'string' || !/^\d{4}-\d\d-\d\dT.*(?:Z|[+-]\d\d:?\d\d)$/i.test(value)) return undefined
  const time = Date.parse(value)
  return Number.isNaN(time) ? undefined : time
}

function byUpdate(one: Fields, other: Fields): number {
  return (instantOf(one['updated_at']) ?? 0) - (instantOf(other['updated_at']) ?? 0)
}
