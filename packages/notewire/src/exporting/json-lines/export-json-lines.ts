import type { MirrorChange, MirrorReader } from '@notewire/mirror'
import { goneRecord, noteRecord } from './records.ts'

/** What an export did. */
export interface LinesReport {
  readonly lines: number
  /** The change up to which it tells; `null` when there was never any. */
  readonly position: string | null
}

/** How to export. */
export interface LinesOptions {
  /** The change behind which to begin; without one, every note is told, and nothing of those that are gone. */
  readonly after: string | undefined
  readonly signal: AbortSignal
  readonly onProgress: (done: number) => void
}

/** Writes one line a note, and waits until each is taken. */
export async function exportLines(
  mirror: MirrorReader,
  write: (line: string) => Promise<unknown>,
  { after, signal, onProgress }: LinesOptions,
): Promise<LinesReport> {
  let lines = 0
  let position = after ?? null
  for await (const change of mirror.changes({ after, signal })) {
    position = change.position
    // It may have gone since the change was listed: then another change says so.
    const note = await mirror.get(change.noteId)
    if (note === undefined && after === undefined) continue
    // To a reader from the beginning, every note is a new one.
    const told: MirrorChange = after === undefined ? { ...change, kind: 'added' } : change
    await write(`${JSON.stringify(note === undefined ? goneRecord(told) : noteRecord(told, note))}\n`)
    lines += 1
    onProgress(lines)
  }
  return { lines, position }
}
