import type { MirroredNote, MirrorReader } from '@notewire/mirror'
import { CommandError } from '../../errors/failure.ts'
import { isSystemError } from '../../errors/system-error.ts'
import { makePrivateFolder } from '../../files/private-file.ts'
import { NoteFiles } from './note-files.ts'

export interface FolderReport {
  readonly files: number
  readonly written: number
  readonly removed: number
  /** Notes that lacked their current transcript or summary when they were exported. */
  readonly incomplete: number
}

export interface FolderOptions {
  readonly folder: string
  readonly integration: string
  readonly shown: string
  readonly signal: AbortSignal
  readonly onProgress: (done: number) => void
}

const BATCH_SIZE = 50

/**
 * Makes a folder contain one file per note of the copy. It compares every file with its note, so it can be interrupted at any moment, and
 * the next export completes the folder.
 *
 * @throws CommandError if export would overwrite a file that does not belong to it
 */
export async function exportFolder(mirror: MirrorReader, options: FolderOptions): Promise<FolderReport> {
  const { folder, integration, shown, signal, onProgress } = options
  const files = await openFolder(folder, integration).catch((error: unknown) => {
    if (!isSystemError(error, 'EEXIST') && !isSystemError(error, 'ENOTDIR')) throw error
    const message = `${shown} is a file, and Markdown is written to a folder. Name a folder, or pass --format jsonl.`
    throw new CommandError('export_in_the_way', message)
  })
  const seen = new Set<string>()
  let batch: MirroredNote[] = []
  let written = 0
  let incomplete = 0

  async function flush(): Promise<void> {
    signal.throwIfAborted()
    const outcomes = await Promise.all(batch.map((each) => files.write(each)))
    batch = []
    written += outcomes.filter((isWritten) => isWritten).length
    onProgress(seen.size)
  }

  for await (const mirrored of mirror.list()) {
    seen.add(mirrored.note.note_id)
    if (!mirrored.isSettled) incomplete += 1
    batch.push(mirrored)
    if (batch.length >= BATCH_SIZE) await flush()
  }
  await flush()
  let removed = 0
  for (const noteId of files.noteIds) {
    // A pull that runs at the same time may have added the note after the list.
    if (seen.has(noteId) || (await mirror.get(noteId)) !== undefined) continue
    await files.remove(noteId)
    removed += 1
  }
  return { files: files.noteIds.length, written, removed, incomplete }
}

async function openFolder(folder: string, integration: string): Promise<NoteFiles> {
  await makePrivateFolder(folder)
  return await NoteFiles.open(folder, integration)
}
