import * as z from 'zod/mini'

const limit = z.coerce.number().check(z.minimum(0), z.multipleOf(1))

/** The query of the operations that list the newest entries of a log. */
export const logQuery = {
  search: z.optional(z.string()).check(z.describe('Only entries that contain each of these words. Case is ignored.')),
  before: z.optional(z.string()).check(z.describe('Only entries that are older than the one with this identifier.')),
  limit: z._default(limit, 50).check(z.describe('How many to list at most.')),
}

interface LogPart {
  /** Only entries that are older than the one with this identifier. */
  readonly before?: string | undefined
  readonly limit: number
}

/** The position of listed entries in the log. Identifiers are values for `before`. */
export interface PagePosition {
  /** How many entries of the log match. */
  readonly total: number
  /** How many matching entries are newer than those that are listed. */
  readonly newer: number
  /** Lists the next newer entries; `undefined` if these are the newest, or on the second page. */
  readonly newer_before: string | undefined
  /** Lists the next older entries; `undefined` if there are none. */
  readonly older_before: string | undefined
  /** How many older entries the log has dropped. */
  readonly dropped?: number
}

/**
 * Selects the newest matching entries. A page that starts with `before` stays the same while newer entries are added.
 *
 * @param log  in order of creation
 * @returns `undefined` if the log has no entry `before`
 */
export function pageOf<Entry>(
  log: readonly Entry[],
  idOf: (entry: Entry) => string,
  matches: (entry: Entry) => boolean,
  { before, limit }: LogPart,
): { readonly entries: readonly Entry[]; readonly page: PagePosition } | undefined {
  const end = before === undefined ? log.length : log.findLastIndex((entry) => idOf(entry) === before)
  if (end < 0) return undefined
  const newer = log.slice(end).filter(matches)
  const older = log.slice(0, end).filter(matches).reverse()
  const entries = older.slice(0, limit)
  const [next, last] = [newer[limit], limit < older.length ? entries.at(-1) : undefined]
  const page = {
    total: newer.length + older.length,
    newer: newer.length,
    newer_before: next && idOf(next),
    older_before: last && idOf(last),
  }
  return { entries, page }
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
