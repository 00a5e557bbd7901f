import { existsSync } from 'node:fs'
import type { NotesClient } from '@notewire/client'
import type { ContentPart } from '@notewire/mirror'
import type { Context } from '../../context/context.ts'
import { openClient } from '../../context/notes-client.ts'
import { EXIT_CODES, type ExitCode } from '../../errors/failure.ts'
import { exposureOf } from '../../local-copy/exposure.ts'
import { copyFileOf, type KeptCopy, keepCopy } from '../../local-copy/local-copy.ts'
import { amount, grouped } from '../../terminal/amounts.ts'
import { adoptKey, firstNotes, keyErrorOf, requireOwnService } from './key-change.ts'
import { observePull, type PullObserver } from './pull-observer.ts'
import { heldWords, type PullReport, pullLines, pullRecord, reportOn } from './pull-report.ts'
import { type PullOutcome, pullUntilSettled } from './pull-until-settled.ts'
import { refusedPart, withReadableParts } from './readable-parts.ts'

export interface PullRequest {
  readonly fullListing?: boolean | undefined
  /** How long to wait for notes that cannot be read yet; without it, two minutes. */
  readonly patienceMs?: number | undefined
  readonly adoptKey?: boolean | undefined
  /** Whether to rewrite the file after the pull, without the bytes of erased notes. */
  readonly purge?: boolean | undefined
  /** Whether to remove the notes whose removal a full listing held back. */
  readonly acceptRemovals?: boolean | undefined
  /** Whether to ask no question: the removals are accepted, and tables may be added to the file of another program. */
  readonly yes?: boolean | undefined
}

export async function pullNotes(request: PullRequest, context: Context): Promise<PullReport> {
  const { clock, progress, prompts } = context
  const startedAt = clock.now()
  const file = await copyFileOf(context)
  const client = await openClient(context)
  // The key is checked before the file is created, so that a rejected key leaves no file.
  if (!existsSync(file.absolute)) await firstNotes(client, 1, context.signal)
  const { patienceMs = 120_000 } = request
  const agrees = (question: string) => prompts.confirm(question, request.yes)
  /** The last change before this pull, which may pull several times. */
  let position: { readonly after: string | null } | undefined
  const pullParts = async (keep: readonly ContentPart[]) => {
    const observer = observePull(progress('Pulling'), { clock, patienceMs })
    return await keepCopy(file, { client, keep, hooks: observer.hooks, agrees }, context, async (copy) => {
      position ??= await positionBefore(client, copy, request, context)
      const outcome = await pull(client, copy, observer, { ...request, patienceMs }, context)
      if (request.acceptRemovals) await acceptRemovals(copy, context, request.yes === true)
      if (request.purge) await copy.purge()
      return await reportOn(copy, outcome, { position: position.after, tookMs: clock.now() - startedAt })
    })
  }
  return await withReadableParts(pullParts, context)
}

/** Checks that this service and this key may change the copy. @returns the last change of the copy */
async function positionBefore(
  client: NotesClient,
  copy: KeptCopy,
  request: PullRequest,
  context: Context,
): Promise<{ readonly after: string | null }> {
  const exposure = exposureOf(copy.file)
  if (exposure !== undefined) context.output.warn(exposure)
  await tellOtherService(client, copy, context)
  if (request.adoptKey) await adoptKey(client, copy, context)
  await requireOwnService(copy, context)
  return { after: (await copy.mirror.status()).position }
}

export async function showPull(report: PullReport, { output }: Pick<Context, 'output'>): Promise<ExitCode> {
  await output.print(pullRecord(report), pullLines(report, output))
  if (report.held.length > 0) output.warn(heldWords(report.held, report.notes, report.file))
  return report.isSettled && report.held.length === 0 ? EXIT_CODES.done : EXIT_CODES.failed
}

async function pull(
  client: NotesClient,
  copy: KeptCopy,
  observer: PullObserver,
  { fullListing = false, patienceMs }: PullRequest & { readonly patienceMs: number },
  context: Context,
): Promise<PullOutcome> {
  const { signal, output } = context
  try {
    const patient = { ...context, signal: AbortSignal.any([signal, observer.stalled]) }
    const outcome = await pullUntilSettled(copy, { fullListing: fullListing ? 'now' : 'when-due', patienceMs }, patient)
    observer.finish()
    if (!outcome.isSettled) for (const problem of observer.problems()) output.warn(problem)
    return outcome
  } catch (error) {
    observer.finish()
    const shown = await keyErrorOf(error, client, copy.file, signal)
    if (shown === error && refusedPart(error) === undefined)
      output.tell(`The notes pulled so far are in ${copy.file.shown}. The next pull continues from there.`)
    throw shown
  }
}

/** A change of the base URL is told and not refused: services move, and mocks change ports. */
async function tellOtherService(client: NotesClient, copy: KeptCopy, { output }: Context): Promise<void> {
  const madeFrom = await copy.baseUrl()
  if (madeFrom === undefined || madeFrom === client.baseUrl) return
  output.warn(`The copy was made from ${madeFrom}; this pull reads from ${client.baseUrl}.`)
}

/** Removes the notes whose removal a full listing held back, if the user agrees. */
async function acceptRemovals(
  { mirror, file }: KeptCopy,
  { output, prompts }: Pick<Context, 'output' | 'prompts'>,
  isAgreed: boolean,
): Promise<void> {
  const { held, notes } = await mirror.status()
  const missing = held.reduce((sum, { notes }) => sum + notes, 0)
  if (missing === 0) return output.tell('No removal is held back.')
  output.tell(
    `The service no longer shows ${amount(missing, 'note')} of the ${grouped(missing + notes.live)} that were in ${file.shown}.`,
  )
  if (!(await prompts.confirm(`Erase ${amount(missing, 'note')} from the copy?`, isAgreed))) {
    return output.tell('The notes stay hidden, and are kept.')
  }
  for (const { fullListingId } of held) await mirror.acceptRemovals(fullListingId)
}
