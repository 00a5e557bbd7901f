import type { SqliteRow, SqliteStatement } from '@notewire/webhooks/storage'

// One megabyte of the index at a time, which takes some 50 ms.
const PAGES_AT_ONCE = 256

/** Where a renewal of the search index stands: there is nothing to do, a word was erased since the last one began, or it goes on. */
export type Renewal = 'idle' | 'wanted' | 'going_on'

/**
 * Writes the search index anew, a megabyte at a time.
 *
 * FTS5 takes an erased word from the pages of its index at once, but not from the list of the words with which the pages begin. That
 * list goes when the pages are merged with newer ones, which FTS5 alone may do much later.
 */
export function renewalStatements(renewal: Exclude<Renewal, 'idle'>): readonly SqliteStatement[] {
  const merge = mergeStatement(renewal === 'wanted' ? -PAGES_AT_ONCE : PAGES_AT_ONCE)
  return [...(renewal === 'wanted' ? PREPARE : []), COUNT_CHANGES, merge, COUNT_CHANGES]
}

/** Whether the statements above had something to merge: if so, there may be more. */
export function hasMerged(answers: readonly SqliteRow[][]): boolean {
  const [before, , after] = answers.slice(-3)
  // The command itself counts as one change.
  return Number(after?.[0]?.['changes']) - Number(before?.[0]?.['changes']) >= 2
}

const COUNT_CHANGES: SqliteStatement = { sql: 'SELECT total_changes() AS changes', parameters: [] }

// FTS5 merges nothing where the index is in one piece. A note that is indexed again makes the second piece.
const ONE_NOTE = 'FROM notewire_mirror_indexed WHERE row_id = (SELECT max(row_id) FROM notewire_mirror_content)'

const PREPARE: readonly SqliteStatement[] = [
  `INSERT INTO notewire_mirror_search (notewire_mirror_search)
   SELECT 'delete-all' WHERE (SELECT max(row_id) FROM notewire_mirror_content) IS NULL`,
  `INSERT INTO notewire_mirror_search (notewire_mirror_search, rowid, title, content, summary, transcript)
   SELECT 'delete', row_id, title, content, summary, transcript ${ONE_NOTE}`,
  "INSERT INTO notewire_mirror_search (notewire_mirror_search) VALUES ('flush')",
  `INSERT INTO notewire_mirror_search (rowid, title, content, summary, transcript)
   SELECT row_id, title, content, summary, transcript ${ONE_NOTE}`,
].map((sql) => ({ sql, parameters: [] }))

/** A negative number begins the merge of the whole index, a positive one goes on with it. */
function mergeStatement(pages: number): SqliteStatement {
  return {
    sql: "INSERT INTO notewire_mirror_search (notewire_mirror_search, rank) VALUES ('merge', ?)",
    parameters: [pages],
  }
}
