import type { SqliteRow, SqliteStatement } from '@notewire/storage'
import type { ErasingDatabase } from './database.ts'

// One megabyte of the index, which takes about 50 ms.
const PAGES_PER_STEP = 256

/**
 * The rewrite of the search index after words were erased. It is done in steps of a megabyte, because rewriting a large index takes long.
 *
 * FTS5 removes an erased word from the pages of its index immediately, but not from its list of the first words of pages. FTS5 rewrites that list
 * when it merges pages, which it may do much later by itself.
 */
export class IndexRewrite {
  readonly #database: ErasingDatabase
  #hasErased = false
  #isRunning = false

  constructor(database: ErasingDatabase) {
    this.#database = database
  }

  get #isDue(): boolean {
    return (this.#hasErased || this.#isRunning) && !this.#database.isHosted
  }

  recordErasure(): void {
    this.#hasErased = true
  }

  /** Rewrites the next megabyte, if a rewrite is due. @returns whether it is not finished */
  async continue(): Promise<boolean> {
    if (!this.#isDue) return false
    const isContinued = this.#isRunning
    this.#isRunning = true
    const merge = mergeStatement(isContinued ? PAGES_PER_STEP : -PAGES_PER_STEP)
    const statements = [...(isContinued ? [] : PREPARE), COUNT_CHANGES, merge, COUNT_CHANGES]
    const answers = await this.#database.run(statements, 'process')
    if (!isContinued) this.#hasErased = false
    this.#isRunning = hasMerged(answers)
    this.#database.recordErasure()
    await this.#database.truncateLog()
    return this.#isDue
  }
}

/** Whether the statements merged pages. If so, there may be more to merge. */
function hasMerged(answers: readonly SqliteRow[][]): boolean {
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
