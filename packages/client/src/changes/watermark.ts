import type { Note } from '@notewire/protocol'

/**
 * How long before its watermark each sync starts, in milliseconds. It allows for coarse timestamps, for servers whose clocks differ, and
 * for a page that the service read some time before it set the header `Date`.
 */
export const OVERLAP_MS = 5 * 60_000

/** The parts of the first page of a sync that show the service's time. */
interface FirstPage {
  /** The header `Date` of its response. */
  readonly date: string | null
  readonly notes: readonly Note[]
}

/**
 * The watermark of the sync that starts with a page, in milliseconds: the service's time of the response, else the latest change on the
 * page, else the watermark of the previous sync. Never this machine's time.
 */
export function watermarkOf({ date, notes }: FirstPage, previous: number | null): number | null {
  const answeredAt = Date.parse(date ?? '')
  if (!Number.isNaN(answeredAt)) return answeredAt
  return notes.map((note) => changedAt(note)).reduce(later, previous)
}

function changedAt({ updated_at }: Note): number | null {
  // A time without a zone is ambiguous. A wrong guess would skip changes.
  const isAbsolute = /(?:Z|[+-]\d\d:?\d\d)$/i.test(updated_at ?? '')
  const time = Date.parse(updated_at ?? '')
  return isAbsolute && !Number.isNaN(time) ? time : null
}

function later(one: number | null, other: number | null): number | null {
  return one === null || other === null ? (one ?? other) : Math.max(one, other)
}
