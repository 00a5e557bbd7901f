import type { NotesClient } from '@notewire/client'
import type { Surroundings } from '../commands/command.ts'
import { EXIT_CODES, type ExitCode } from '../exit-code.ts'
import { fileExists } from '../file-exists.ts'
import { type CopyFile, copyFileOf } from '../local-copy/copy-file.ts'
import { type KeptCopy, keepCopy } from '../local-copy/open-copy.ts'
import { openClient } from '../notes-client.ts'
import { amount } from '../terminal/amounts.ts'
import { acceptRemovals } from './accept-removals.ts'
import { adoptKey, explainedKey } from './key-check.ts'
import { type PullOutcome, type PullPause, pullAll } from './pull-all.ts'
import { PullObserver } from './pull-observer.ts'
import { heldWords, type PullReport, pullLines, pullRecord, reportOn } from './pull-report.ts'

/** What a pull is told. */
export interface PullWishes {
  /** Looks for deletions now, and not only once a day. */
  readonly scan: boolean
  readonly patienceMs: number
  readonly adoptKey: boolean
  /** Whether to remove what a scan holds back: after a question, or unasked. */
  readonly removals: 'hold' | 'ask' | 'accept'
}

/** What somebody wants who says nothing about it. */
export const USUAL_WISHES: PullWishes = { scan: false, patienceMs: 120_000, adoptKey: false, removals: 'hold' }

/** Brings the copy up to date. */
export async function pullNotes(wishes: PullWishes, surroundings: Surroundings): Promise<PullReport> {
  const { clock, progress } = surroundings
  const began = clock.now()
  const file = await copyFileOf(surroundings)
  const client = await openClient(surroundings)
  await refuseWrongKey(client, file, surroundings)
  const observer = new PullObserver(progress('Pulling'), clock)
  return await keepCopy(file, { client, hooks: observer.hooks }, surroundings, async (copy) => {
    observer.watch(copy)
    if (wishes.adoptKey) await takeOver(client, copy, surroundings)
    const { position } = await copy.mirror.status()
    const outcome = await pull(client, copy, observer, wishes, surroundings)
    if (wishes.removals !== 'hold') await acceptRemovals(copy, surroundings, wishes.removals === 'accept')
    return await reportOn(copy, outcome, { position, tookMs: clock.now() - began })
  })
}

/** Shows what a pull did, and says whether all is well. */
export async function showPull(report: PullReport, { output }: Pick<Surroundings, 'output'>): Promise<ExitCode> {
  await output.print(pullRecord(report), pullLines(report, output))
  if (report.held.length > 0) output.warn(heldWords(report.held, report.notes))
  return report.isSettled && report.held.length === 0 ? EXIT_CODES.done : EXIT_CODES.failed
}

/** Asks the service before a file is made: a key that it does not know leaves nothing behind. */
async function refuseWrongKey(client: NotesClient, file: CopyFile, { signal }: Surroundings): Promise<void> {
  if (await fileExists(file.absolute)) return
  for await (const _ of client.notes.list({ limit: 1 }, { signal }).pages()) return
}

async function takeOver(client: NotesClient, copy: KeptCopy, { signal, output }: Surroundings): Promise<void> {
  await adoptKey(client, copy, signal)
  output.tell(`${copy.file.shown} goes with the key ${client.keyId} from now on.`)
}

async function pull(
  client: NotesClient,
  copy: KeptCopy,
  observer: PullObserver,
  { scan, patienceMs }: PullWishes,
  { clock, signal, output }: Surroundings,
): Promise<PullOutcome> {
  try {
    const outcome = await pullAll(copy.mirror, {
      clock,
      signal,
      scan: scan ? 'now' : 'when-due',
      patienceMs,
      onPause: (pause) => output.tell(pauseWords(pause)),
    })
    observer.finish()
    if (!outcome.isSettled) for (const problem of observer.problems) output.warn(problem)
    return outcome
  } catch (error) {
    observer.finish()
    const told = await explainedKey(error, client, copy.file, signal)
    if (told === error) output.tell(`What came so far is kept in ${copy.file.shown}. The next pull goes on from there.`)
    throw told
  }
}

function pauseWords(pause: PullPause): string {
  if (pause.kind === 'notes')
    return `Waiting for ${amount(pause.pending, 'note')} that cannot be read yet, or that another run has taken …`
  return 'Another run lists at this moment, or was killed less than a minute ago. Waiting for its turn to end …'
}
