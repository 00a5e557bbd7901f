import {
  type Clock,
  type Logger,
  type Note,
  OptionError,
  refuseNoSignal,
  refuseSurplusOptions,
  refuseUnknownOptions,
  type Summary,
  type Transcript,
} from '@notewire/protocol'
import { once } from '../concurrency/calls.ts'
import { createConsumers, type MirrorConsumers } from '../consuming/consumer.ts'
import { HOOKS, type MirrorHooks } from '../hooks.ts'
import type { StoredNote } from '../notes/stored-note.ts'
import { type MirrorOptions, mirrorLog, refuseClock, requireCount, requireNoteId, requireStore } from '../options.ts'
import type { MirrorStore, ReadableStore } from '../stores/mirror-store.ts'
import { type ChangesOptions, type MirrorChange, readChanges } from './changes.ts'
import { type Explanation, explain } from './explain.ts'
import { searchWords } from './search-words.ts'
import { type MirrorStatus, statusOf } from './status.ts'

/** A note of the mirror. */
export interface MirroredNote {
  /** The record. In a mirror that does not keep title and content, it has neither. */
  readonly note: Note
  /** `null` if there is none, or none yet. */
  readonly transcript: Transcript | null
  /** `null` if there is none, or none yet. */
  readonly summary: Summary | null
  /** Whether transcript and summary belong to the note's revision. Until they are read, they are older or missing. */
  readonly isSettled: boolean
}

/** The methods of a mirror that need no key. */
export interface MirrorReader {
  /** The name of this mirror in its store. */
  readonly integration: string
  /** Reads one note; `undefined` if the mirror does not show it. */
  get(noteId: string): Promise<MirroredNote | undefined>
  /**
   * Lists the notes that the mirror shows, by id.
   *
   * @param options  `after`: the id after which to begin
   */
  list(options?: { readonly after?: string | undefined }): AsyncIterable<MirroredNote>
  /**
   * Finds the notes that contain all words in their title, content, transcript or summary, the best match first. The last word may be the
   * beginning of a word, for a search while the user types.
   *
   * The first 15 different words and the last word count, with 64 words of the index between punctuation, in the first 100,000 characters. Further
   * words are ignored, so the notes that are found may lack them.
   *
   * @param limit  the maximum number of notes
   * @default 20
   * @throws OptionError when `limit` is not a whole number of at least 1
   */
  search(words: string, limit?: number): Promise<readonly MirroredNote[]>
  /**
   * Yields changes in order, each note once at its latest change: for your own index. Store the position of each change that you have
   * handled.
   *
   * @throws MirrorError `position_malformed` when `after` is not a position, `position_foreign` when it belongs to another copy, `position_lost` when
   * the database does not contain it: the database was restored from an older backup, or the position is older than the latest 1,000 processes that
   * have written changes. Then empty your index, and get all changes without a position
   */
  changes(options?: ChangesOptions): AsyncIterable<MirrorChange>
  /** Explains why the mirror shows a note, or does not. */
  explain(noteId: string): Promise<Explanation>
  /** Returns the state of the mirror. */
  status(): Promise<MirrorStatus>
}

/** Options of `openMirror`. */
export interface MirrorReaderOptions<Transaction = never> extends Pick<MirrorOptions, 'logErrorMessages'> {
  /** The store of the copy. */
  readonly store: MirrorStore<Transaction>
  /** @default 'default' */
  readonly integration?: string | undefined
  /** `onProblem` gets the errors of a consumer's `apply`. */
  readonly hooks?: Pick<MirrorHooks, 'onProblem'> | undefined
  /**
   * Gets a line when a consumer fails or works again.
   *
   * @default console
   */
  readonly logger?: Logger | undefined
}

/**
 * Opens a mirror that another process keeps up to date, to read it without a key.
 *
 * @throws OptionError when `store` is not a store
 * @example
 * ```ts
 * import { openMirror } from '@notewire/mirror'
 * import { sqliteMirror } from '@notewire/mirror/sqlite'
 *
 * const mirror = openMirror({ store: sqliteMirror('notes.db') })
 * for (const { note } of await mirror.search('budget')) console.log(note.title)
 * ```
 */
export function openMirror<Transaction = never>(
  options: MirrorReaderOptions<Transaction>,
): MirrorReader & MirrorConsumers<Transaction> {
  refuseClock(options)
  refuseUnknownOptions('openMirror', options, {
    store: true,
    integration: true,
    hooks: true,
    logger: true,
    logErrorMessages: true,
  })
  const { integration = 'default', hooks = {} } = options
  refuseUnknownOptions('hooks', hooks, HOOKS)
  const store = requireStore(options.store)
  const { clock } = store
  const open = once(async () => {
    await store.migrate()
    return store
  })
  const log = mirrorLog(options, clock, 0)
  return { ...createReader(open, integration, clock), ...createConsumers(open, { integration, clock, hooks, log }) }
}

const PAGE_SIZE = 100

/** Makes the methods that read a mirror. Each opens the store first. */
export function createReader(open: () => Promise<ReadableStore>, integration: string, clock: Clock): MirrorReader {
  async function* list(begin: string): AsyncGenerator<MirroredNote, void, void> {
    const store = await open()
    for (let after = begin; ; ) {
      const notes = await store.listNotes(integration, { after, limit: PAGE_SIZE })
      const last = notes.at(-1)
      if (last === undefined) return
      yield* visibleNotes(notes)
      after = last.state.noteId
    }
  }

  async function* changes(options: ChangesOptions): AsyncGenerator<MirrorChange, void, void> {
    yield* readChanges({ store: await open(), integration, clock }, options)
  }

  return {
    integration,
    async get(noteId, ...surplus) {
      refuseSurplusOptions('mirror.get', surplus)
      requireNoteId('mirror.get', noteId)
      return visibleNotes(await (await open()).listNotes(integration, { noteId }))[0]
    },
    list(options = {}) {
      refuseUnknownOptions('mirror.list', options, { after: true })
      return list(options.after ?? '')
    },
    async search(text, limit = 20, ...surplus) {
      refuseSurplusOptions('mirror.search', surplus)
      requireCount('limit', limit)
      if (typeof text !== 'string') {
        throw new OptionError(
          'words',
          'mirror.search needs the words to search for. Pass a string with at least one word.',
        )
      }
      const words = searchWords(text)
      return words.length === 0 ? [] : visibleNotes(await (await open()).listNotes(integration, { words, limit }))
    },
    changes(options = {}) {
      refuseUnknownOptions('mirror.changes', options, { after: true, follow: true, signal: true })
      refuseNoSignal(options.signal)
      return changes(options)
    },
    async explain(noteId, ...surplus) {
      refuseSurplusOptions('mirror.explain', surplus)
      requireNoteId('mirror.explain', noteId)
      return explain(noteId, (await (await open()).listNotes(integration, { noteId }))[0]?.state)
    },
    async status(...surplus) {
      refuseSurplusOptions('mirror.status', surplus)
      return await statusOf(await open(), integration, clock.now())
    },
  }
}

/** Returns the notes that the mirror shows. */
function visibleNotes(stored: readonly StoredNote[]): readonly MirroredNote[] {
  return stored.flatMap(({ state, note, transcript, summary }) => {
    if (state.presence !== 'live' || note === null) return []
    return [
      {
        note,
        transcript,
        summary,
        isSettled: state.settledRevision === state.revision && state.readAfterSequence === null,
      },
    ]
  })
}
