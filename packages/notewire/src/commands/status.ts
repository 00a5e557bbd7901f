import { isDeepStrictEqual } from 'node:util'
import { KeyChangedError, type MirrorStatus } from '@notewire/mirror'
import type { SqliteMirror } from '@notewire/mirror/sqlite'
import { wholeNumber } from '../configuration/value-readers.ts'
import type { Context, Run } from '../context/context.ts'
import { openClient } from '../context/notes-client.ts'
import { EXIT_CODES, type ExitCode, UsageError } from '../errors/failure.ts'
import { type Copy, type CopyFile, readCopy } from '../local-copy/local-copy.ts'
import { keyErrorOf } from '../pulling/key-change.ts'
import { heldWords } from '../pulling/pull-report.ts'
import { amount, grouped, spell } from '../terminal/amounts.ts'
import { snakeCased } from '../terminal/output.ts'
import { printable, wrap } from '../terminal/width.ts'
import { type Comparison, compareCopy } from '../verifying/compare-copy.ts'
import { newCommand } from './new-command.ts'

export const command = (run: Run) =>
  newCommand({
    description:
      'Shows the state of the local copy: how many notes it has, as of when it is known to be right, and which notes are still to be read. Without --verify, it does not contact the service. It exits with 1 if something needs attention: the first pull has not ended, notes are still to be read, removals are held back, events have stopped, or a compared note differs.',
    settings: ['database', 'integration', 'baseUrl', 'apiKey', 'notesField'],
    examples: {
      status: 'in sentences, each with what to do',
      'status --json || mail -s "notes" me': 'for a cron job',
      'status --verify': 'also compares 50 notes with the service',
    },
    next: 'Update the copy: notewire pull. Keep it up to date: notewire watch.',
  })
    .option(
      '--verify [notes]',
      `compare notes of the copy, drawn at random, with the service (default: ${SAMPLE})`,
      wholeNumber(1),
    )
    .option('--all', 'with --verify: compare every note, and find notes that the copy lacks')
    .action(
      run((context, { verify, all }) => {
        if (all && verify === undefined) throw new UsageError('--all says what to verify. Add --verify.')
        const notes = verify === true ? SAMPLE : verify
        return readCopy(context, async (copy, store) => {
          const comparison = notes && (await compare(copy, store, all ? 'all' : notes, context))
          return await showStatus(copy, comparison || undefined, context)
        })
      }),
    )

/** How many notes are compared by default. */
const SAMPLE = 50

/** @throws CommandError if the key is not the key of the copy: it may see other notes */
async function compare(
  { file, mirror }: Copy,
  store: SqliteMirror,
  notes: number | 'all',
  context: Context,
): Promise<Comparison> {
  const { signal } = context
  const { integration } = file
  const client = await openClient(context)
  const { copyId, key } = (await store.readProgress(integration)).progress
  const given = await client.identifyKey(copyId ?? integration)
  if (!isDeepStrictEqual(key, given))
    throw await keyErrorOf(new KeyChangedError(integration, key, given), client, file, signal)
  const progress = context.progress('Comparing')
  try {
    return await compareCopy(mirror, client, { notes, signal, progress })
  } finally {
    progress.finish()
  }
}

async function showStatus(
  { mirror, file }: Copy,
  comparison: Comparison | undefined,
  { output, clock }: Context,
): Promise<ExitCode> {
  const status = await mirror.status()
  const problems = problemsIn(status, comparison)
  const lines = [
    `${file.label} contains ${amount(status.notes.live, 'note')}.`,
    ...problems,
    ...factsOf(status, comparison, clock.now()),
  ].map((text) => {
    const mark = problems.includes(text) ? output.paint('yellow', '!') : ' '
    return `${mark} ${wrap(text, output.width, '  ').trimStart()}`
  })
  await output.print(statusRecord(file, status, comparison, problems.length === 0), lines.join('\n'))
  return problems.length === 0 ? EXIT_CODES.done : EXIT_CODES.failed
}

/** What needs attention, and what to do about it. */
function problemsIn(
  { notes, isBackfilled, held, silence }: MirrorStatus,
  comparison: Comparison | undefined,
): readonly string[] {
  const pending = notes.dirty + notes.unsettled
  return [
    !isBackfilled && 'The first pull has not ended, so notes may be missing. Continue it: notewire pull',
    held.length > 0 && heldWords(held, notes.live),
    silence !== null && `Events have stopped: ${silence}. See the status of the endpoint: notewire endpoints list`,
    pending > 0 &&
      `${amount(pending, 'note is', 'notes are')} still to be read. The next pull reads them: notewire pull`,
    comparison !== undefined && comparison.different.length > 0 && differenceWords(comparison),
  ].filter((problem) => problem !== false)
}

function differenceWords({ compared, different }: Comparison): string {
  const lines = different.map(({ note_id, fields }) => `${printable(note_id)}: ${fields.join(', ')}`)
  return [
    `Notes that differ from the service: ${different.length} of ${grouped(compared)}.`,
    ...lines,
    'Update the copy, deletions included, and compare again: notewire pull --scan. If these notes still differ, pull into a new file: notewire pull --database <file>',
  ].join('\n')
}

function factsOf(status: MirrorStatus, comparison: Comparison | undefined, now: number): readonly string[] {
  const { isBackfilled, contradictions, polledAt, heardAt } = status
  return [
    contradictions > 0 &&
      `The service shows ${amount(contradictions, 'note')} at a lower revision than before: it lags, or was restored from a backup. For details: notewire explain <note_id>`,
    isBackfilled && !comparison?.different.length && correctness(status, now),
    isBackfilled && `The last poll for changes was ${ago(polledAt, now)}.`,
    heardAt === null
      ? 'No event has arrived yet: the copy is updated by polls.'
      : `The last event arrived ${ago(heardAt, now)}.`,
    comparison !== undefined &&
      `${amount(comparison.compared, 'note was', 'notes were')} compared with the service. ${grouped(comparison.behind.length)} of them changed there after the last poll.`,
  ].filter((fact) => fact !== false)
}

function statusRecord(
  { shown, integration }: CopyFile,
  status: MirrorStatus,
  comparison: Comparison | undefined,
  isOk: boolean,
): object {
  const { notes, contradictions, silence, lastScan } = status
  return {
    database: shown,
    integration,
    ok: isOk,
    notes,
    contradictions,
    backfilled: status.isBackfilled,
    correct_as_of: status.correctAsOf,
    polled_at: status.polledAt,
    heard_at: status.heardAt,
    watermark: status.watermark,
    last_scan: lastScan && {
      scan_id: lastScan.scanId,
      began_at: new Date(lastScan.beganAt),
      ended_at: new Date(lastScan.endedAt),
      seen: lastScan.seen,
      missing: lastScan.missing,
    },
    scan_under_way: status.scan !== null,
    held: status.held.map(snakeCased),
    silence,
    comparison,
  }
}

function correctness({ correctAsOf, lastScan, held }: MirrorStatus, now: number): string {
  const subject = held.length === 0 ? 'The copy' : 'Except for these notes, the copy'
  if (correctAsOf !== null)
    return `${subject} is known to be right, deletions included, as of ${ago(correctAsOf, now)}.`
  if (lastScan === null) return 'Unannounced deletions have not been checked yet. To check them: notewire pull --scan'
  return `Deletions were last checked ${ago(new Date(lastScan.beganAt), now)}.`
}

function ago(date: Date | null, now: number): string {
  return date === null ? 'never' : `${spell(now - date.getTime())} ago (${date.toISOString()})`
}
