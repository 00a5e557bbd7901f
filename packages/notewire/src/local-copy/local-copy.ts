import { open, stat } from 'node:fs/promises'
import { resolve } from 'node:path'
import { createMirror, type Mirror, type MirrorOptions, type MirrorReader, openMirror } from '@notewire/mirror'
import { type SqliteMirror, sqliteMirror } from '@notewire/mirror/sqlite'
import type { Context } from '../context/context.ts'
import { CommandError } from '../errors/failure.ts'
import { isSystemError } from '../errors/system-error.ts'
import { copyErrorOf } from './sqlite-failure.ts'

export interface CopyFile {
  /** The path as the user named it. */
  readonly shown: string
  readonly absolute: string
}

export interface Copy {
  readonly file: CopyFile
  readonly mirror: MirrorReader
}

/** The local copy, opened for a command that updates it. */
export interface KeptCopy extends Copy {
  readonly mirror: Mirror
  /** Removes the bytes of erased notes from the file. */
  readonly purge: () => Promise<void>
}

type CopyContext = Pick<Context, 'settings' | 'workingFolder' | 'clock'>

/** Finds the file of the copy: `--database`, the environment, the configuration file, or `notes.db`. */
export async function copyFileOf({
  settings,
  workingFolder,
}: Pick<Context, 'settings' | 'workingFolder'>): Promise<CopyFile> {
  const shown = (await settings.find('database')) ?? 'notes.db'
  return { shown, absolute: resolve(workingFolder, shown) }
}

/**
 * Opens the copy for reading. It needs no API key.
 *
 * @throws CommandError when there is no copy, or it is empty
 */
export async function readCopy<Result>(context: CopyContext, work: (copy: Copy) => Promise<Result>): Promise<Result> {
  const file = await copyFileOf(context)
  await requireCopy(file)
  return await withStore(file, async (store) => {
    const mirror = openMirror({ store, clock: context.clock })
    const { isBackfilled, notes } = await mirror.status()
    if (!isBackfilled && notes.live + notes.hidden + notes.gone === 0) throw empty(file)
    return await work({ file, mirror })
  })
}

/**
 * Opens the copy for updates, and creates its file if it does not exist.
 *
 * @throws CommandError for an error of SQLite
 */
export async function keepCopy<Result>(
  file: CopyFile,
  options: Pick<MirrorOptions, 'client' | 'hooks' | 'pollEveryMs'>,
  { clock }: Pick<Context, 'clock'>,
  work: (copy: KeptCopy) => Promise<Result>,
): Promise<Result> {
  await createFile(file)
  return await withStore(file, async (store) => {
    const mirror = createMirror({ ...options, store, clock })
    return await work({ file, mirror, purge: () => store.purge() })
  })
}

async function withStore<Result>(file: CopyFile, work: (store: SqliteMirror) => Promise<Result>): Promise<Result> {
  loadSqlite()
  const store = sqliteMirror(file.absolute)
  try {
    await store.migrate()
    return await work(store)
  } catch (error) {
    throw copyErrorOf(error, file.shown)
  } finally {
    await store.close?.()
  }
}

/** Creates the file for its owner alone, because it will contain what people have said. SQLite gives the files next to it the same mode. */
async function createFile({ absolute }: CopyFile): Promise<void> {
  try {
    await (await open(absolute, 'wx', 0o600)).close()
  } catch (error) {
    if (!isSystemError(error, 'EEXIST')) throw error
  }
}

/** Rejects a file that contains no copy, without writing to it: the file may belong to another program. */
async function requireCopy(file: CopyFile): Promise<void> {
  const { absolute, shown } = file
  const found = await stat(absolute).catch((error: unknown) => {
    if (!isSystemError(error, 'ENOENT')) throw error
    const message = `there is no local copy: ${shown} does not exist. Create it with notewire pull, or pass another file with --database.`
    throw new CommandError('copy_missing', message)
  })
  if (found.isDirectory()) {
    throw new CommandError('database_malformed', `${shown} is a folder. Name the file of your copy with --database.`)
  }
  if (!containsMirror(file)) throw empty(file)
}

function empty({ shown }: CopyFile): CommandError {
  return new CommandError(
    'copy_empty',
    `${shown} contains no copy of your notes yet: nothing was pulled into it. Pull your notes first: notewire pull`,
  )
}

function containsMirror({ absolute, shown }: CopyFile): boolean {
  const { DatabaseSync } = loadSqlite()
  try {
    const database = new DatabaseSync(absolute, { readOnly: true, timeout: 5_000 })
    try {
      const sql = "SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = 'notewire_mirrors'"
      return database.prepare(sql).get() !== undefined
    } finally {
      database.close()
    }
  } catch (error) {
    throw copyErrorOf(error, shown)
  }
}

/** Loads SQLite without the warning of Node.js 22 that it is experimental. */
function loadSqlite(): typeof import('node:sqlite') {
  const { emitWarning } = process
  process.emitWarning = () => undefined
  try {
    return process.getBuiltinModule('node:sqlite')
  } finally {
    process.emitWarning = emitWarning
  }
}
