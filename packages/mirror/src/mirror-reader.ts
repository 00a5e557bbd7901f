import { type Clock, OptionError, refuseUnknownOptions, systemClock } from '@notewire/protocol'
import { type Explanation, explain } from './explain.ts'
import { type ChangesOptions, type MirrorChange, readChanges } from './feed/changes.ts'
import { requireCount } from './mirror-options.ts'
import { type MirroredNote, mirroredNote } from './mirrored-note.ts'
import { type MirrorStatus, statusOf } from './status.ts'
import type { MirrorStore, StoredNote } from './stores/store.ts'

/** What can be asked of a mirror without a key: what is in its store. */
export interface MirrorReader {
  /** The name of this mirror in its store. */
  readonly scope: string
  /** Reads one note; `undefined` when it is not to be seen. */
  get(noteId: string): Promise<MirroredNote | undefined>
  /**
   * Lists the notes that are to be seen, by id.
   *
   * @param options  `after`: the id behind which to begin
   */
  list(options?: { readonly after?: string | undefined }): AsyncIterable<MirroredNote>
  /**
   * Finds the notes in whose title, content, transcript or summary all words occur, the best match first.
   *
   * @param limit  how many at most
   * @default 20
   * @throws OptionError when `limit` is not a whole number from 1
   */
  search(words: string, limit?: number): Promise<readonly MirroredNote[]>
  /**
   * Tells what changed, in order, each note once at its latest change: for an index of your own. Store the position of what you have handled.
   *
   * @throws MirrorError `position_malformed` when `after` is none
   */
  changes(options?: ChangesOptions): AsyncIterable<MirrorChange>
  /** Tells why a note is here, or gone. */
  explain(noteId: string): Promise<Explanation>
  /** Tells how far the mirror is. */
  status(): Promise<MirrorStatus>
}

/** What `openMirror` takes. */
export interface MirrorReaderOptions {
  /** Where the copy is kept. */
  readonly store: MirrorStore
  /** @default 'default' */
  readonly scope?: string | undefined
  /** @default systemClock */
  readonly clock?: Clock | undefined
}

/**
 * Opens a mirror that another process, or another time, keeps up to date: to read what is there, without a key.
 *
 * @throws OptionError for what is no store
 * @example
 * ```ts
 * import { openMirror } from '@notewire/mirror'
 * import { sqliteMirror } from '@notewire/mirror/sqlite'
 *
 * const mirror = openMirror({ store: sqliteMirror('notes.db') })
 * for (const { note } of await mirror.search('budget')) console.log(note.title)
 * ```
 */
export function openMirror(options: MirrorReaderOptions): MirrorReader {
  refuseUnknownOptions('openMirror', options, ['store', 'scope', 'clock'])
  const { store, scope = 'default', clock = systemClock } = options
  if (typeof store?.migrate !== 'function') {
    throw new OptionError(
      'store',
      "store is missing or of another kind. Pass a store: sqliteMirror('notes.db'), for one.",
    )
  }
  let opened: Promise<MirrorStore> | undefined
  const open = () => {
    opened ??= migrated(store).catch((error) => {
      opened = undefined
      throw error
    })
    return opened
  }
  return createReader({ store: open, scope, clock })
}

async function migrated(store: MirrorStore): Promise<MirrorStore> {
  await store.migrate()
  return store
}

/** What a mirror is read from. */
interface ReaderParts {
  readonly store: () => Promise<MirrorStore>
  readonly scope: string
  readonly clock: Clock
}

const NOTES_AT_ONCE = 100
const LOOK_EVERY_MS = 1_000

/** Makes what reads a mirror. */
export function createReader(parts: ReaderParts): MirrorReader {
  const { store: open, scope, clock } = parts

  async function stored(noteId: string): Promise<StoredNote | undefined> {
    return await (await open()).getNote(scope, noteId)
  }

  return {
    scope,
    async get(noteId) {
      const found = await stored(noteId)
      return found === undefined ? undefined : mirroredNote(found)
    },
    list: ({ after = '' } = {}) => listNotes(parts, after),
    async search(text, limit = 20) {
      requireCount('limit', limit)
      const words = text.split(/\s+/u).filter((word) => word !== '')
      if (words.length === 0) return []
      const found = await (await open()).search(scope, words, limit)
      return found.flatMap((note) => mirroredNote(note) ?? [])
    },
    changes: (options = {}) => listChanges(parts, options),
    async explain(noteId) {
      return explain(noteId, (await stored(noteId))?.state)
    },
    async status() {
      const store = await open()
      const loaded = await store.readProgress(scope)
      const [notes, held, position] = await Promise.all([
        store.count(scope),
        store.listHolds(scope),
        store.latestPosition(scope),
      ])
      return statusOf({ ...loaded, notes, held, position }, clock.now())
    },
  }
}

async function* listNotes(
  { store: open, scope }: ReaderParts,
  begin: string,
): AsyncGenerator<MirroredNote, void, void> {
  const store = await open()
  for (let after = begin; ; ) {
    const notes = await store.listNotes(scope, after, NOTES_AT_ONCE)
    const last = notes.at(-1)
    if (last === undefined) return
    for (const note of notes) {
      const shown = mirroredNote(note)
      if (shown !== undefined) yield shown
    }
    after = last.state.noteId
  }
}

async function* listChanges(
  { store: open, scope, clock }: ReaderParts,
  options: ChangesOptions,
): AsyncGenerator<MirrorChange, void, void> {
  const store = await open()
  yield* readChanges(
    {
      readCopyId: async () => (await store.readProgress(scope)).progress.copyId,
      read: (after, limit) => store.listChanges(scope, after, limit),
      // Another process may have made it.
      wait: () => clock.sleep(LOOK_EVERY_MS, options.signal),
    },
    options,
  )
}
