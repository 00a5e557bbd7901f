import * as z from 'zod/mini'
import { paging } from './operation.ts'

/** The query of the operations that list a log. */
export const logQuery = {
  search: z.optional(z.string()).check(z.describe('Only entries that contain each of these words. Case is ignored.')),
  before: z.optional(z.string()).check(z.describe('Only entries that are older than the one with this identifier.')),
  ...paging,
}

export interface LogPart<Entry> {
  /** Only older entries. */
  readonly before?: Entry | undefined
  readonly skip?: number
  readonly limit: number
}

/** A page of a log, the newest entry first. */
export interface LogPage<Entry> {
  readonly entries: readonly Entry[]
  /** How many entries of the log match. */
  readonly total: number
  /** How many matching entries are newer than those of this page. */
  readonly newer: number
  /** `before` of the page with the next newer entries; `undefined` for the newest page. */
  readonly newerBefore: Entry | undefined
  /** `before` of the page with the next older entries; `undefined` if there are none. */
  readonly olderBefore: Entry | undefined
}

/**
 * Selects a page of the matching entries. A page that starts with `before` stays the same while newer entries are added.
 *
 * @param log  in order of creation
 */
export function pageOf<Entry>(
  log: readonly Entry[],
  matches: (entry: Entry) => boolean,
  { before, skip = 0, limit }: LogPart<Entry>,
): LogPage<Entry> {
  // An entry that is no longer in the log is older than all others.
  const end = before === undefined ? log.length : Math.max(0, log.lastIndexOf(before))
  const newer = log.slice(end).filter(matches)
  const older = log.slice(0, end).filter(matches).reverse()
  const entries = older.slice(skip, skip + limit)
  return {
    entries,
    total: newer.length + older.length,
    newer: newer.length + Math.min(skip, older.length),
    newerBefore: newer[limit],
    olderBefore: skip + limit < older.length ? entries.at(-1) : undefined,
  }
}

/** Whether the texts of an entry contain each word of a search. */
export function matcherOf(search = ''): (textsOf: () => readonly unknown[]) => boolean {
  const words = search.toLowerCase().split(/\s+/).filter(Boolean)
  if (words.length === 0) return () => true
  return (textsOf) => {
    const text = textsOf().join(' ').toLowerCase()
    return words.every((word) => text.includes(word))
  }
}
