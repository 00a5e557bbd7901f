import type { MirrorStatus } from '@notewire/mirror'
import { heldWords } from '../pulling/pull-report.ts'
import { amount, spell } from '../terminal/amounts.ts'

/** What is known of the copy. */
export interface CopyStatus {
  readonly database: string
  readonly status: MirrorStatus
  readonly now: number
}

/** Something that the copy is told of, and whether somebody must do something about it. */
export interface Sentence {
  readonly text: string
  readonly needsSomebody: boolean
}

/** The status in sentences, the most important first; those that need somebody say what to do. */
export function statusSentences({ database, status, now }: CopyStatus): readonly Sentence[] {
  const { notes, isBackfilled, silence, held } = status
  const pending = notes.dirty + notes.unsettled
  return [
    fact(`${database} holds ${amount(notes.live, 'note')}.`),
    ...(isBackfilled ? [] : [need('The first pull has not ended: there may be more. Go on with it: notewire pull')]),
    ...(held.length > 0 ? [need(heldWords(held, notes.live))] : []),
    ...(silence === null ? [] : [need(`Events have stopped: ${silence}. See what it is: notewire endpoints list`)]),
    ...(pending > 0
      ? [fact(`${amount(pending, 'note waits', 'notes wait')} to be read. The next pull does that: notewire pull`)]
      : []),
    ...(isBackfilled
      ? [fact(correctness(status, now)), fact(`Changes were last asked for ${ago(status.polledAt, now)}.`)]
      : []),
    fact(
      status.heardAt === null
        ? 'No event ever came: it goes by polling.'
        : `The last event came ${ago(status.heardAt, now)}.`,
    ),
  ]
}

/** The status for a program. */
export function statusRecord({ database, status }: CopyStatus, needsSomebody: boolean): object {
  const { lastScan } = status
  return {
    database,
    ok: !needsSomebody,
    notes: status.notes,
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
  const subject = held.length === 0 ? 'It' : 'But for these, it'
  if (correctAsOf !== null)
    return `${subject} is known to be right, deletions included, as of ${ago(correctAsOf, now)}.`
  if (lastScan === null)
    return 'Deletions of which no event came were not looked for yet. To do that: notewire pull --scan'
  return `Deletions were last looked for ${ago(new Date(lastScan.beganAt), now)}.`
}

function ago(date: Date | null, now: number): string {
  return date === null ? 'never' : `${spell(now - date.getTime())} ago (${date.toISOString()})`
}

function fact(text: string): Sentence {
  return { text, needsSomebody: false }
}

function need(text: string): Sentence {
  return { text, needsSomebody: true }
}
