import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { isSystemError } from '../../system-reason.ts'
import { ExportError } from '../export-error.ts'
import { isFileName } from '../markdown/file-name.ts'
import { temporaryIn, writePrivately } from '../private-file.ts'

/** What export remembers of a folder, in the folder. */
const MANIFEST = '.notewire-export.json'

/** Which files are export's, and up to which change they are right. */
export interface Manifest {
  /** The change up to which they are right; `null` before the first export has ended. */
  readonly position: string | null
  /** The names of files, by the ids of their notes. */
  readonly files: ReadonlyMap<string, string>
}

const ABOUT = 'Written by notewire export, which keeps the files below up to date and deletes them with their notes.'

/**
 * Reads what an earlier export has remembered.
 *
 * @throws ExportError when it cannot be read: which files may be deleted is then not known
 */
export async function readManifest(folder: string, shown: string): Promise<Manifest> {
  const content = await contentOf(join(folder, MANIFEST))
  if (content === undefined) return { position: null, files: new Map() }
  const manifest = parsed(content)
  if (manifest !== undefined) return manifest
  throw new ExportError(
    'export_manifest_malformed',
    `${MANIFEST} in ${shown} is not what export wrote, so that it does not know which files are its own. Export to another folder, or remove this one first.`,
  )
}

/** Writes it in one step: whoever reads it finds the one before, or this. */
export async function writeManifest(folder: string, { position, files }: Manifest): Promise<void> {
  const names = Object.fromEntries([...files].map(([noteId, name]) => [name, noteId]))
  const content = JSON.stringify({ about: ABOUT, version: 1, position, files: names }, null, 1)
  await writePrivately(temporaryIn(folder), join(folder, MANIFEST), (file) => file.writeFile(`${content}\n`))
}

async function contentOf(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, 'utf8')
  } catch (error) {
    if (isSystemError(error) && error.code === 'ENOENT') return undefined
    throw error
  }
}

function parsed(content: string): Manifest | undefined {
  const read = readJson(content)
  if (read?.['version'] !== 1) return undefined
  const { position, files } = read
  if (!isTextOrNull(position) || typeof files !== 'object' || files === null) return undefined
  const entries = Object.entries(files)
  // A name is only ever believed to be a file of this folder: with it, the file is deleted.
  if (!entries.every(([name, noteId]) => isFileName(name) && typeof noteId === 'string')) return undefined
  return { position, files: new Map(entries.map(([name, noteId]) => [noteId, name])) }
}

function readJson(content: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const read: unknown = JSON.parse(content)
    return typeof read === 'object' && read !== null ? { ...read } : undefined
  } catch {
    return undefined
  }
}

function isTextOrNull(value: unknown): value is string | null {
  return value === null || typeof value === 'string'
}
