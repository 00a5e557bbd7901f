import type { PostgresConnection, PostgresQueries } from '@notewire/webhooks/storage'
import type { ConsumerStore } from '../../interfaces/consumer-store.ts'
import type { MirrorStore } from '../../interfaces/store.ts'
import {
  type ChangeAnswer,
  changedNote,
  dueNotes,
  loadedNotes,
  loadedProgress,
  type NoteAnswer,
  storedNote,
} from './answers.ts'
import { commitValues } from './commit-values.ts'
import { escapedJson, escapedText, readEscapedJson } from './escaped-json.ts'
import { integrationsIn } from './integrations.ts'
import { plainWords } from './plain-words.ts'
import { rewriteContent } from './purging.ts'
import * as statements from './reading-statements.ts'

const LOAD = 'SELECT notewire_mirror_load_1($1, $2) AS result'
const COMMIT = 'SELECT to_json(notewire_mirror_commit_1($1, $2, $3, $4, $5, $6, $7, $8, $9, $10))::text AS result'
const TAKE = 'SELECT notewire_mirror_take_1($1, $2, $3, $4) AS result'

/** A store over a connection: each operation is one statement, a search two, and each row of its result one JSON text. */
export function storeOver(
  pool: PostgresConnection,
  queries: PostgresQueries,
): Omit<MirrorStore, keyof ConsumerStore> & { purge(): Promise<void> } {
  async function ask<Answer>(operation: string, text: string, ...values: unknown[]): Promise<readonly Answer[]> {
    const rows = await queries.run<{ readonly result: string }>(operation, text, values)
    return rows.map(({ result }) => readEscapedJson(result) as Answer)
  }

  const rowsOf = <Answer>(operation: string, text: string, integration: string, ...values: unknown[]) =>
    ask<Answer>(operation, text, escapedText(integration), ...values)

  async function one<Answer>(operation: string, text: string, integration: string, ...values: unknown[]) {
    return (await rowsOf<Answer>(operation, text, integration, ...values))[0] as Answer
  }

  return {
    integrations: integrationsIn(ask),
    migrate: () => queries.migrate(),
    load: async (integration, noteIds) => loadedNotes(await one('load', LOAD, integration, escapedJson(noteIds))),
    readProgress: async (integration) =>
      loadedProgress(await one('readProgress', statements.READ_PROGRESS, integration)),
    commit: (integration, commit) => one('commit', COMMIT, integration, ...commitValues(commit)),
    takeDue: async (integration, { now, until, limit }) =>
      dueNotes(await one('takeDue', TAKE, integration, now, until, limit)),
    listCandidates: (integration, { startedAt }, after, limit) =>
      rowsOf('listCandidates', statements.LIST_CANDIDATES, integration, startedAt, escapedText(after), limit),
    countCandidates: (integration, { startedAt }) =>
      one('countCandidates', statements.COUNT_CANDIDATES, integration, startedAt),
    listHeld: (integration, scanId, after, limit) =>
      rowsOf('listHeld', statements.LIST_HELD, integration, escapedText(scanId), escapedText(after), limit),
    listOverdue: (integration, hiddenBefore, limit) =>
      rowsOf('listOverdue', statements.LIST_OVERDUE, integration, hiddenBefore, limit),
    listHolds: (integration) => rowsOf('listHolds', statements.LIST_HOLDS, integration),
    latestPosition: (integration) => one('latestPosition', statements.LATEST_POSITION, integration),
    count: (integration) => one('count', statements.COUNT, integration),

    async listChanges(integration, after, limit) {
      return (await rowsOf<ChangeAnswer>('listChanges', statements.LIST_CHANGES, integration, after, limit)).map(
        changedNote,
      )
    },

    async getNote(integration, noteId) {
      const [note] = await rowsOf<NoteAnswer>('getNote', statements.GET_NOTE, integration, escapedText(noteId))
      return note && storedNote(note)
    },

    async listNotes(integration, after, limit) {
      return (await rowsOf<NoteAnswer>('listNotes', statements.LIST_NOTES, integration, escapedText(after), limit)).map(
        storedNote,
      )
    },

    async search(integration, words, limit) {
      const whole = plainWords(words.slice(0, -1))
      const last = plainWords(words.slice(-1))
      if (whole === undefined || last === undefined) return []
      const { COUNT_CONTENT, FEW_NOTES, SEARCH_FEW, SEARCH_MANY } = statements
      const areFew = (await one<number>('search', COUNT_CONTENT, integration, FEW_NOTES + 1)) <= FEW_NOTES
      // The integration is the third: placeholders stand in the order of the statement.
      const values = [whole, last, escapedText(integration), limit]
      return (await ask<NoteAnswer>('search', areFew ? SEARCH_FEW : SEARCH_MANY, ...values)).map(storedNote)
    },

    purge: () =>
      rewriteContent(
        (text) => queries.run('purge', text, []),
        // A large table takes longer than the time limit of the other operations.
        (text) => queries.runIn(pool, text, []),
      ),
  }
}
