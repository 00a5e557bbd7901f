import {
  createMirror,
  type Mirror,
  type MirrorOptions,
  type MirrorReader,
  type MirrorStore,
  openMirror,
} from '@notewire/mirror'
import { sqliteMirror } from '@notewire/mirror/sqlite'
import type { Surroundings } from '../commands/command.ts'
import { CopyError } from './copy-error.ts'
import { type CopyFile, copyFileOf, makeFile, PULL_FIRST, requireCopy } from './copy-file.ts'
import { explained } from './database-failure.ts'
import { loadSqlite } from './load-sqlite.ts'

/** The local copy, open. */
export interface Copy {
  readonly file: CopyFile
  readonly mirror: MirrorReader
}

/** The local copy, open to whoever keeps it up to date. */
export interface KeptCopy extends Copy {
  readonly mirror: Mirror
}

/** How the copy is kept up to date. */
export type CopyOptions = Pick<MirrorOptions, 'client' | 'hooks' | 'pollEveryMs'>

/** Where it is found, and by which time. */
type Place = Pick<Surroundings, 'settings' | 'workingFolder' | 'clock'>

/**
 * Opens the copy of somebody who only reads it: no key is needed.
 *
 * @throws CopyError when there is none, or nothing in it
 */
export async function readCopy<Result>(place: Place, work: (copy: Copy) => Promise<Result>): Promise<Result> {
  const file = await copyFileOf(place)
  await requireCopy(file)
  return await withStore(file, async (store) => {
    const mirror = openMirror({ store, clock: place.clock })
    const { isBackfilled, notes } = await mirror.status()
    const isEmpty = !isBackfilled && notes.live + notes.hidden + notes.gone === 0
    if (isEmpty) throw new CopyError('copy_empty', `${file.shown} holds no copy of your notes yet: ${PULL_FIRST}`)
    return await work({ file, mirror })
  })
}

/**
 * Opens the copy of somebody who keeps it up to date, and makes it where it is not there yet.
 *
 * @throws CopyError for what SQLite says, in words
 */
export async function keepCopy<Result>(
  file: CopyFile,
  options: CopyOptions,
  { clock }: Pick<Place, 'clock'>,
  work: (copy: KeptCopy) => Promise<Result>,
): Promise<Result> {
  await makeFile(file)
  return await withStore(file, async (store) => {
    const mirror = createMirror({ ...options, store, clock })
    return await work({ file, mirror })
  })
}

async function withStore<Result>(file: CopyFile, work: (store: MirrorStore) => Promise<Result>): Promise<Result> {
  loadSqlite()
  const store = sqliteMirror(file.absolute)
  try {
    await store.migrate()
    return await work(store)
  } catch (error) {
    throw explained(error, file.shown)
  } finally {
    await store.close?.()
  }
}
