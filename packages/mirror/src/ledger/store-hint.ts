import type { Clock, WebhookEvent } from '@notewire/protocol'
import { applyHint, hintIn } from '../rules/hint-rule.ts'
import { eachNote, type Ledger } from './ledger.ts'

/**
 * Stores the hint of an event. When it resolves, the hint is durable and the event may be acknowledged.
 *
 * @returns whether the note is due now
 */
export async function storeHint(event: WebhookEvent, ledger: Ledger, clock: Clock): Promise<boolean> {
  const hint = hintIn(event)
  const noteIds = hint === undefined ? [] : [hint.noteId]
  const hinted = eachNote(
    noteIds,
    // The time of the decision, not of the arrival: a process that was frozen in between must not overwrite a later time.
    (state, { sequence }) => hint && applyHint(state, hint, { sequence, at: clock.now() }),
    clock.now(),
  )
  const { writes } = await ledger.commit(hinted)
  const now = clock.now()
  return [...writes.values()].some(({ state: { dueAt } }) => dueAt !== null && dueAt <= now)
}
