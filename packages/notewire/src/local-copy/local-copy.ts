import { chmodSync, closeSync, openSync, statSync } from 'node:fs'
import { resolve } from 'node:path'
import { createMirror, type Mirror, type MirrorOptions, type MirrorReader, openMirror } from '@notewire/mirror'
import { type SqliteMirror, sqliteMirror } from '@notewire/mirror/sqlite'
import { sqliteLocation } from '@notewire/storage'
import type { Context } from '../context/context.ts'
import { CommandError } from '../errors/failure.ts'
import { isSystemError, systemReason } from '../errors/system-error.ts'
import { shellCommand } from '../terminal/shell-quoted.ts'
import { copyErrorOf } from './copy-error.ts'

export interface CopyFile {
  /** The path, as the user gave it. */
  readonly shown: string
  /** The path, with the integration if the user gave one. */
  readonly label: string
  readonly absolute: string
  readonly integration: string
  /** The command that updates this copy: `notewire pull --integration acme`. */
  readonly pull: string
}

export interface Copy {
  readonly file: CopyFile
  readonly mirror: MirrorReader
}

export interface KeptCopy extends Copy {
  readonly mirror: Mirror
  /** The base URL that the copy was last listed from, if it is recorded. */
  readonly baseUrl: () => Promise<string | undefined>
  /** Whether only the id of the key that made the copy is recorded, as version 0.1.0 did, and not a digest of the whole key. */
  readonly hasKeyIdAlone: () => Promise<boolean>
  /** Whether another run is working on the copy, or was killed so recently that its lease has not ended. */
  readonly isInUse: () => Promise<boolean>
  /** Removes the bytes of erased notes from the file. */
  readonly purge: () => Promise<void>
}

type CopyContext = Pick<Context, 'settings' | 'workingFolder' | 'clock'>

export async function copyFileOf({
  settings,
  workingFolder,
}: Pick<Context, 'settings' | 'workingFolder'>): Promise<CopyFile> {
  const shown = (await settings.find('database')) ?? DEFAULT_FILE
  const given = await settings.find('integration')
  const label = given === undefined ? shown : `${shown} (integration ${given})`
  const integration = given ?? 'default'
  const database = shown === DEFAULT_FILE ? '' : shellCommand` --database ${shown}`
  const pull =
    shellCommand`notewire pull` + database + (given === undefined ? '' : shellCommand` --integration ${given}`)
  return { shown, label, absolute: resolve(workingFolder, shown), integration, pull }
}

const DEFAULT_FILE = 'notes.db'

/** Opens the copy for reading, without an API key. @throws CommandError `copy_missing` or `copy_empty` */
export async function readCopy<Result>(
  context: CopyContext,
  work: (copy: Copy, store: SqliteMirror) => Promise<Result>,
): Promise<Result> {
  const file = await copyFileOf(context)
  return await withStore(
    file,
    context,
    () => requireCopy(file),
    async (store) => {
      const mirror = openMirror({ store, integration: file.integration })
      const { isBackfilled, notes } = await mirror.status()
      if (!isBackfilled && notes.live + notes.hidden + notes.gone === 0) {
        throw empty(file, valuesIn(file.absolute, INTEGRATIONS))
      }
      return await work({ file, mirror }, store)
    },
  )
}

/** The commands print the problems of a mirror themselves, in words of their own, so that the output for machines stays exact. */
const UNLOGGED: NonNullable<MirrorOptions['logger']> = {
  info: () => undefined,
  warn: () => undefined,
  error: () => undefined,
}

interface KeepOptions extends Pick<MirrorOptions, 'client' | 'hooks' | 'keep'> {
  /** Whether the user agrees that tables are added to the file of another program. */
  readonly agrees: (question: string) => Promise<boolean>
}

/** Opens the copy for updates, and creates its file if it does not exist. @throws CommandError `database_foreign` */
export async function keepCopy<Result>(
  file: CopyFile,
  { agrees, ...options }: KeepOptions,
  context: Pick<Context, 'clock'>,
  work: (copy: KeptCopy) => Promise<Result>,
): Promise<Result> {
  const prepare = async () => {
    createFile(file)
    await askBeforeForeignFile(file, agrees)
    return file.absolute
  }
  return await withStore(file, context, prepare, async (store) => {
    const mirror = createMirror({ ...options, store, integration: file.integration, logger: UNLOGGED })
    const progress = async () => (await store.readProgress(file.integration)).progress
    const baseUrl = async () => (await progress()).baseUrl
    const hasKeyIdAlone = async () => {
      const { key } = await progress()
      return key?.kind === 'key_id' && key.digest === undefined
    }
    const isInUse = async () => {
      const [row] = await store.integrations.list({ integration: file.integration, after: '', limit: 1 })
      return (row?.record.leaseUntil ?? 0) > context.clock.now()
    }
    return await work({ file, mirror, baseUrl, hasKeyIdAlone, isInUse, purge: () => store.purge() })
  })
}

