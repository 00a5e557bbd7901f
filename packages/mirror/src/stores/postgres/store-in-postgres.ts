import type { ConsumerStore } from '../../consumers/consumer-store.ts'
import type { StoredNote } from '../../notes/stored-note.ts'
import { escapedJson, escapedText } from '../escaped-text.ts'
import { FeedRuns } from '../feed-runs.ts'
import type { LoadedProgress, MirrorStore, NotesQuery, VersionedState } from '../mirror-store.ts'
import { type StoredProgress, withProgress } from '../progress-json.ts'
import { readProgress } from '../sql/copy-state.ts'
import { readDue } from '../sql/due-notes.ts'
import { readFeed } from '../sql/feed.ts'
import { createIntegrationRows } from '../sql/integrations.ts'
import { listStates } from '../sql/listing-states.ts'
import { resultOf, sql } from '../sql/sql.ts'
import { type StoredState, withState } from '../state-json.ts'
import { commitValues } from './commit-values.ts'
import { dialect } from './dialect.ts'
import { eraseIntegration } from './erase-integration.ts'
import * as statements from './reading-statements.ts'
import { searchableText } from './search-functions.ts'
import type { TimedDatabase } from './timed-database.ts'

const LOAD = 'SELECT notewire_mirror_load_notes($1, $2) AS result'
const COMMIT = 'SELECT notewire_mirror_commit_notes($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13) AS result'

/** Result of `COMMIT`. */
interface Committed {
  readonly outcome: 'committed' | 'conflict' | 'fenced'
  readonly hasBegunRun?: boolean
  /** The latest position; `null` if no note was announced. */
  readonly position?: number | null
}

const READ_TIME = sql`SELECT ${resultOf(dialect.object({ serverTime: dialect.serverTime }))}`

interface Loaded extends StoredProgress<LoadedProgress> {
  readonly notes: readonly StoredState<VersionedState>[]
}

/** Makes the store over a connection. Each operation is one statement, a search is two, and each row of a result is one JSON text. */
export function createStore(
  database: TimedDatabase,
  migrate: () => Promise<void>,
): Omit<MirrorStore, keyof ConsumerStore> {
  const { ask, clock } = database
  const runs = new FeedRuns()

  const rowsOf = <Answer>(operation: string, text: string, integration: string, ...values: unknown[]) =>
    ask<Answer>(operation, text, escapedText(integration), ...values)

  async function one<Answer>(operation: string, text: string, integration: string, ...values: unknown[]) {
    return (await rowsOf<Answer>(operation, text, integration, ...values))[0] as Answer
  }

  async function rowsFor(integration: string, query: NotesQuery): Promise<readonly StoredState<StoredNote>[]> {
    if ('noteId' in query) return rowsOf('listNotes', statements.GET_NOTE, integration, escapedText(query.noteId))
    const { limit } = query
    if ('after' in query) {
      return rowsOf('listNotes', statements.LIST_NOTES, integration, escapedText(query.after), limit)
    }
    const whole = searchableText(query.words.slice(0, -1))
    const last = searchableText(query.words.slice(-1))
    if (whole === undefined || last === undefined) return []
    const { COUNT_CONTENT, FEW_NOTES, SEARCH_FEW, SEARCH_MANY } = statements
    const areFew = (await one<number>('search', COUNT_CONTENT, integration, FEW_NOTES + 1)) <= FEW_NOTES
    // The integration is the third value: values are in the order of the placeholders.
    const values = [whole, last, escapedText(integration), limit]
    return ask('search', areFew ? SEARCH_FEW : SEARCH_MANY, ...values)
  }

  return {
    clock,
    integrations: createIntegrationRows(database, (record) => eraseIntegration(ask, record)),
    async migrate() {
      await migrate()
      await database.read('migrate', READ_TIME)
    },
    async load(integration, noteIds) {
      const { sequence, heardAt, progress, notes } = withProgress(
        await one<Loaded>('load', LOAD, integration, escapedJson(noteIds)),
      )
      return {
        sequence,
        heardAt,
        progress,
        notes: new Map(notes.map((note) => [note.state.noteId, withState(note)])),
      }
    },
    readProgress: (integration) => readProgress(database, integration),
    async commit(integration, commit) {
      const run = runs.request(integration)
      const values = [...commitValues(commit), run.current, run.position, run.next]
      const done = await one<Committed>('commit', COMMIT, integration, ...values)
      const { outcome, hasBegunRun = false, position = null } = done
      if (position !== null) runs.record(integration, run, hasBegunRun, position)
      return outcome
    },
    readDue: (integration, request) => readDue(database, integration, request),
    count: (integration, certificate) =>
      one('count', statements.COUNT, integration, certificate?.startSequence ?? null),

    readFeed: (integration, run) => readFeed(database, integration, run),
    listStates: (integration, query) => listStates(database, integration, query),

    async listNotes(integration, query) {
      return (await rowsFor(integration, query)).map(withState)
    },
  }
}
