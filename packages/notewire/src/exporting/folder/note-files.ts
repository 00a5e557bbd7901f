import { readdir, readFile, rename, unlink } from 'node:fs/promises'
import { join } from 'node:path'
import type { MirroredNote } from '@notewire/mirror'
import { isSystemError } from '../../system-reason.ts'
import { ExportError } from '../export-error.ts'
import { fileNameOf, LONG_ID } from '../markdown/file-name.ts'
import { notePage } from '../markdown/note-page.ts'
import { isTemporary, temporaryIn, writePrivately } from '../private-file.ts'
import { appendToJournal, type Intent } from './journal.ts'

/** What became of the file of a note. */
export type FileOutcome = 'written' | 'unchanged' | 'removed' | 'absent'

/** A note, or that it is gone. */
export interface CurrentNote {
  readonly noteId: string
  readonly note: MirroredNote | undefined
}

/** The files of notes in a folder: those that export has written, and the others, which it leaves alone. */
export class NoteFiles {
  readonly #folder: string
  /** Everything in the folder, by names as a file system sees them that tells no case and no form of letters apart. */
  readonly #present: Set<string>
  /** The names that each note's file may have: one, but where an export did not end. */
  readonly #names = new Map<string, Set<string>>()
  readonly #owners = new Map<string, string>()

  private constructor(folder: string, present: readonly string[]) {
    this.#folder = folder
    this.#present = new Set(present.map(folded))
  }

  /** Looks at a folder, and removes what an export that did not end has left half written. */
  static async open(folder: string, known: readonly Intent[]): Promise<NoteFiles> {
    const present = await readdir(folder)
    for (const name of present.filter(isTemporary)) await removeFile(join(folder, name))
    const files = new NoteFiles(folder, present)
    for (const { noteId, name } of known) files.#own(noteId, name)
    return files
  }

  /** The notes that have a file, or had one when an export did not end. */
  get noteIds(): readonly string[] {
    return [...this.#names.keys()]
  }

  /** The notes whose file somebody has removed, or that may have more than one. */
  get broken(): readonly string[] {
    return [...this.#names]
      .filter(([, names]) => names.size !== 1 || !this.#isPresent([...names][0] ?? ''))
      .map(([id]) => id)
  }

  /** What the manifest is to say. */
  get files(): ReadonlyMap<string, string> {
    return new Map([...this.#names].flatMap(([noteId, [name]]) => (name === undefined ? [] : [[noteId, name]])))
  }

  /**
   * Makes the files what the notes are.
   *
   * @param anew  whether to write also what is there and right
   * @throws ExportError `export_in_the_way`, before anything is written
   */
  async update(notes: readonly CurrentNote[], anew: boolean): Promise<readonly FileOutcome[]> {
    const wanted = notes.map(({ noteId, note }) => ({ noteId, note, name: note && this.#reserve(noteId, note) }))
    const intents = wanted.flatMap(({ noteId, name }) => (name === undefined ? [] : [{ noteId, name }]))
    const news = intents.filter(({ noteId, name }) => !this.#names.get(noteId)?.has(name))
    // From here on, whoever comes after a crash knows that these files may be there, and whose they are.
    await appendToJournal(this.#folder, news)
    for (const { noteId, name } of news) this.#own(noteId, name)
    return await Promise.all(
      wanted.map(({ noteId, note, name }) =>
        note === undefined || name === undefined
          ? this.#remove(noteId)
          : this.#write(noteId, name, notePage(note), anew),
      ),
    )
  }

  async #write(noteId: string, name: string, page: string, anew: boolean): Promise<FileOutcome> {
    const others = [...(this.#names.get(noteId) ?? [])].filter((each) => each !== name && this.#isPresent(each))
    const isRight = !anew && others.length === 0 && (await this.#contentOf(name)) === page
    if (!isRight) await this.#replace(name, page, others)
    this.#names.set(noteId, new Set([name]))
    return isRight ? 'unchanged' : 'written'
  }

  /** At no moment are there two files of one note, or none: what is there gets its new text first, and then its new name. */
  async #replace(name: string, page: string, others: readonly string[]): Promise<void> {
    const [former, ...rest] = this.#isPresent(name) ? [undefined, ...others] : others
    for (const each of rest) if (each !== undefined) await this.#unlink(each)
    const target = join(this.#folder, former ?? name)
    await writePrivately(temporaryIn(this.#folder), target, (file) => file.writeFile(page))
    if (former !== undefined) {
      await rename(join(this.#folder, former), join(this.#folder, name))
      this.#present.delete(folded(former))
      this.#owners.delete(former)
    }
    this.#present.add(folded(name))
  }

  async #remove(noteId: string): Promise<FileOutcome> {
    const names = [...(this.#names.get(noteId) ?? [])]
    for (const name of names) await this.#unlink(name)
    this.#names.delete(noteId)
    return names.length > 0 ? 'removed' : 'absent'
  }

  #reserve(noteId: string, { note }: MirroredNote): string {
    const short = fileNameOf(note)
    const owner = this.#owners.get(short)
    // Of two notes of a day and a title whose digests begin alike, the second gets more of its own.
    const name = owner === undefined || owner === noteId ? short : fileNameOf(note, LONG_ID)
    if (this.#owners.get(name) === noteId) return name
    if (!this.#isPresent(name)) {
      this.#owners.set(name, noteId)
      return name
    }
    throw new ExportError(
      'export_in_the_way',
      `${name} is in the way, and was not written by export. Move it away, or export to another folder.`,
    )
  }

  #own(noteId: string, name: string): void {
    this.#names.set(noteId, (this.#names.get(noteId) ?? new Set()).add(name))
    this.#owners.set(name, noteId)
  }

  #isPresent(name: string): boolean {
    return this.#present.has(folded(name))
  }

  async #contentOf(name: string): Promise<string | undefined> {
    return this.#isPresent(name) ? await readFile(join(this.#folder, name), 'utf8').catch(() => undefined) : undefined
  }

  async #unlink(name: string): Promise<void> {
    await removeFile(join(this.#folder, name))
    this.#present.delete(folded(name))
    this.#owners.delete(name)
  }
}

function folded(name: string): string {
  return name.normalize('NFC').toLowerCase()
}

async function removeFile(path: string): Promise<void> {
  await unlink(path).catch((error: unknown) => {
    if (!isSystemError(error) || error.code !== 'ENOENT') throw error
  })
}
