import type { PostgresConnection, PostgresQueries } from '@notewire/webhooks/storage'
import type { ConsumerStore } from '../../interfaces/consumer-store.ts'
import type { ChangedNote, MirrorStore } from '../../interfaces/store.ts'
import type { StoredNote } from '../../interfaces/stored-note.ts'
import { escapedText } from '../escaped-text.ts'
import { type Answered, copyState, dueNotes, loadedNotes, withState } from './answers.ts'
import { commitValues } from './commit-values.ts'
import { escapedJson, readEscapedJson } from './escaped-json.ts'
import { createIntegrationStore } from './integrations.ts'
import { rewriteContent } from './purging.ts'
import * as statements from './reading-statements.ts'
import { searchableText } from './search-functions.ts'

type NoteRow = Answered<StoredNote>

const LOAD = 'SELECT notewire_mirror_load_1($1, $2) AS result'
const COMMIT =
  'SELECT to_json(notewire_mirror_commit_2($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13))::text AS result'
const TAKE = 'SELECT notewire_mirror_take_1($1, $2, $3, $4, $5) AS result'

/** Makes the store over a connection. Each operation is one statement, a search is two, and each row of a result is one JSON text. */
export function createStore(
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
    integrations: createIntegrationStore(ask),
    migrate: () => queries.migrate(),
    load: async (integration, noteIds) => loadedNotes(await one('load', LOAD, integration, escapedJson(noteIds))),
    readProgress: async (integration, now) =>
      copyState(await one('readProgress', statements.READ_PROGRESS, integration, now ?? null)),
    commit: (integration, commit) => one('commit', COMMIT, integration, ...commitValues(commit)),
    takeDue: async (integration, { now, dueBy = now, until, limit }) =>
      dueNotes(await one('takeDue', TAKE, integration, now, dueBy, until, limit)),
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
      const rows = await rowsOf<Answered<ChangedNote>>(
        'listChanges',
        statements.LIST_CHANGES,
        integration,
        after,
        limit,
      )
      return rows.map(withState)
    },

    async getNote(integration, noteId) {
      const [row] = await rowsOf<NoteRow>('getNote', statements.GET_NOTE, integration, escapedText(noteId))
      return row && withState(row)
    },

    async listNotes(integration, after, limit) {
      const rows = await rowsOf<NoteRow>('listNotes', statements.LIST_NOTES, integration, escapedText(after), limit)
      return rows.map(withState)
    },

    async search(integration, words, limit) {
      const whole = searchableText(words.slice(0, -1))
      const last = searchableText(words.slice(-1))
      if (whole === undefined || last === undefined) return []
      const { COUNT_CONTENT, FEW_NOTES, SEARCH_FEW, SEARCH_MANY } = statements
      const areFew = (await one<number>('search', COUNT_CONTENT, integration, FEW_NOTES + 1)) <= FEW_NOTES
      // The integration is the third value: values are in the order of the placeholders.
      const values = [whole, last, escapedText(integration), limit]
      return (await ask<NoteRow>('search', areFew ? SEARCH_FEW : SEARCH_MANY, ...values)).map(withState)
    },

    purge: () =>
      rewriteContent(
        (text) => queries.run('purge', text, []),
        // Without a time limit, because a large table takes longer than the limit of the other operations.
        (text) => queries.runIn(pool, text, []),
      ),
  }
}
