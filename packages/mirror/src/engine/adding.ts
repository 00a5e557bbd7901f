import { refuseResponse } from '@notewire/protocol'
import { IntegrationBusyError, LeaseLostError } from '../errors.ts'
import type { IntegrationRecord, ParkedBecause } from '../integrations/integration-store.ts'
import { requestListing } from '../service/full-listing.ts'
import { registerEndpoint } from './endpoint.ts'
import type { SaveSecret } from './mirrors-options.ts'
import { SharedPauses } from './shared-pauses.ts'
import { doSlice } from './slice.ts'
import { sliceClock } from './slice-clock.ts'
import type { ActiveWork } from './slice-context.ts'
import { takeNow } from './taking.ts'
import { withinLimit } from './time-limit.ts'
import type { WorkSettings } from './work-settings.ts'

/** How long an added integration is not due for other workers than the process that adds it, in milliseconds. */
const HEAD_START_MS = 5_000

/**
 * Adds an integration. If an earlier copy is being removed, its remaining notes are erased first.
 *
 * @param isWorkedOnAtOnce  whether this process works on the integration next, so that it is due a little later for other workers
 * @throws IntegrationBusyError when another worker is erasing the earlier copy, and does not finish in time
 */
export async function addIntegration(
  integration: string,
  isWorkedOnAtOnce: boolean,
  settings: WorkSettings,
): Promise<IntegrationRecord> {
  const { integrations, clock } = settings
  const laterMs = isWorkedOnAtOnce ? HEAD_START_MS : 0
  const busy = () => new IntegrationBusyError(integration)
  const { signal } = new AbortController()
  for (;;) {
    const record = await integrations.put(integration, newCopyId(clock.now()), clock.now(), laterMs)
    if (record.state !== 'removing') return record
    const taken = await takeNow(integration, settings, { busy, signal })
    if (taken !== undefined) await doSlice(taken, withoutLimits(settings))
  }
}

/** Makes the id of a copy. It begins with the current time, so that {@link secretGeneration} also grows after the integration was removed. */
export function newCopyId(now: number): string {
  return `${now}-${crypto.randomUUID()}`
}

/** The number of a secret: greater whenever the integration was taken again, even by a process that died before it wrote anything. */
function secretGeneration({ generation, token }: IntegrationRecord): number {
  return (Number.parseInt(generation, 10) || 0) + token
}

interface FirstWork {
  readonly registration: { readonly url: string; readonly saveSecret: SaveSecret } | undefined
  /** Why the integration was parked before `add`. */
  readonly parkedBecause: ParkedBecause | null
}

/** Takes the integration, checks its key even if it was parked, and registers its endpoint. */
export async function workAtOnce(integration: string, first: FirstWork, settings: WorkSettings): Promise<void> {
  const busy = () => new IntegrationBusyError(integration)
  const { signal } = new AbortController()
  const taken = await takeNow(integration, settings, { busy, signal })
  const end = taken && (await doSlice(taken, withoutLimits(settings), workOf(first)))
  const error = end?.error
  if (error instanceof LeaseLostError) throw new IntegrationBusyError(integration)
  if (error !== undefined) throw error
}

/** Makes the work of `add`. The next slice lists the notes. */
function workOf({ registration, parkedBecause }: FirstWork): ActiveWork {
  return async ({ record, copy }, { client }, engine, { settings, signal }) => {
    const { clock } = settings
    await engine.recordKey()
    if (parkedBecause === 'key_refused') await requestListing(client, signal)
    if (registration === undefined) return { next: { ...record, dueAt: clock.now() } }
    const { url } = registration
    const generation = secretGeneration(record)
    const saveSecret = (secret: string) =>
      withinLimit('saveSecret', clock, signal, async (signal) => {
        refuseResponse(await registration.saveSecret(secret, { generation, signal }))
      })
    const now = clock.now()
    const seen = { now, heardAt: copy.heardAt }
    const endpoint = await registerEndpoint(client, { url, saveSecret }, record.endpoint, seen)
    return { next: { ...record, endpoint, dueAt: now } }
  }
}

function withoutLimits(settings: WorkSettings) {
  const { signal } = new AbortController()
  return {
    settings,
    clock: sliceClock(settings.clock),
    pauses: new SharedPauses(),
    signal,
    shouldYield: () => false,
    isLogged: () => false,
  }
}
