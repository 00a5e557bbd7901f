import type { WebhookEvent } from '@notewire/protocol'
import type { Ledger } from '../ledger.ts'
import { applyHint, hintIn } from '../rules/hint-rule.ts'

/**
 * Writes down what an event says of a note. When it resolves, the hint survives this process: the event may be acknowledged.
 *
 * @returns whether there is something to read now
 */
export async function hear(event: WebhookEvent, ledger: Ledger): Promise<boolean> {
  const at = ledger.clock.now()
  const hint = hintIn(event)
  const noteIds = hint === undefined ? [] : [hint.noteId]
  const revision = await ledger.revise(
    noteIds,
    (state, sequence) => (hint === undefined ? undefined : applyHint(state, hint, { sequence, at })),
    () => ({ heardAt: at }),
  )
  return (
    revision !== 'fenced' && [...revision.notes.values()].some(({ state: { dueAt } }) => dueAt !== null && dueAt <= at)
  )
}