async function withStore<Result>(
  file: CopyFile,
  { clock }: Pick<Context, 'clock'>,
  /** Returns the location to open. */
  prepare: () => Promise<string> | string,
  work: (store: SqliteMirror) => Promise<Result>,
): Promise<Result> {
  let store: SqliteMirror | undefined
  try {
    loadSqlite()
    store = sqliteMirror(await prepare(), { clock })
    await store.migrate()
    return await work(store)
  } catch (error) {
    throw copyErrorOf(error, file.shown)
  } finally {
    await store?.close?.()
  }
}

/** Creates the file with mode 600, because it will contain notes, or narrows an empty one. SQLite creates its other files with the same mode. */
function createFile({ absolute, shown }: CopyFile): void {
  const found = statSync(absolute, { throwIfNoEntry: false })
  if (found !== undefined && (found.size > 0 || !found.isFile())) return
  try {
    if (found === undefined) closeSync(openSync(absolute, 'a', 0o600))
    else chmodSync(absolute, 0o600)
  } catch (error) {
    // Only the owner of a file can change its mode. Others are told about it.
    if (found !== undefined) return
    const code = isSystemError(error, 'EACCES', 'EPERM', 'EROFS') ? 'database_readonly' : 'database_failed'
    const message = `${shown} cannot be created: ${systemReason(error)}. Name a file in a folder that exists and that you can write to, with --database.`
    throw new CommandError(code, message)
  }
}

/** A file with the tables of another program gets ours only if the user agrees. */
async function askBeforeForeignFile({ absolute, shown }: CopyFile, agrees: KeepOptions['agrees']): Promise<void> {
  // SQLite explains later that a folder is not a database.
  if (statSync(absolute).isDirectory()) return
  const tables = valuesIn(absolute, TABLES)
  if (tables.length === 0 || tables.includes(COPY_TABLE)) return
  if (await agrees(`${shown} has tables of another program. Add the copy to it?`)) return
  const message = `${shown} is a database of another program, and got no tables. Name another file with --database, or pass --yes to keep the copy in this one.`
  throw new CommandError('database_foreign', message)
}

/** The table that every copy has. */
const COPY_TABLE = 'notewire_mirrors'

const TABLES = "SELECT name FROM sqlite_master WHERE type = 'table'"

const INTEGRATIONS = `SELECT integration FROM ${COPY_TABLE} WHERE live + hidden + gone > 0 ORDER BY integration LIMIT 10`

/** Reads the first column of some rows, without writing to the file. */
function valuesIn(absolute: string, sql: string): readonly string[] {
  const { DatabaseSync } = loadSqlite()
  const database = new DatabaseSync(sqliteLocation(absolute), { readOnly: true, timeout: 5_000 })
  try {
    return database
      .prepare(sql)
      .all()
      .flatMap((row) => Object.values(row).map(String))
  } finally {
    database.close()
  }
}

/** Rejects a file that contains no copy, without writing to it: the file may belong to another program. */
function requireCopy(file: CopyFile): string {
  const { absolute, shown, pull } = file
  const found = statSync(absolute, { throwIfNoEntry: false })
  if (found === undefined) {
    const message = `there is no local copy: ${shown} does not exist. Create it with ${pull}, or pass another file with --database.`
    throw new CommandError('copy_missing', message)
  }
  if (found.isDirectory()) {
    throw new CommandError('database_malformed', `${shown} is a folder. Name the file of your copy with --database.`)
  }
  if (!valuesIn(absolute, TABLES).includes(COPY_TABLE)) throw empty(file)
  return absolute
}

/** @param others  the integrations whose copies the file contains */
function empty({ label, shown, integration, pull }: CopyFile, others: readonly string[] = []): CommandError {
  const message =
    others.length === 0
      ? `${label} contains no copy of your notes yet: nothing was pulled into it. Pull your notes first: ${pull}`
      : `${shown} contains no copy of the integration ${integration}, only of ${others.join(', ')}. Name one of these with --integration, or create the copy: ${pull}`
  return new CommandError('copy_empty', message)
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
