import { appendFile, open, readFile, unlink } from 'node:fs/promises'
import { join } from 'node:path'
import { CommandError } from '../../errors/failure.ts'
import { isSystemError } from '../../errors/system-error.ts'
import { isAlive, removeFile, writePrivately } from '../../files/private-file.ts'
import { isFileName } from './file-name.ts'

/** The file in which export records the state of a folder. */
const MANIFEST = '.notewire-export.json'

/** Which files export wrote, and up to which change they are up to date. */
export interface Manifest {
  /** The change up to which the files are up to date; `null` before the first export has ended. */
  readonly position: string | null
  /** The names of the files, by note id. */
  readonly files: ReadonlyMap<string, string>
}

const ABOUT = 'Written by notewire export, which keeps the files below up to date and deletes them with their notes.'

/** @throws CommandError if it cannot be read, because export then does not know which files it may delete */
export async function readManifest(folder: string, shown: string): Promise<Manifest> {
  const content = await contentOf(join(folder, MANIFEST))
  if (content === undefined) return { position: null, files: new Map() }
  const manifest = parsed(content)
  if (manifest !== undefined) return manifest
  const message = `${MANIFEST} in ${shown} is not a manifest that export wrote, so export does not know which files it may change. Export to another folder, or remove this one first.`
  throw new CommandError('export_manifest_malformed', message)
}

export async function writeManifest(folder: string, { position, files }: Manifest): Promise<void> {
  const names = Object.fromEntries([...files].map(([noteId, name]) => [name, noteId]))
  const content = JSON.stringify({ about: ABOUT, version: 1, position, files: names }, null, 1)
  await writePrivately(join(folder, MANIFEST), (file) => file.writeFile(`${content}\n`))
}

async function contentOf(path: string): Promise<string | undefined> {
  return await readFile(path, 'utf8').catch((error: unknown) => {
    if (!isSystemError(error, 'ENOENT')) throw error
    return undefined
  })
}

function parsed(content: string): Manifest | undefined {
  const { version, position, files } = (readJson(content) ?? {}) as Readonly<Record<string, unknown>>
  if (version !== 1 || (position !== null && typeof position !== 'string')) return undefined
  const entries = Object.entries(files ?? {})
  // Export deletes files by these names, so each of them must be the name of an exported file.
  if (!entries.every(([name, noteId]) => isFileName(name) && typeof noteId === 'string')) return undefined
  return { position, files: new Map(entries.map(([name, noteId]) => [noteId, name])) }
}

function readJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** Contains the names of files before they are written, until the manifest contains them. */
const JOURNAL = '.notewire-export.journal'

/** A file that may exist although the manifest does not contain it yet. */
export interface Intent {
  readonly noteId: string
  readonly name: string
}

/** Reads the intents of an export that was interrupted. If the last line is incomplete, its file was not written. */
export async function readJournal(folder: string): Promise<readonly Intent[]> {
  return ((await contentOf(join(folder, JOURNAL))) ?? '').split('\n').flatMap(intentIn)
}

export async function appendToJournal(folder: string, intents: readonly Intent[]): Promise<void> {
  if (intents.length === 0) return
  const lines = intents.map(({ noteId, name }) => `\n${JSON.stringify([noteId, name])}`)
  await appendFile(join(folder, JOURNAL), lines.join(''), { mode: 0o600, flush: true })
}

/** Removes the journal, after the manifest was written. */
export async function removeJournal(folder: string): Promise<void> {
  await removeFile(join(folder, JOURNAL))
}

function intentIn(line: string): readonly Intent[] {
  const intent = readJson(line)
  const [noteId, name]: readonly unknown[] = Array.isArray(intent) ? intent : []
  return typeof noteId === 'string' && typeof name === 'string' && isFileName(name) ? [{ noteId, name }] : []
}

/** Exists while an export writes to the folder, and contains the id of its process. */
const LOCK = '.notewire-export.lock'

/** Keeps other exports out of a folder. The lock of a process that has ended is ignored. */
export async function lockFolder(folder: string, shown: string): Promise<AsyncDisposable> {
  const path = join(folder, LOCK)
  for (let tries = 0; tries < 3; tries += 1) {
    if (await take(path)) return { [Symbol.asyncDispose]: () => unlink(path).catch(() => undefined) }
    const holder = Number(await readFile(path, 'utf8').catch(() => ''))
    if (holder > 0 && isAlive(holder)) throw busy(shown, `another export (process ${holder})`)
    await unlink(path).catch(() => undefined)
  }
  throw busy(shown, 'another export')
}

async function take(path: string): Promise<boolean> {
  try {
    const file = await open(path, 'wx', 0o600)
    await file.writeFile(String(process.pid)).finally(() => file.close())
    return true
  } catch (error) {
    if (isSystemError(error, 'EEXIST')) return false
    throw error
  }
}

function busy(shown: string, who: string): CommandError {
  const message = `${who} writes to ${shown}. Wait until it has ended. If no export is running, remove ${LOCK} there.`
  return new CommandError('export_busy', message)
}
