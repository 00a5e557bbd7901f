import type { SqliteRow, SqliteStatement } from '@notewire/webhooks/storage'

// One megabyte of the index, which takes about 50 ms.
const PAGES_PER_STEP = 256

/** State of the rewrite of the search index: nothing to do; words were erased since the last rewrite began; or a rewrite is in progress. */
export type IndexRewrite = 'idle' | 'needed' | 'running'

/**
 * Makes the statements that rewrite a megabyte of the search index.
 *
 * FTS5 removes an erased word from the pages of its index immediately, but not from its list of the first words of pages. FTS5 rewrites that list
 * when it merges pages, which it may do much later by itself.
 */
export function rewriteStatements(rewrite: Exclude<IndexRewrite, 'idle'>): readonly SqliteStatement[] {
  const merge = mergeStatement(rewrite === 'needed' ? -PAGES_PER_STEP : PAGES_PER_STEP)
  return [...(rewrite === 'needed' ? PREPARE : []), COUNT_CHANGES, merge, COUNT_CHANGES]
}

/** Whether the statements merged pages. If so, there may be more to merge. */
export function hasMerged(answers: readonly SqliteRow[][]): boolean {
  const [before, , after] = answers.slice(-3)
  // The command itself counts as one change.
  return Number(after?.[0]?.['changes']) - Number(before?.[0]?.['changes']) >= 2
}

const COUNT_CHANGES: SqliteStatement = { sql: 'SELECT total_changes() AS changes', parameters: [] }

// FTS5 merges nothing if the index has one segment only. Indexing one note again adds a second segment.
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

/** @param pages  a negative number begins the merge of the whole index; a positive number continues it */
function mergeStatement(pages: number): SqliteStatement {
  return {
    sql: "INSERT INTO notewire_mirror_search (notewire_mirror_search, rank) VALUES ('merge', ?)",
    parameters: [pages],
  }
}
