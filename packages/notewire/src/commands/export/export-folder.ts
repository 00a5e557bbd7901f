import { existsSync } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import { dirname } from 'node:path'
import { MirrorError, type MirrorErrorCode, type MirrorReader } from '@notewire/mirror'
import { CommandError } from '../../errors/failure.ts'
import { isSystemError } from '../../errors/system-error.ts'
import { lockFolder, type Manifest, readJournal, readManifest, removeJournal, writeManifest } from './folder-records.ts'
import { type FileOutcome, NoteFiles } from './note-files.ts'

export interface FolderReport {
  readonly files: number
  readonly written: number
  readonly removed: number
  /** The change up to which the folder is up to date; `null` if there has been none. */
  readonly position: string | null
}

export interface FolderOptions {
  readonly folder: string
  readonly shown: string
  /** Whether to write every file, not only those that have changed. */
  readonly full: boolean
  readonly signal: AbortSignal
  readonly onProgress: (done: number) => void
}

const BATCH_SIZE = 50

/**
 * Writes the copy into a folder, one file per note. If it knows the position of the last export, it reads only the changes since then.
 * It can be interrupted at any moment; the next export completes the folder.
 *
 * @throws CommandError if another export runs, or export would overwrite a file that it did not write
 */
export async function exportFolder(mirror: MirrorReader, options: FolderOptions): Promise<FolderReport> {
  const { folder, shown } = options
  await makeFolder(folder)
  await using _lock = await lockFolder(folder, shown).catch((error: unknown) => {
    if (!isSystemError(error, 'ENOTDIR')) throw error
    const message = `${shown} is a file, and Markdown is written to a folder. Name a folder, or pass --format jsonl.`
    throw new CommandError('export_in_the_way', message)
  })
  const manifest = await readManifest(folder, shown)
  const interrupted = await readJournal(folder)
  const known = [...manifest.files].map(([noteId, name]) => ({ noteId, name }))
  const files = await NoteFiles.open(folder, [...known, ...interrupted])
  const after = options.full ? null : await knownPosition(manifest, mirror)

  const counts: Record<FileOutcome, number> = { written: 0, unchanged: 0, removed: 0, absent: 0 }
  const seen = new Set<string>()
  let batch = new Set<string>()

  async function add(noteId: string): Promise<void> {
    seen.add(noteId)
    batch.add(noteId)
    if (batch.size >= BATCH_SIZE) await flush()
  }

  async function flush(): Promise<void> {
    options.signal.throwIfAborted()
    const notes = await Promise.all([...batch].map(async (noteId) => ({ noteId, note: await mirror.get(noteId) })))
    batch = new Set()
    for (const outcome of await files.update(notes, options.full)) counts[outcome] += 1
    options.onProgress(seen.size)
  }

  // The changes do not contain the files of an interrupted export, and those that the user has removed.
  for (const noteId of new Set([...interrupted.map((intent) => intent.noteId), ...files.notesToRepair]))
    await add(noteId)
  let position = after
  for await (const change of mirror.changes({ after, signal: options.signal })) {
    await add(change.noteId)
    position = change.position
  }
  // Without a position, the changes contain no removals.
  if (after === null) for (const noteId of files.noteIds) if (!seen.has(noteId)) await add(noteId)
  await flush()
  await writeManifest(folder, { position, files: files.files })
  await removeJournal(folder)
  return { files: files.noteIds.length, written: counts.written, removed: counts.removed, position }
}

/**
 * Creates a folder and its missing parents with mode 700. It does not use `recursive: true`, which never ends in a file system where
 * users cannot create folders, such as /proc.
 */
async function makeFolder(folder: string): Promise<void> {
  const parent = dirname(folder)
  if (!existsSync(parent)) await makeFolder(parent)
  try {
    await mkdir(folder, { mode: 0o700 })
  } catch (error) {
    if (!isSystemError(error, 'EEXIST')) throw error
  }
}

/** The position of the last export, if it was an export of this copy. */
async function knownPosition({ position }: Manifest, mirror: MirrorReader): Promise<string | null> {
  try {
    for await (const _ of mirror.changes({ after: position })) break
    return position
  } catch (error) {
    if (error instanceof MirrorError && OTHER_COPY_CODES.includes(error.code)) return null
    throw error
  }
}

const OTHER_COPY_CODES: readonly MirrorErrorCode[] = ['position_foreign', 'position_malformed']
