import { monotonicNow } from '@notewire/protocol'
import { IntegrationRemovedError } from '../errors.ts'
import { workInside } from '../hooks.ts'
import type { TakenIntegration } from '../integrations/integration-store.ts'
import { isDueAt } from '../rules/backoff.ts'
import { isFree, isPaused } from '../rules/schedule-rule.ts'
import { engineOf } from './connection.ts'
import type { SliceContext } from './slice-context.ts'
import type { WorkSettings } from './work-settings.ts'

/** How long a hint waits for the worker that has its integration, before another process fetches its note. In milliseconds. */
export const HINT_WAITS_MS = 1_000

/** How long this process leaves an integration to its worker after it has fetched notes of it, in milliseconds. */
const LEFT_MS = 500

/** The same if no note was due, or the fetch failed. */
const LEFT_AFTER_NOTHING_MS = 5_000

interface HeldRequest {
  /** The integration that the process works on, if it works on one. */
  readonly integration: string | undefined
  readonly now: number
  /** Integrations not to return. */
  readonly except: readonly string[]
}

/**
 * Finds an integration of another worker, some of whose notes this process can fetch. If the process works on one integration, it has nothing else to
 * do, and fetches any due note. If it works on many, it fetches only hints that their worker has not fetched within a second.
 */
export async function findHeld(
  { store, integrations }: WorkSettings,
  { integration, now, except }: HeldRequest,
): Promise<TakenIntegration | undefined> {
  if (integration === undefined) {
    return await store.integrations.findHinted({ now, waitingSince: now - HINT_WAITS_MS, except })
  }
  const record = except.includes(integration) ? undefined : await integrations.get(integration)
  if (record?.state !== 'active' || isFree(record, now)) return undefined
  const copy = await store.readProgress(integration)
  return isDueAt(copy.nextDueAt, now) ? { record, copy } : undefined
}

/**
 * Fetches due notes of an integration that another worker has. The lease guards listing, schedule and removal; a fetched note needs the id of the
 * copy alone, because its evidence and its version decide what counts. So hints do not wait for the lease of a killed process, or for a long
 * listing, and a second process of one account fetches notes while the first lists.
 *
 * @returns how many notes were fetched
 */
async function fetchDue({ record, copy }: TakenIntegration, context: SliceContext): Promise<number> {
  const { settings, pauses, signal, shouldYield } = context
  const { integration, generation } = record
  const ofSlice = { ...settings, clock: context.clock }
  // The worker that has the lease records the key before it lists.
  if (copy.progress.key === null || isPaused(record, context.clock.now())) return 0
  const connection = await settings.connect(integration, { ...ofSlice, signal })
  if (pauses.list(monotonicNow(settings.clock)).some(({ baseUrl }) => baseUrl === connection.baseUrl)) return 0
  const fence = { generation, lost: () => new IntegrationRemovedError(integration) }
  const settle = () => engineOf(connection, integration, fence, ofSlice).settle({ signal, shouldYield }, copy)
  return (await workInside(settings.hooks.aroundWork, integration, settle, () => undefined)).settled
}

/** The integrations whose notes this process fetches although another worker has the lease. Times are readings of `monotonicNow`. */
export class FetchingWithoutALease {
  readonly #leftUntil = new Map<string, number>()

  /** The integrations whose notes this process leaves to their workers for now. */
  list(now: number): readonly string[] {
    for (const [integration, until] of this.#leftUntil) if (until <= now) this.#leftUntil.delete(integration)
    return [...this.#leftUntil.keys()]
  }

  /** Fetches the due notes of an integration. Never rejects: the worker with the next lease meets the same error, and reports it. */
  async fetch(found: TakenIntegration, context: SliceContext): Promise<void> {
    const { integration } = found.record
    const leave = (ms: number) => this.#leftUntil.set(integration, monotonicNow(context.settings.clock) + ms)
    leave(Number.POSITIVE_INFINITY)
    const settled = await fetchDue(found, context).catch(() => 0)
    leave(settled > 0 ? LEFT_MS : LEFT_AFTER_NOTHING_MS)
  }
}
