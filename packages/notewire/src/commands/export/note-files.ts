import { readdir, readFile, rename } from 'node:fs/promises'
import { join } from 'node:path'
import type { MirroredNote } from '@notewire/mirror'
import { CommandError } from '../../errors/failure.ts'
import { removeFile, removeUnfinished, writePrivately } from '../../files/private-file.ts'
import { fileNameOf, LONG_ID } from './file-name.ts'
import { appendToJournal, type Intent } from './folder-records.ts'
import { notePage } from './note-page.ts'

export type FileOutcome = 'written' | 'unchanged' | 'removed' | 'absent'

export interface CurrentNote {
  readonly noteId: string
  readonly note: MirroredNote | undefined
}

/** The files of a folder. Export changes only those that it wrote. */
export class NoteFiles {
  readonly #folder: string
  /** All names in the folder, without differences of case and Unicode normalization. */
  readonly #present: Set<string>
  /** The possible names of each note's file: one, or several after an interrupted export. */
  readonly #names = new Map<string, Set<string>>()
  /** The note of each file name. */
  readonly #owners = new Map<string, string>()

  private constructor(folder: string, present: readonly string[]) {
    this.#folder = folder
    this.#present = new Set(present.map(folded))
  }

  /** Reads a folder, and removes the incomplete files of an interrupted export. */
  static async open(folder: string, known: readonly Intent[]): Promise<NoteFiles> {
    await removeUnfinished(folder)
    const files = new NoteFiles(folder, await readdir(folder))
    for (const { noteId, name } of known) files.#own(noteId, name)
    return files
  }

  /** The notes that have a file, or may have one after an interrupted export. */
  get noteIds(): readonly string[] {
    return [...this.#names.keys()]
  }

  /** The notes whose file the user has removed, or that may have several files. */
  get notesToRepair(): readonly string[] {
    return [...this.#names]
      .filter(([, names]) => names.size !== 1 || !this.#isPresent([...names][0] ?? ''))
      .map(([id]) => id)
  }

  get files(): ReadonlyMap<string, string> {
    return new Map([...this.#names].flatMap(([noteId, [name]]) => (name === undefined ? [] : [[noteId, name]])))
  }

  /**
   * Writes, renames or removes the files of some notes.
   *
   * @param full  whether to write files even if they have not changed
   * @throws CommandError `export_in_the_way`, before anything is written
   */
  async update(notes: readonly CurrentNote[], full: boolean): Promise<readonly FileOutcome[]> {
    const wanted = notes.map(({ noteId, note }) => ({ noteId, note, name: note && this.#reserve(noteId, note) }))
    const intents = wanted.flatMap(({ noteId, name }) => (name === undefined ? [] : [{ noteId, name }]))
    const added = intents.filter(({ noteId, name }) => !this.#names.get(noteId)?.has(name))
    // After a crash, the next export learns from the journal that these files may exist, and of which notes.
    await appendToJournal(this.#folder, added)
    for (const { noteId, name } of added) this.#own(noteId, name)
    return await Promise.all(
      wanted.map(({ noteId, note, name }) =>
        note === undefined || name === undefined
          ? this.#remove(noteId)
          : this.#write(noteId, name, notePage(note), full),
      ),
    )
  }

  async #write(noteId: string, name: string, page: string, full: boolean): Promise<FileOutcome> {
    const others = [...(this.#names.get(noteId) ?? [])].filter((each) => each !== name && this.#isPresent(each))
    const isCurrent = !full && others.length === 0 && (await this.#contentOf(name)) === page
    if (!isCurrent) await this.#replace(name, page, others)
    this.#names.set(noteId, new Set([name]))
    return isCurrent ? 'unchanged' : 'written'
  }

  /** Replaces the existing file and renames it afterwards, so that exactly one file of the note exists at every moment. */
  async #replace(name: string, page: string, others: readonly string[]): Promise<void> {
    const [former, ...rest] = this.#isPresent(name) ? [undefined, ...others] : others
    for (const each of rest) if (each !== undefined) await this.#unlink(each)
    const target = join(this.#folder, former ?? name)
    await writePrivately(target, (file) => file.writeFile(page))
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
    // If two notes have the same day, title and short digest, the second gets the long digest.
    const name = owner === undefined || owner === noteId ? short : fileNameOf(note, LONG_ID)
    if (this.#owners.get(name) === noteId) return name
    if (!this.#isPresent(name)) {
      this.#owners.set(name, noteId)
      return name
    }
    const message = `${name} exists, but export did not write it and will not overwrite it. Move it away, or export to another folder.`
    throw new CommandError('export_in_the_way', message)
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
