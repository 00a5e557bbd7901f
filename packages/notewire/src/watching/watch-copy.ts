import type { Mirror, MirrorChange, MirrorChangeKind, MirrorReader } from '@notewire/mirror'
import type { Clock, Note } from '@notewire/protocol'
import type { Context } from '../context/context.ts'
import { failureOf } from '../errors/failure.ts'
import type { Format } from '../terminal/colour.ts'
import type { Output } from '../terminal/output.ts'
import { cut, printable } from '../terminal/width.ts'

/**
 * Lists the changes since the last run.
 *
 * @returns the position after which changes are shown: the end of the first pull, or the position before this listing
 */
export async function catchUp(mirror: Mirror, signal: AbortSignal): Promise<string | null> {
  const before = await mirror.status()
  await mirror.sync({ signal })
  const { position } = before.isBackfilled ? before : await mirror.status()
  return position
}

/**
 * Keeps the copy up to date and shows what changes, until the signal fires.
 *
 * @throws an error that a retry cannot repair: the key is rejected, or is not the key of the copy
 */
export async function watchCopy(
  mirror: Mirror,
  after: string | null,
  { clock, signal, output }: Pick<Context, 'clock' | 'signal' | 'output'>,
): Promise<void> {
  const stop = new AbortController()
  const stopped = AbortSignal.any([signal, stop.signal])
  const tasks = [
    mirror.run({ signal: stopped }),
    warnOfSilence(mirror, stopped, { clock, output }),
    followChanges(mirror, after, { clock, signal: stopped }, (change) => {
      const at = clock.now()
      return output.print(changeRecord(change, at), changeLine(change, at, output))
    }),
  ]
  try {
    await Promise.race(tasks)
  } finally {
    stop.abort()
    await Promise.allSettled(tasks)
  }
}

const CHECK_SILENCE_EVERY_MS = 60_000

/** Warns once when the polls show that events have stopped. */
async function warnOfSilence(
  mirror: Mirror,
  signal: AbortSignal,
  { clock, output }: Pick<Context, 'clock' | 'output'>,
): Promise<void> {
  for (let wasSilent = false; !signal.aborted; ) {
    const { silence } = await mirror.status()
    if (silence !== null && !wasSilent) output.warn(`Events have stopped: ${silence}. See: notewire endpoints list`)
    wasSilent = silence !== null
    await clock.sleep(CHECK_SILENCE_EVERY_MS, signal).catch(() => undefined)
  }
}

/** How often to show the same problem, in milliseconds. */
const REPEAT_AFTER_MS = 60_000

/** Shows a problem after which the command continues, at most once a minute, because a service that is down fails at every attempt. */
export function problemReporter(clock: Clock, warn: (text: string) => void): (error: unknown) => void {
  const reportedAt = new Map<string, number>()
  return (error) => {
    const { code, message } = failureOf(error)
    const now = clock.now()
    if (now - (reportedAt.get(code) ?? Number.NEGATIVE_INFINITY) < REPEAT_AFTER_MS) return
    reportedAt.set(code, now)
    warn(`${message} notewire tries again.`)
  }
}

const WORDS: Readonly<Record<MirrorChangeKind, readonly [mark: string, word: string, format: Format]>> = {
  added: ['+', 'new', 'green'],
  restored: ['+', 'back', 'green'],
  content: ['~', 'changed', 'yellow'],
  hidden: ['-', 'hidden', 'red'],
  removed: ['-', 'removed', 'red'],
}
const LONGEST_WORD = Math.max(...Object.values(WORDS).map(([, word]) => word.length))

/** A change for a person, on one line. A removed note is shown by its id. */
function changeLine({ kind, noteId, note }: ShownChange, at: number, { paint, width }: Output): string {
  const [mark, word, format] = WORDS[kind]
  const time = new Date(at).toISOString().slice(11, 19)
  const what = note === undefined ? noteId : `${note.title ?? 'Untitled'}  ${noteId}`
  const head = `${time}  ${mark} ${word.padEnd(LONGEST_WORD)}  `
  return `${paint('dim', time)}  ${paint(format, `${mark} ${word.padEnd(LONGEST_WORD)}`)}  ${cut(printable(what), width - head.length)}`
}

function changeRecord({ kind, noteId, note, revision, position }: ShownChange, at: number): object {
  return {
    at: new Date(at).toISOString(),
    change: kind,
    note_id: noteId,
    revision,
    title: note?.title,
    transcript_status: note?.transcript_status,
    summary_status: note?.summary_status,
    position,
  }
}

interface ShownChange extends MirrorChange {
  readonly note: Note | undefined
}

/** How often to read changes, in milliseconds. Other processes may also write to the copy. */
const READ_CHANGES_EVERY_MS = 500

/**
 * Shows each change once it is complete. The mirror writes a change when a note is listed and another one when its transcript and
 * summary are read; both are shown as one change. Ends with the signal.
 */
async function followChanges(
  mirror: MirrorReader,
  after: string | null,
  { clock, signal }: { readonly clock: Clock; readonly signal: AbortSignal },
  show: (change: ShownChange) => Promise<void>,
): Promise<void> {
  const incomplete = new Map<string, MirrorChangeKind>()
  for (let position = after; !signal.aborted; ) {
    for await (const change of mirror.changes({ after: position })) {
      position = change.position
      const shown = await completed(mirror, change, incomplete)
      if (shown !== undefined) await show(shown)
    }
    await clock.sleep(READ_CHANGES_EVERY_MS, signal).catch(() => undefined)
  }
}

async function completed(
  mirror: MirrorReader,
  change: MirrorChange,
  incomplete: Map<string, MirrorChangeKind>,
): Promise<ShownChange | undefined> {
  const { noteId, kind } = change
  const first = incomplete.get(noteId)
  const found = await mirror.get(noteId)
  if (found !== undefined && !found.isSettled) {
    incomplete.set(noteId, first ?? kind)
    return undefined
  }
  incomplete.delete(noteId)
  // The note was added and removed before it was shown.
  if (found === undefined && first === 'added') return undefined
  return { ...change, kind: found === undefined ? kind : (first ?? kind), note: found?.note }
}
