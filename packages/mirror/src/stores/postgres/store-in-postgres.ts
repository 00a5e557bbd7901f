import type { PostgresConnection, PostgresQueries } from '@notewire/webhooks/storage'
import type { ConsumerStore } from '../../interfaces/consumer-store.ts'
import type { IntegrationStore } from '../../interfaces/integration-store.ts'
import type { CompletionCertificate } from '../../interfaces/progress.ts'
import type { DueRequest, MirrorCommit, MirrorStore, NoteCounts } from '../../interfaces/store.ts'
import {
  type ChangeAnswer,
  changedNote,
  dueNotes,
  type HoldAnswer,
  type LoadAnswer,
  loadedNotes,
  loadedProgress,
  type NoteAnswer,
  type ProgressAnswer,
  storedNote,
  type TakeAnswer,
} from './answers.ts'
import { commitValues } from './commit-values.ts'
import { escapedJson, escapedText, readEscapedJson } from './escaped-json.ts'
import { integrationsIn } from './integrations.ts'
import { plainWords } from './plain-words.ts'
import { rewriteContent } from './purging.ts'
import {
  COUNT,
  COUNT_CANDIDATES,
  COUNT_CONTENT,
  FEW_NOTES,
  GET_NOTE,
  LATEST_POSITION,
  LIST_CANDIDATES,
  LIST_CHANGES,
  LIST_HELD,
  LIST_HOLDS,
  LIST_NOTES,
  LIST_OVERDUE,
  READ_PROGRESS,
  SEARCH_FEW,
  SEARCH_MANY,
} from './reading-statements.ts'

const LOAD = 'SELECT notewire_mirror_load_1($1, $2) AS result'
const COMMIT = 'SELECT to_json(notewire_mirror_commit_1($1, $2, $3, $4, $5, $6, $7, $8, $9, $10))::text AS result'
const TAKE = 'SELECT notewire_mirror_take_1($1, $2, $3, $4) AS result'

/** A store over a connection: each operation is one statement, a search two, and each row of its result one JSON text. */
export class StoreInPostgres implements Omit<MirrorStore, keyof ConsumerStore> {
  readonly #pool: PostgresConnection
  readonly #queries: PostgresQueries
  readonly integrations: IntegrationStore

  constructor(pool: PostgresConnection, queries: PostgresQueries) {
    this.#pool = pool
    this.#queries = queries
    this.integrations = integrationsIn((operation, text, ...values) => this.#ask(operation, text, values))
  }

  async migrate() {
    await this.#queries.migrate()
  }

  async load(integration: string, noteIds: readonly string[]) {
    return loadedNotes(await this.#one<LoadAnswer>('load', LOAD, integration, escapedJson(noteIds)))
  }

  async readProgress(integration: string) {
    return loadedProgress(await this.#one<ProgressAnswer>('readProgress', READ_PROGRESS, integration))
  }

  async commit(integration: string, commit: MirrorCommit) {
    return await this.#one<'committed' | 'conflict' | 'fenced'>('commit', COMMIT, integration, ...commitValues(commit))
  }

  async takeDue(integration: string, { now, until, limit }: DueRequest) {
    return dueNotes(await this.#one<TakeAnswer>('takeDue', TAKE, integration, now, until, limit))
  }

  async listCandidates(integration: string, { startedAt }: CompletionCertificate, after: string, limit: number) {
    return await this.#rows<string>(
      'listCandidates',
      LIST_CANDIDATES,
      integration,
      startedAt,
      escapedText(after),
      limit,
    )
  }

  async countCandidates(integration: string, { startedAt }: CompletionCertificate) {
    return await this.#one<number>('countCandidates', COUNT_CANDIDATES, integration, startedAt)
  }

  async listHeld(integration: string, scanId: string, after: string, limit: number) {
    return await this.#rows<string>('listHeld', LIST_HELD, integration, escapedText(scanId), escapedText(after), limit)
  }

  async listOverdue(integration: string, hiddenBefore: number, limit: number) {
    return await this.#rows<string>('listOverdue', LIST_OVERDUE, integration, hiddenBefore, limit)
  }

  async listHolds(integration: string) {
    const holds = await this.#rows<HoldAnswer>('listHolds', LIST_HOLDS, integration)
    return holds.map(({ scan_id, notes }) => ({ scanId: scan_id, notes }))
  }

  async latestPosition(integration: string) {
    return await this.#one<number>('latestPosition', LATEST_POSITION, integration)
  }

  async count(integration: string) {
    return await this.#one<NoteCounts>('count', COUNT, integration)
  }

  async listChanges(integration: string, after: number, limit: number) {
    const changes = await this.#rows<ChangeAnswer>('listChanges', LIST_CHANGES, integration, after, limit)
    return changes.map(changedNote)
  }

  async getNote(integration: string, noteId: string) {
    const [note] = await this.#rows<NoteAnswer>('getNote', GET_NOTE, integration, escapedText(noteId))
    return note && storedNote(note)
  }

  async listNotes(integration: string, after: string, limit: number) {
    const notes = await this.#rows<NoteAnswer>('listNotes', LIST_NOTES, integration, escapedText(after), limit)
    return notes.map(storedNote)
  }

  async search(integration: string, words: readonly string[], limit: number) {
    const whole = plainWords(words.slice(0, -1))
    const last = plainWords(words.slice(-1))
    if (whole === undefined || last === undefined) return []
    const areFew = (await this.#one<number>('search', COUNT_CONTENT, integration, FEW_NOTES + 1)) <= FEW_NOTES
    // The integration is the third: placeholders stand in the order of the statement.
    const values = [whole, last, escapedText(integration), limit]
    const found = await this.#ask<NoteAnswer>('search', areFew ? SEARCH_FEW : SEARCH_MANY, values)
    return found.map(storedNote)
  }

  async purge() {
    await rewriteContent(
      (text) => this.#queries.run('purge', text, []),
      // A large table takes longer than the time limit of the other operations.
      (text) => this.#queries.runIn(this.#pool, text, []),
    )
  }

  async #one<Answer>(operation: string, text: string, integration: string, ...values: unknown[]): Promise<Answer> {
    const [answer] = await this.#rows<Answer>(operation, text, integration, ...values)
    return answer as Answer
  }

  async #rows<Answer>(operation: string, text: string, integration: string, ...values: unknown[]) {
    return await this.#ask<Answer>(operation, text, [escapedText(integration), ...values])
  }

  async #ask<Answer>(operation: string, text: string, values: unknown[]): Promise<readonly Answer[]> {
    const rows = await this.#queries.run<{ readonly result: string }>(operation, text, values)
    return rows.map(({ result }) => readEscapedJson(result) as Answer)
  }
}
