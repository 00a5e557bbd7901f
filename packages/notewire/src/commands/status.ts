import type { MirrorStatus } from '@notewire/mirror'
import type { Context, Run } from '../context/context.ts'
import { EXIT_CODES, type ExitCode } from '../errors/failure.ts'
import { type Copy, readCopy } from '../local-copy/local-copy.ts'
import { heldWords } from '../pulling/pull-report.ts'
import { amount, spell } from '../terminal/amounts.ts'
import { wrap } from '../terminal/width.ts'
import { newCommand } from './new-command.ts'

export const command = (run: Run) =>
  newCommand({
    description:
      'Shows the state of the local copy: how many notes it has, as of when it is known to be right, and which notes are still to be read. It does not contact the service. It exits with 1 if something needs attention: the first pull has not ended, notes are still to be read, removals are held back, or events have stopped.',
    settings: ['database'],
    examples: {
      status: 'in sentences, each with what to do',
      'status --json || mail -s "notes" me': 'for a cron job',
    },
    next: 'Update the copy: notewire pull. Keep it up to date: notewire watch.',
  }).action(run((context) => readCopy(context, (copy) => showStatus(copy, context))))

async function showStatus({ mirror, file }: Copy, { output, clock }: Context): Promise<ExitCode> {
  const found = { database: file.shown, status: await mirror.status(), now: clock.now() }
  const sentences = statusSentences(found)
  const isOk = !sentences.some(({ needsAttention }) => needsAttention)
  const lines = sentences.map(({ text, needsAttention }) => {
    const mark = needsAttention ? output.paint('yellow', '!') : ' '
    return `${mark} ${wrap(text, output.width, '  ').trimStart()}`
  })
  await output.print(statusRecord(found, isOk), lines.join('\n'))
  return isOk ? EXIT_CODES.done : EXIT_CODES.failed
}

interface CopyStatus {
  readonly database: string
  readonly status: MirrorStatus
  readonly now: number
}

/** A statement about the copy, and whether the user has to do something. */
interface Sentence {
  readonly text: string
  readonly needsAttention: boolean
}

/** The status in sentences, the most important first. Those that need attention say what to do. */
function statusSentences({ database, status, now }: CopyStatus): readonly Sentence[] {
  const { notes, isBackfilled, silence, held, contradictions, heardAt } = status
  const pending = notes.dirty + notes.unsettled
  return [
    fact(`${database} contains ${amount(notes.live, 'note')}.`),
    when(!isBackfilled, 'The first pull has not ended, so notes may be missing. Continue it: notewire pull'),
    when(held.length > 0, heldWords(held, notes.live)),
    when(silence !== null, `Events have stopped: ${silence}. See the status of the endpoint: notewire endpoints list`),
    when(
      pending > 0,
      `${amount(pending, 'note is', 'notes are')} still to be read. The next pull reads them: notewire pull`,
    ),
    ...(contradictions > 0
      ? [
          fact(
            `The service shows ${amount(contradictions, 'note')} at a lower revision than before: it lags behind, or was restored from a backup. For details: notewire explain <note_id>`,
          ),
        ]
      : []),
    ...(isBackfilled
      ? [fact(correctness(status, now)), fact(`The last poll for changes was ${ago(status.polledAt, now)}.`)]
      : []),
    fact(
      heardAt === null
        ? 'No event has arrived yet: the copy is updated by polls.'
        : `The last event arrived ${ago(heardAt, now)}.`,
    ),
  ].filter((sentence) => sentence !== undefined)
}

function statusRecord({ database, status }: CopyStatus, isOk: boolean): object {
  const { lastScan } = status
  return {
    database,
    ok: isOk,
    notes: status.notes,
    contradictions: status.contradictions,
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
    held: status.held.map(({ scanId, notes }) => ({ scan_id: scanId, notes })),
    silence: status.silence,
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

function fact(text: string): Sentence {
  return { text, needsAttention: false }
}

function when(isTrue: boolean, text: string): Sentence | undefined {
  return isTrue ? { text, needsAttention: true } : undefined
}
