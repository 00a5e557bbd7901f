import { MirrorError, type MirrorErrorCode, type MirrorReader } from '@notewire/mirror'
import { isSystemError } from '../../system-reason.ts'
import { ExportError } from '../export-error.ts'
import { lockFolder } from './folder-lock.ts'
import { readJournal, removeJournal } from './journal.ts'
import { makeFolder } from './make-folder.ts'
import { type Manifest, readManifest, writeManifest } from './manifest.ts'
import { type FileOutcome, NoteFiles } from './note-files.ts'

/** What an export did. */
export interface FolderReport {
  /** How many files there are. */
  readonly files: number
  readonly written: number
  readonly removed: number
  /** The change up to which the folder is right; `null` when there was never any. */
  readonly position: string | null
}

/** How to export. */
export interface FolderOptions {
  readonly folder: string
  /** The folder as it is shown. */
  readonly shown: string
  /** Whether to write every file anew. */
  readonly full: boolean
  readonly signal: AbortSignal
  readonly onProgress: (done: number) => void
}

const NOTES_AT_ONCE = 50

/**
 * Makes a folder what the copy is: one file a note. Only what has changed since the last export is looked at, where that is
 * known. Whatever moment it is interrupted at, the next export makes it right.
 *
 * @throws ExportError when another export, or a file of somebody else's, is in the way
 */
export async function exportFolder(mirror: MirrorReader, options: FolderOptions): Promise<FolderReport> {
  const { folder, shown } = options
  await makeFolder(folder)
  await using _lock = await lockFolder(folder, shown).catch(refuseFile(shown))
  const manifest = await readManifest(folder, shown)
  const interrupted = await readJournal(folder)
  const known = [...manifest.files].map(([noteId, name]) => ({ noteId, name }))
  const files = await NoteFiles.open(folder, [...known, ...interrupted])
  const after = options.full ? null : await knownPosition(manifest, mirror)

  const writer = new FolderWriter(mirror, files, options)
  // What an export that did not end was at, and what somebody has removed, no change tells of.
  for (const noteId of new Set([...interrupted.map((intent) => intent.noteId), ...files.broken]))
    await writer.add(noteId)
  let position = after
  for await (const change of mirror.changes({ after, signal: options.signal })) {
    await writer.add(change.noteId)
    position = change.position
  }
  // To a reader from the beginning, changes do not tell what is gone.
  if (after === null) for (const noteId of files.noteIds) if (!writer.seen.has(noteId)) await writer.add(noteId)
  await writer.flush()
  await writeManifest(folder, { position, files: files.files })
  await removeJournal(folder)
  const { written, removed } = writer.counts
  return { files: files.noteIds.length, written, removed, position }
}

function refuseFile(shown: string): (error: unknown) => never {
  return (error) => {
    if (!isSystemError(error) || error.code !== 'ENOTDIR') throw error
    const message = `${shown} is a file, and Markdown is written to a folder. Name a folder, or pass --format jsonl.`
    throw new ExportError('export_in_the_way', message)
  }
}

/** Where the last export ended, provided that it was one of this copy, and not of one that was there before it. */
async function knownPosition({ position }: Manifest, mirror: MirrorReader): Promise<string | null> {
  try {
    for await (const _ of mirror.changes({ after: position })) break
    return position
  } catch (error) {
    if (error instanceof MirrorError && NOT_OF_THIS_COPY.includes(error.code)) return null
    throw error
  }
}

const NOT_OF_THIS_COPY: readonly MirrorErrorCode[] = ['position_foreign', 'position_malformed']

/** Reads notes and writes their files, some at a time. */
class FolderWriter {
  readonly #mirror: MirrorReader
  readonly #files: NoteFiles
  readonly #options: FolderOptions
  readonly #counts: Record<FileOutcome, number> = { written: 0, unchanged: 0, removed: 0, absent: 0 }
  readonly seen = new Set<string>()
  #waiting: string[] = []
  #done = 0

  constructor(mirror: MirrorReader, files: NoteFiles, options: FolderOptions) {
    this.#mirror = mirror
    this.#files = files
    this.#options = options
  }

  get counts(): Readonly<Record<FileOutcome, number>> {
    return this.#counts
  }

  async add(noteId: string): Promise<void> {
    this.seen.add(noteId)
    this.#waiting.push(noteId)
    if (this.#waiting.length >= NOTES_AT_ONCE) await this.flush()
  }

  async flush(): Promise<void> {
    this.#options.signal.throwIfAborted()
    // A note that waits twice would be written twice at the same moment.
    const noteIds = [...new Set(this.#waiting)]
    this.#waiting = []
    const notes = await Promise.all(noteIds.map(async (noteId) => ({ noteId, note: await this.#mirror.get(noteId) })))
    for (const outcome of await this.#files.update(notes, this.#options.full)) this.#counts[outcome] += 1
    this.#done += noteIds.length
    this.#options.onProgress(this.#done)
  }
}
