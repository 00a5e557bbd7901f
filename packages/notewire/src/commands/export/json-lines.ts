import { dirname } from 'node:path'
import type { MirrorChange, MirroredNote, MirrorReader } from '@notewire/mirror'
import { CommandError } from '../../errors/failure.ts'
import { isSystemError } from '../../errors/system-error.ts'
import { beginningOf, removeUnfinished, writePrivately } from '../../files/private-file.ts'
import { SCHEMA_VERSION } from '../../terminal/output.ts'
import { printableJson } from '../../terminal/width.ts'

export interface LinesReport {
  readonly lines: number
  /** The last change that was exported; `null` if there has been none. */
  readonly position: string | null
  /** Notes that lacked their current transcript or summary when they were exported. */
  readonly incomplete: number
}

export interface LinesOptions {
  /** The change after which the export begins. Without it, every note is exported, and no removal. */
  readonly after: string | undefined
  readonly signal: AbortSignal
  readonly onProgress: (done: number) => void
}

/** Writes one record per note, and waits until each is written. */
export async function exportLines(
  mirror: MirrorReader,
  write: (record: object) => Promise<unknown>,
  { after, signal, onProgress }: LinesOptions,
): Promise<LinesReport> {
  let lines = 0
  let incomplete = 0
  let position = after ?? null
  for await (const change of mirror.changes({ after, signal })) {
    position = change.position
    // If the note has been removed since the change was listed, another change follows.
    const note = await mirror.get(change.noteId)
    if (note === undefined && after === undefined) continue
    // Without a position, every note is new to the reader.
    const exported: MirrorChange = after === undefined ? { ...change, kind: 'added' } : change
    await write(recordOf(exported, note))
    lines += 1
    if (note?.isSettled === false) incomplete += 1
    onProgress(lines)
  }
  return { lines, position, incomplete }
}

/** The beginning of every line. Export does not overwrite a file that begins differently. */
const BEGINNING = '{"schema_version":1,"change":"'

/** A note with its current content, or that it is hidden or removed. */
function recordOf({ kind, noteId, position }: MirrorChange, found: MirroredNote | undefined): object {
  const isGone = kind === 'hidden' || kind === 'removed'
  const about = { note_id: noteId, position }
  if (found === undefined) {
    return { schema_version: SCHEMA_VERSION, change: kind === 'hidden' ? kind : 'removed', ...about }
  }
  const { note, summary, transcript, isSettled: complete } = found
  const change = isGone ? 'restored' : kind
  return { schema_version: SCHEMA_VERSION, change, ...about, complete, note, summary, transcript }
}

const BUFFER_LENGTH = 256 * 1024

/**
 * Writes lines to a file that only its owner can read. When it is complete, it replaces the file of an earlier export.
 *
 * @param work  writes the records, one a line, and awaits each
 * @throws CommandError `export_in_the_way` if the file exists and is not an export
 */
export async function writeLinesFile<Result>(
  path: string,
  shown: string,
  work: (write: (record: object) => Promise<void>) => Promise<Result>,
): Promise<Result> {
  await rejectForeignFile(path, shown)
  await removeUnfinished(dirname(path))
  return await writePrivately(path, async (file) => {
    let buffer = ''
    const result = await work(async (record) => {
      buffer += `${printableJson(record)}\n`
      if (buffer.length < BUFFER_LENGTH) return
      await file.writeFile(buffer)
      buffer = ''
    })
    await file.writeFile(buffer)
    return result
  })
}

async function rejectForeignFile(path: string, shown: string): Promise<void> {
  const beginning = await beginningOf(path, BEGINNING.length).catch((error: unknown) => {
    if (!isSystemError(error, 'ENXIO')) throw error
    const message = `${shown} is a pipe or a device, and export writes only into files. Name a file, or write to stdout: notewire export - --format jsonl`
    throw new CommandError('export_in_the_way', message)
  })
  if (beginning === undefined || beginning === '' || beginning === BEGINNING) return
  const message = `${shown} exists, but export did not write it and will not overwrite it. Move it away, or name another file.`
  throw new CommandError('export_in_the_way', message)
}
