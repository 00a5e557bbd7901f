import type { MirrorStatus } from '@notewire/mirror'
import type { Context, Run } from '../context/context.ts'
import { EXIT_CODES, type ExitCode } from '../errors/failure.ts'
import { type Copy, type CopyFile, readCopy } from '../local-copy/local-copy.ts'
import { amount, spell } from '../terminal/amounts.ts'
import { snakeCased } from '../terminal/output.ts'
import { hanging } from '../terminal/width.ts'
import { newCommand } from './new-command.ts'
import { heldWords } from './pull/pull-report.ts'

export const command = (run: Run) =>
  newCommand({
    description:
      'Shows the state of the local copy: how many notes it has, as of when it is known to be right, and which notes are still to be read. It does not contact the service. It exits with 1 if something needs attention: the first pull has not ended, notes are still to be read, removals are held back, or events have stopped.',
    settings: ['database', 'integration'],
    examples: {
      status: 'in sentences, each with what to do',
      'status --json || mail -s "notes" me': 'for a cron job',
    },
    next: 'Update the copy: notewire pull.',
  }).action(run((context) => readCopy(context, (copy) => showStatus(copy, context))))

async function showStatus({ mirror, file }: Copy, { output, clock }: Context): Promise<ExitCode> {
  const status = await mirror.status()
  const problems = problemsIn(status, file)
  const lines = [
    `${file.label} contains ${amount(status.notes.live, 'note')}.`,
    ...problems,
    ...factsOf(status, file, clock.now()),
  ].flatMap((text) => {
    const mark = problems.includes(text) ? output.paint('yellow', '!') : ' '
    return hanging(`${mark} `, text, output.width)
  })
  await output.print(statusRecord(file, status, problems.length === 0), lines)
  return problems.length === 0 ? EXIT_CODES.done : EXIT_CODES.failed
}

/** What needs attention, and what to do about it. */
function problemsIn({ notes, isBackfilled, held, silence }: MirrorStatus, file: CopyFile): readonly string[] {
  const pending = notes.dirty + notes.unsettled
  return [
    !isBackfilled && `The first pull has not ended, so notes may be missing. Continue it: ${file.pull}`,
    held.length > 0 && heldWords(held, notes.live, file),
    silence !== null && `Events have stopped: ${silence}. See the status of the endpoint: notewire endpoints list`,
    pending > 0 &&
      `${amount(pending, 'note is', 'notes are')} still to be read. The next pull reads them: ${file.pull}`,
  ].filter((problem) => problem !== false)
}

function factsOf(status: MirrorStatus, file: CopyFile, now: number): readonly string[] {
  const { isBackfilled, contradictions, polledAt, heardAt } = status
  return [
    contradictions > 0 &&
      `The service shows ${amount(contradictions, 'note')} at a lower revision than before: it lags, or was restored from a backup. For details: notewire explain <note_id>`,
    isBackfilled && correctness(status, file, now),
    isBackfilled && `The last poll for changes was ${ago(polledAt, now)}.`,
    heardAt === null
      ? 'No event has arrived yet: the copy is updated by polls.'
      : `The last event arrived ${ago(heardAt, now)}.`,
  ].filter((fact) => fact !== false)
}

function statusRecord({ shown, integration }: CopyFile, status: MirrorStatus, isOk: boolean): object {
  const { notes, contradictions, silence, lastFullListing } = status
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
    last_full_listing: lastFullListing && {
      full_listing_id: lastFullListing.fullListingId,
      began_at: new Date(lastFullListing.beganAt),
      ended_at: new Date(lastFullListing.endedAt),
      seen: lastFullListing.seen,
      missing: lastFullListing.missing,
    },
    full_listing_under_way: status.fullListing !== null,
    held: status.held.map(snakeCased),
    silence,
  }
}

function correctness({ correctAsOf, lastFullListing, held }: MirrorStatus, { pull }: CopyFile, now: number): string {
  const subject = held.length === 0 ? 'The copy' : 'Except for these notes, the copy'
  if (correctAsOf !== null)
    return `${subject} is known to be right, deletions included, as of ${ago(correctAsOf, now)}.`
  if (lastFullListing === null)
    return `Unannounced deletions have not been checked yet. To check them: ${pull} --full-listing`
  return `Deletions were last checked ${ago(new Date(lastFullListing.beganAt), now)}.`
}

function ago(date: Date | null, now: number): string {
  return date === null ? 'never' : `${spell(now - date.getTime())} ago (${date.toISOString()})`
}
