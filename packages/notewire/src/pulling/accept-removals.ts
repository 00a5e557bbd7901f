import type { Surroundings } from '../commands/command.ts'
import type { KeptCopy } from '../local-copy/open-copy.ts'
import { amount, grouped } from '../terminal/amounts.ts'

/** Removes what scans hold back, once somebody has agreed. */
export async function acceptRemovals(
  { mirror, file }: KeptCopy,
  { output, prompts }: Pick<Surroundings, 'output' | 'prompts'>,
  isAgreed: boolean,
): Promise<void> {
  const { held, notes } = await mirror.status()
  const missing = held.reduce((sum, { notes }) => sum + notes, 0)
  if (missing === 0) return output.tell('No removal is held back.')
  output.tell(
    `The service no longer shows ${amount(missing, 'note')} of the ${grouped(missing + notes.live)} that were in ${file.shown}.`,
  )
  if (!isAgreed && !(await prompts.confirm(`Erase ${amount(missing, 'note')} here, for good?`))) {
    return output.tell('They stay hidden, and are kept.')
  }
  for (const { scanId } of held) await mirror.acceptRemovals(scanId)
}
