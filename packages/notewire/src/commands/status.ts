import type { MirrorStatus } from '@notewire/mirror'
import { wholeNumber } from '../configuration/value-readers.ts'
import type { Context, Run } from '../context/context.ts'
import { openClient } from '../context/notes-client.ts'
import { EXIT_CODES, type ExitCode, UsageError } from '../errors/failure.ts'
import { type Copy, type CopyFile, type ReadableCopy, readCopy } from '../local-copy/local-copy.ts'
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
        const sample = verify === true ? SAMPLE : verify
        return readCopy(context, async (copy) =>
          showStatus(
            copy,
            sample === undefined ? undefined : await verified(copy, all ? 'all' : sample, context),
            context,
          ),
        )
      }),
    )

/** How many notes are compared by default. */
const SAMPLE = 50

async function verified(
  { file, mirror, requireKey }: ReadableCopy,
  notes: number | 'all',
  context: Context,
): Promise<Comparison> {
  const { signal } = context
  const client = await openClient(context)
  const progress = context.progress('Comparing')
  try {
    await requireKey(client)
    return await compareCopy(mirror, client, { notes, signal, progress })
  } catch (error) {
    throw await keyErrorOf(error, client, file, signal)
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
  const problems = [...problemsIn(status), ...(comparison === undefined ? [] : differencesIn(comparison))]
  const lines = [
    `${file.label} contains ${amount(status.notes.live, 'note')}.`,
    ...problems,
    ...factsOf(status, clock.now()),
    ...(comparison === undefined ? [] : factsOfComparison(comparison)),
  ].map((text) => {
    const mark = problems.includes(text) ? output.paint('yellow', '!') : ' '
    return `${mark} ${wrap(text, output.width, '  ').trimStart()}`
  })
  const isOk = problems.length === 0
  const record = { ...statusRecord(file, status, isOk), comparison: comparison && comparisonRecord(comparison) }
  await output.print(record, lines.join('\n'))
  return isOk ? EXIT_CODES.done : EXIT_CODES.failed
}

function differencesIn({ compared, differences }: Comparison): readonly string[] {
  const real = differences.filter(({ isBehind }) => !isBehind)
  if (real.length === 0) return []
  const lines = real.map(({ noteId, fields }) => `${printable(noteId)}: ${fields.join(', ')}`)
  const advice =
    'Update the copy, deletions included, and compare again: notewire pull --scan. If these notes still differ, pull into a new file: notewire pull --database <file>'
  return [[`Notes that differ from the service: ${real.length} of ${grouped(compared)}.`, ...lines, advice].join('\n')]
}

function factsOfComparison({ compared, differences }: Comparison): readonly string[] {
  const behind = differences.filter(({ isBehind }) => isBehind).length
  return [
    `${amount(compared, 'note was', 'notes were')} compared with the service.`,
    ...(behind === 0 ? [] : [`${grouped(behind)} of them changed there after the last poll: notewire pull`]),
  ]
}

function comparisonRecord({ compared, differences }: Comparison): object {
  const named = (isBehind: boolean) =>
    differences
      .filter((difference) => difference.isBehind === isBehind)
      .map(({ noteId, fields }) => ({ note_id: noteId, fields }))
  return { compared, different: named(false), behind: named(true) }
}

/** What needs attention, and what to do about it. */
function problemsIn({ notes, isBackfilled, held, silence }: MirrorStatus): readonly string[] {
  const pending = notes.dirty + notes.unsettled
  return [
    !isBackfilled && 'The first pull has not ended, so notes may be missing. Continue it: notewire pull',
    held.length > 0 && heldWords(held, notes.live),
    silence !== null && `Events have stopped: ${silence}. See the status of the endpoint: notewire endpoints list`,
    pending > 0 &&
      `${amount(pending, 'note is', 'notes are')} still to be read. The next pull reads them: notewire pull`,
  ].filter((problem) => problem !== false)
}

function factsOf(status: MirrorStatus, now: number): readonly string[] {
  const { isBackfilled, contradictions, polledAt, heardAt } = status
  return [
    contradictions > 0 &&
      `The service shows ${amount(contradictions, 'note')} at a lower revision than before: it lags, or was restored from a backup. For details: notewire explain <note_id>`,
    isBackfilled && correctness(status, now),
    isBackfilled && `The last poll for changes was ${ago(polledAt, now)}.`,
    heardAt === null
      ? 'No event has arrived yet: the copy is updated by polls.'
      : `The last event arrived ${ago(heardAt, now)}.`,
  ].filter((fact) => fact !== false)
}

function statusRecord({ shown, integration }: CopyFile, status: MirrorStatus, isOk: boolean): object {
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
