import type { SyncContext } from '../fetching/sync.ts'
import type { MirrorProgress } from '../integrations/progress.ts'
import type { LoadedProgress } from '../stores/mirror-store.ts'

/** The copy after the latest commit of a listing, with the sequence number to record as the start of the next request. */
export interface Copy extends LoadedProgress {
  /** When that commit was made. The next request is sent later. */
  readonly committedAt: number
}

/**
 * Commits progress without a page, under the lease of the integration.
 *
 * @param changes  gets a new sequence number, to record as the start of the requests that follow
 * @throws LeaseLostError if another worker has taken the integration
 */
export async function writeProgress(
  { progress }: Copy,
  { ledger, clock }: Pick<SyncContext, 'ledger' | 'clock'>,
  changes: (startSequence: number) => Partial<MirrorProgress>,
): Promise<Copy> {
  const decide = ({ sequence }: LoadedProgress) => ({ progress: { ...progress, ...changes(sequence) } })
  const { copy } = await ledger.commit({ noteIds: [], decide })
  return { ...copy, committedAt: clock.now() }
}
