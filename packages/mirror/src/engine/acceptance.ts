import type { SyncContext } from '../context/sync-context.ts'
import { MirrorError } from '../interfaces/errors.ts'
import { audit } from '../interfaces/mirror-hooks.ts'
import { ERASE_BATCH_SIZE } from '../ledger/overdue-erasure.ts'
import { applyRead } from '../rules/read-rule.ts'
import { acceptRemoval } from '../rules/removal.ts'

/** Erases the notes whose removal a scan holds back. */
export async function acceptRemovals(
  scanId: string,
  {
    store,
    integration,
    ledger,
    hooks,
    clock,
  }: Pick<SyncContext, 'store' | 'integration' | 'ledger' | 'hooks' | 'clock'>,
): Promise<number> {
  let removed = 0
  try {
    for (let after = ''; ; ) {
      const noteIds = await store.listHeld(integration, scanId, after, ERASE_BATCH_SIZE)
      const last = noteIds.at(-1)
      if (last === undefined) break
      removed += (await ledger.revise(noteIds, (state) => acceptRemoval(state, scanId))).size
      after = last
    }
  } finally {
    const at = new Date(clock.now())
    if (removed > 0) await audit(hooks, { act: 'acceptRemovals', integration, at, scanId, removed })
  }
  if (removed > 0) return removed
  throw new MirrorError(
    'scan_unknown',
    'this scan holds no removals back: they were accepted before, or the notes were found again. mirror.status().held lists the scans that hold removals back.',
  )
}

/** Reads a note and accepts the answer even if it contradicts earlier reads and events. */
export async function acceptReads(noteId: string, context: SyncContext): Promise<boolean> {
  const { store, integration, clock, keep, ledger, readNote } = context
  const { sequence: start } = await store.readProgress(integration)
  const requestedAt = clock.now()
  const note = await readNote(noteId)
  const writes = await ledger.revise([noteId], (state, end) => {
    const at = clock.now()
    if (note === undefined && state.evidence === null && state.heard === null) return undefined
    const stamp = { start, end, source: 'read', requestedAt, at } as const
    const decision = applyRead(state, note, stamp, { keep, isAccepted: true })
    const dueAt = decision.state.dueAt === null ? null : at
    return { ...decision, state: { ...decision.state, dueAt } }
  })
  return writes.get(noteId)?.state.presence === 'live'
}
