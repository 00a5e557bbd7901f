import type { Durability, SqliteRow, SqliteStatement } from '@notewire/storage'
import { escapedText } from '../escaped-text.ts'
import { FeedRuns } from '../feed-runs.ts'
import type { MirrorCommit } from '../mirror-store.ts'
import type { ErasingDatabase } from './database.ts'
import { SKIP_NUMBERS } from './loading.ts'
import { readLatestPosition, runStatements, withoutRuns } from './run-statements.ts'
import { ADDED_SCHEMA } from './schema.ts'

/**
 * Writes to the notes of integrations so that no number of a feed is used twice, and so that positions in a feed name the run that assigned
 * them.
 */
export class FeedWriter {
  readonly #database: Pick<ErasingDatabase, 'run'>
  readonly #written = new Set<string>()
  readonly #runs = new FeedRuns()
  #lacksRuns = false

  constructor(database: Pick<ErasingDatabase, 'run'>) {
    this.#database = database
  }

  /** Adds the tables that version 0.1.0 did not create, unless this process may only read the file. */
  async addMissing(): Promise<void> {
    try {
      await this.#database.run(ADDED_SCHEMA, 'power-cut')
    } catch (error) {
      if (!isReadOnly(error)) throw error
      this.#lacksRuns = true
    }
  }

  /** A statement that reads runs, without them if the file has no table of runs. */
  withRuns(sql: string): string {
    return this.#lacksRuns ? withoutRuns(sql) : sql
  }

  async write(
    integration: string,
    statements: readonly SqliteStatement[],
    durability: Durability,
  ): Promise<readonly SqliteRow[][]> {
    if (this.#written.has(integration)) return await this.#database.run(statements, durability)
    const skip = { sql: SKIP_NUMBERS, parameters: [escapedText(integration)] }
    // Durable: if a power cut undid this commit, the next process would skip to numbers that were already used.
    const [, ...answers] = await this.#database.run([skip, ...statements], 'power-cut')
    this.#written.add(integration)
    return answers
  }

  /**
   * Writes a commit. If it announces notes, it begins a run of the feed, or continues the current one.
   *
   * @param statements  those of the commit
   */
  async writeCommit(
    integration: string,
    commit: MirrorCommit,
    statements: readonly SqliteStatement[],
  ): Promise<readonly SqliteRow[][]> {
    const durability = durabilityOf(commit)
    if (!announces(commit)) return await this.write(integration, statements, durability)
    const run = this.#runs.request(integration)
    const name = escapedText(integration)
    const before = runStatements(name, run)
    const answers = await this.write(integration, [...before, ...statements, readLatestPosition(name)], durability)
    const hasBegun = answers[before.length - 1]?.length === 1
    this.#runs.record(integration, run, hasBegun, Number(answers.at(-1)?.[0]?.['position']))
    return answers.slice(before.length)
  }
}

function announces({ notes }: MirrorCommit): boolean {
  return notes.some(({ announce }) => announce !== undefined)
}

/** Whether the process may not write to the file. Only the message is the same with all drivers. */
function isReadOnly(error: unknown): boolean {
  return error instanceof Error && error.message.includes('readonly database')
}

/** The service does not send an acknowledged event again; anything else that is lost is listed or read again. */
function durabilityOf({ heardAt }: MirrorCommit): Durability {
  return heardAt === undefined ? 'process' : 'power-cut'
}
