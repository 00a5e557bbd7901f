import type { HeldRemovals } from '@notewire/mirror'
import type { Copy, CopyFile } from '../../local-copy/local-copy.ts'
import { amount, grouped, spell } from '../../terminal/amounts.ts'
import { type Output, snakeCased } from '../../terminal/output.ts'
import { wrap } from '../../terminal/width.ts'
import type { PullOutcome } from './pull-until-settled.ts'

export interface PullReport extends PullOutcome {
  readonly file: CopyFile
  readonly notes: number
  readonly added: number
  readonly changed: number
  /** Notes that are not shown any more, and not erased yet. */
  readonly hidden: number
  readonly removed: number
  readonly held: readonly HeldRemovals[]
  readonly correctAsOf: Date | null
  readonly tookMs: number
}

/** Counts the changes after `position`, the last change before the pull. */
export async function reportOn(
  { mirror, file }: Copy,
  outcome: PullOutcome,
  { position, tookMs }: { readonly position: string | null; readonly tookMs: number },
): Promise<PullReport> {
  const counts = { added: 0, content: 0, restored: 0, hidden: 0, removed: 0 }
  for await (const { kind } of mirror.changes({ after: position })) counts[kind] += 1
  const { notes, correctAsOf, held } = await mirror.status()
  return {
    ...outcome,
    file,
    notes: notes.live,
    added: counts.added + counts.restored,
    changed: counts.content,
    hidden: counts.hidden,
    removed: counts.removed,
    held,
    correctAsOf,
    tookMs,
  }
}

export function pullRecord({ file, isSettled, held, correctAsOf, tookMs, ...report }: PullReport): object {
  return {
    ...report,
    database: file.shown,
    integration: file.integration,
    settled: isSettled,
    held: held.map(snakeCased),
    correct_as_of: correctAsOf,
    took_ms: tookMs,
  }
}

export function pullLines(report: PullReport, { paint, width }: Output): readonly string[] {
  const { added, changed, hidden, removed, tookMs, isSettled, pending } = report
  const mark = isSettled ? paint('green', '✓') : paint('yellow', '!')
  const changes = `${grouped(added)} new, ${grouped(changed)} changed, ${hidden === 0 ? '' : `${grouped(hidden)} hidden, `}${grouped(removed)} removed, in ${spell(tookMs)}`
  return [
    `${mark} ${amount(report.notes, 'note')} in ${report.file.label}`,
    ...wrap(paint('dim', changes), width, '  '),
    ...(isSettled ? [] : wrap(unsettledWords(pending, report.file), width, '  ')),
  ]
}

function unsettledWords(pending: number, { pull }: CopyFile): string {
  if (pending === 0) return 'Another run is working on this copy now. Its results will be here when it has ended.'
  return `${amount(pending, 'note')} could not be read yet. The next pull tries again: ${pull}`
}

export function heldWords(held: readonly HeldRemovals[], live: number, { pull }: CopyFile): string {
  const missing = held.reduce((sum, { notes }) => sum + notes, 0)
  return `The service no longer shows ${amount(missing, 'note')} of ${grouped(missing + live)}, more than pull removes without your consent. The notes are hidden, and kept. If they are really gone: ${pull} --accept-removals. Otherwise check what the API key can see.`
}
