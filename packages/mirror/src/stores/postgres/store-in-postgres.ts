import type { PostgresQueries } from '@notewire/webhooks/storage'
import type { ConsumerStore } from '../../consumers/consumer-store.ts'
import type { CopyState } from '../../integrations/progress.ts'
import type { StoredNote } from '../../notes/stored-note.ts'
import { escapedJson, escapedText, readEscapedJson } from '../escaped-text.ts'
import { FeedRuns } from '../feed-runs.ts'
import type { ChangedNote, DueNotes, LoadedProgress, MirrorStore, NotesQuery, VersionedState } from '../mirror-store.ts'
import { type StoredProgress, withProgress } from '../progress-json.ts'
import { type StoredState, withState } from '../state-json.ts'
import { commitValues } from './commit-values.ts'
import { READ_DUE } from './due-notes.ts'
import { createIntegrationRows } from './integrations.ts'
import { SERVER_TIME } from './note-columns.ts'
import * as statements from './reading-statements.ts'
import { READ_FEED } from './runs.ts'
import { searchableText } from './search-functions.ts'
import { ServerClock } from './server-clock.ts'

const LOAD = 'SELECT notewire_mirror_load_notes($1, $2) AS result'
const COMMIT = 'SELECT notewire_mirror_commit_notes($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13) AS result'

/** Result of `COMMIT`. */
interface Committed {
  readonly outcome: 'committed' | 'conflict' | 'fenced'
  readonly hasBegunRun?: boolean
  /** The latest position; `null` if no note was announced. */
  readonly position?: number | null
}

const READ_TIME = `SELECT json_build_object('serverTime', ${SERVER_TIME})::text AS result`

/** An answer that contains the present of the server. */
interface Timed {
  readonly serverTime?: number
}

interface Loaded extends StoredProgress<LoadedProgress>, Timed {
  readonly notes: readonly StoredState<VersionedState>[]
}

interface StoredDue extends Omit<DueNotes, 'notes'> {
  readonly notes: readonly StoredState<VersionedState>[]
}

/** Makes the store over a connection. Each operation is one statement, a search is two, and each row of a result is one JSON text. */
export function createStore(queries: PostgresQueries): Omit<MirrorStore, keyof ConsumerStore> {
  const runs = new FeedRuns()
  const clock = new ServerClock()

  /** Asks the server, and sets the clock if the answer contains the time. */
  async function ask<Answer>(operation: string, text: string, ...values: unknown[]): Promise<readonly Answer[]> {
    const askedAt = clock.monotonic()
    const rows = await queries.run<{ readonly result: string }>(operation, text, values)
    const answers = rows.map(({ result }) => readEscapedJson(result) as Answer & Timed)
    const serverTime = answers[0]?.serverTime
    if (serverTime !== undefined) clock.setBy(serverTime, askedAt)
    return answers
  }

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
    integrations: createIntegrationRows(ask),
    async migrate() {
      await queries.migrate()
      await ask('migrate', READ_TIME)
    },
    async load(integration, noteIds) {
      const { serverTime: _, ...loaded } = await one<Loaded>('load', LOAD, integration, escapedJson(noteIds))
      return {
        ...withProgress(loaded),
        notes: new Map(loaded.notes.map((note) => [note.state.noteId, withState(note)])),
      }
    },
    async readProgress(integration) {
      const { READ_PROGRESS } = statements
      const { copy } = await one<{ readonly copy: StoredProgress<CopyState> }>(
        'readProgress',
        READ_PROGRESS,
        integration,
      )
      return withProgress(copy)
    },
    async commit(integration, commit) {
      const run = runs.request(integration)
      const values = [...commitValues(commit), run.current, run.position, run.next]
      const done = await one<Committed>('commit', COMMIT, integration, ...values)
      const { outcome, hasBegunRun = false, position = null } = done
      if (position !== null) runs.record(integration, run, hasBegunRun, position)
      return outcome
    },
    async readDue(integration, { dueBy, limit, except = [] }) {
      const due = await one<StoredDue>('readDue', READ_DUE, integration, dueBy, limit, escapedJson(except))
      return { ...due, notes: due.notes.map(withState) }
    },
    count: (integration, certificate) =>
      one('count', statements.COUNT, integration, certificate?.startSequence ?? null),

    readFeed: (integration, run) => one('readFeed', READ_FEED, integration, run),

    async listStates(integration, query) {
      const [text, ...values] = statements.listStates(query)
      return (await rowsOf<StoredState<ChangedNote>>('listStates', text, integration, ...values)).map(withState)
    },

    async listNotes(integration, query) {
      return (await rowsFor(integration, query)).map(withState)
    },
  }
}
