import { open } from 'node:fs/promises'
import { resolve } from 'node:path'
import type { Surroundings } from '../commands/command.ts'
import { isSystemError } from '../system-reason.ts'
import { CopyError } from './copy-error.ts'
import { explained } from './database-failure.ts'
import { loadSqlite } from './load-sqlite.ts'

/** The file of a local copy. */
export interface CopyFile {
  /** As it is shown. */
  readonly shown: string
  readonly absolute: string
}

/** Where the copy is when nobody says otherwise. */
const DEFAULT_DATABASE = 'notes.db'

/** Finds where the copy is to be: `--database`, the environment, the configuration file, or `notes.db`. */
export async function copyFileOf({
  settings,
  workingFolder,
}: Pick<Surroundings, 'settings' | 'workingFolder'>): Promise<CopyFile> {
  const shown = (await settings.find('database')) ?? DEFAULT_DATABASE
  return { shown, absolute: resolve(workingFolder, shown) }
}

/**
 * Makes the file, for its owner alone: it will hold what people have said. SQLite gives the files beside it the same mode.
 *
 * @returns whether it was not there before
 * @throws the system's error when the folder does not take it
 */
export async function makeFile({ absolute }: CopyFile): Promise<boolean> {
  try {
    await (await open(absolute, 'wx', 0o600)).close()
    return true
  } catch (error) {
    if (isSystemError(error) && error.code === 'EEXIST') return false
    throw error
  }
}

/** How a file begins that is an SQLite database. */
const HEADER = 'SQLite format 3\0'

/**
 * Refuses a file that holds no copy, without writing to it: it may be somebody else's.
 *
 * @throws CopyError that says how to make one
 */
export async function requireCopy(file: CopyFile): Promise<void> {
  const header = await headerOf(file)
  if (header === '') throw new CopyError('copy_empty', `${file.shown} is empty: ${PULL_FIRST}`)
  if (header !== HEADER) {
    const message = `${file.shown} is no SQLite database. Name the file of your copy with --database.`
    throw new CopyError('database_malformed', message)
  }
  if (!holdsCopy(file))
    throw new CopyError('copy_empty', `${file.shown} holds no copy of your notes yet: ${PULL_FIRST}`)
}

/** The next step of everybody who has no copy. */
export const PULL_FIRST = 'nothing was pulled into it. Pull your notes first: notewire pull'

async function headerOf({ absolute, shown }: CopyFile): Promise<string> {
  try {
    const file = await open(absolute, 'r')
    try {
      const { buffer, bytesRead } = await file.read(Buffer.alloc(HEADER.length), 0, HEADER.length, 0)
      return buffer.toString('latin1', 0, bytesRead)
    } finally {
      await file.close()
    }
  } catch (error) {
    if (!isSystemError(error)) throw error
    if (error.code === 'EISDIR') {
      throw new CopyError('database_malformed', `${shown} is a folder. Name the file of your copy with --database.`)
    }
    if (error.code !== 'ENOENT') throw error
    const message = `there is no local copy: ${shown} is not there. Make it with notewire pull, or name another with --database.`
    throw new CopyError('copy_missing', message)
  }
}

function holdsCopy({ absolute, shown }: CopyFile): boolean {
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
    throw explained(error, shown)
  }
}
