import { lstat, readdir, readFile, rename } from 'node:fs/promises'
import { join } from 'node:path'
import type { MirroredNote } from '@notewire/mirror'
import { parse } from 'yaml'
import { CommandError } from '../../errors/failure.ts'
import { isSystemError } from '../../errors/system-error.ts'
import { changeWhenClosed } from '../../files/change-when-closed.ts'
import { beginningOf, removeFile, removeUnfinished, writePrivately } from '../../files/private-file.ts'
import { fileNameOf, isFileName, isFileNameOf, LONG_ID } from './file-name.ts'
import { DEFAULT_INTEGRATION, notePage } from './note-page.ts'

/**
 * The files of a folder that belong to export: regular files whose front matter contains the integration, and the id of the note that their
 * name contains the digest of. The folder contains no other record, so that an export can be interrupted anywhere, and two exports need no lock: each step
 * leaves a complete file of the note.
 */
export class NoteFiles {
  readonly #folder: string
  readonly #integration: string
  /** The note of each file in the folder; `undefined` for files that do not belong to export. The keys are folded names. */
  readonly #owners = new Map<string, string | undefined>()
  /** The names of each note's files. A note has several files if the user copied one. */
  readonly #names = new Map<string, readonly string[]>()

  private constructor(folder: string, integration: string) {
    this.#folder = folder
    this.#integration = integration
  }

  /** Reads a folder, and removes the incomplete files of an interrupted export. */
  static async open(folder: string, integration: string): Promise<NoteFiles> {
    await removeUnfinished(folder)
    const files = new NoteFiles(folder, integration)
    for (const entry of await readdir(folder, { withFileTypes: true })) {
      const noteId = entry.isFile() ? await noteIdOf(folder, entry.name, integration) : undefined
      files.#owners.set(folded(entry.name), noteId)
      if (noteId !== undefined) files.#names.set(noteId, [...(files.#names.get(noteId) ?? []), entry.name])
    }
    return files
  }

  /** The notes that have a file. */
  get noteIds(): readonly string[] {
    return [...this.#names.keys()]
  }

  /**
   * Writes the file of a note, if it differs.
   *
   * @returns whether it differed
   * @throws CommandError `export_in_the_way`
   */
  async write(mirrored: MirroredNote): Promise<boolean> {
    const { note_id: noteId } = mirrored.note
    const wanted = this.#reserve(mirrored)
    const names = this.#names.get(noteId) ?? []
    const same = names.find((each) => folded(each) === folded(wanted))
    const name = same ?? wanted
    const [former, ...copies] = same === undefined ? names : [same, ...names.filter((each) => each !== same)]
    this.#names.set(noteId, [name])
    for (const copy of copies) await this.#unlink(copy)
    // The file gets its new name before its new content, so that the note has exactly one file at every moment.
    if (former !== undefined && former !== name) await this.#rename(former, name)
    const page = notePage(mirrored, this.#integration)
    if (former === name && (await this.#isWritten(name, page))) return false
    await writePrivately(join(this.#folder, name), (file) => file.writeFile(page))
    return true
  }

  async remove(noteId: string): Promise<void> {
    for (const name of this.#names.get(noteId) ?? []) await this.#unlink(name)
    this.#names.delete(noteId)
  }

  #reserve({ note }: MirroredNote): string {
    const isFree = (name: string) => [undefined, note.note_id].includes(this.#owners.get(folded(name)))
    const short = fileNameOf(note)
    // If two notes have the same day, title and short digest, the second gets the long digest.
    const name = isFree(short) ? short : fileNameOf(note, LONG_ID)
    const key = folded(name)
    if (this.#owners.has(key) && this.#owners.get(key) !== note.note_id) {
      const message = `${name} exists, but export did not write it and will not overwrite it. Move it away, or export to another folder.`
      throw new CommandError('export_in_the_way', message)
    }
    this.#owners.set(key, note.note_id)
    return name
  }

  async #rename(former: string, name: string): Promise<void> {
    this.#owners.delete(folded(former))
    const [from, to] = [join(this.#folder, former), join(this.#folder, name)]
    await changeWhenClosed(() => rename(from, to)).catch(ignoreMissing)
  }

  /** Whether the file contains this page. A file of another size, however large it is, is not read. */
  async #isWritten(name: string, page: string): Promise<boolean> {
    const path = join(this.#folder, name)
    const found = await lstat(path).catch(ignoreMissing)
    if (found?.isFile() !== true || found.size !== Buffer.byteLength(page)) return false
    return (await readFile(path, 'utf8').catch(ignoreMissing)) === page
  }

  async #unlink(name: string): Promise<void> {
    await removeFile(join(this.#folder, name))
    this.#owners.delete(folded(name))
  }
}

/** Contains the note's id, which stands first in the front matter; an editor may have moved it. */
const BEGINNING_BYTES = 4_096

/** The note whose file this is; `undefined` if the file does not belong to the export of this integration. */
async function noteIdOf(folder: string, name: string, integration: string): Promise<string | undefined> {
  if (!isFileName(name)) return undefined
  const beginning = await beginningOf(join(folder, name), BEGINNING_BYTES)
  const [before, frontMatter = ''] = (beginning ?? '').split(/^---[ \t]*\r?$/m)
  if (before !== '' || (fieldIn('integration', frontMatter) ?? DEFAULT_INTEGRATION) !== integration) return undefined
  const noteId = fieldIn('note_id', frontMatter)
  return typeof noteId === 'string' && isFileNameOf(noteId, name) ? noteId : undefined
}

/** Reads one line of the front matter, of which an editor may have made something that is not YAML. */
function fieldIn(field: string, frontMatter: string): unknown {
  const line = frontMatter.split('\n').find((each) => each.startsWith(`${field}:`))
  try {
    return line && parse(line)[field]
  } catch {
    return undefined
  }
}

/** Another export has renamed or removed the file. */
function ignoreMissing(error: unknown): undefined {
  if (!isSystemError(error, 'ENOENT')) throw error
}

function folded(name: string): string {
  return name.normalize('NFC').toLowerCase()
}
