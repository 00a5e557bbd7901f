import { RANKS, type TakenIntegration } from '../interfaces/integration-store.ts'
import { type Registration, registerEndpoint } from './endpoint.ts'
import { LEASE_MS } from './lease.ts'
import type { MirrorsSettings } from './mirrors-options.ts'
import { SharedPauses } from './shared-pauses.ts'
import { type ActiveWork, doSlice } from './slice.ts'

/** How long to wait before looking whether another worker has finished, in milliseconds. */
const WAIT_MS = 200

/** Adds an integration, after the last of an earlier copy is erased. */
export async function addIntegration(integration: string, settings: MirrorsSettings): Promise<void> {
  const { store, clock } = settings
  for (;;) {
    const record = await store.integrations.put(integration, crypto.randomUUID(), clock.now())
    if (record.state !== 'removing') return
    const taken = await takeNow(integration, settings)
    if (taken !== undefined) await doSlice(taken, unlimited(settings))
  }
}

/**
 * Registers the endpoint of an integration, while no other worker has it. A parked integration sends no request.
 *
 * @throws what the service, `connect` or `saveSecret` refuses
 */
export async function addEndpoint(
  integration: string,
  registration: Registration,
  settings: MirrorsSettings,
): Promise<void> {
  await settings.store.integrations.wake(integration, settings.clock.now())
  const taken = await takeNow(integration, settings)
  const error = taken && (await doSlice(taken, unlimited(settings), registering(registration)))
  if (error !== undefined) throw error
}

/** Takes one integration as soon as no other worker has it; `undefined` if it has no work. */
async function takeNow(integration: string, settings: MirrorsSettings): Promise<TakenIntegration | undefined> {
  const { store, clock } = settings
  for (;;) {
    const now = clock.now()
    const request = { now, until: now + LEASE_MS, most: RANKS.scan, integration }
    const taken = await store.integrations.take(request)
    if (taken !== undefined) return taken
    const record = await store.integrations.get(integration)
    const isAddedByNow = record?.state === 'removing' && record.pausedUntil !== null
    if (record === undefined || record.state === 'parked' || isAddedByNow) return undefined
    await clock.sleep(WAIT_MS)
  }
}

/** Registers after the key was checked. The notes are listed by the next slice. */
function registering(registration: Registration): ActiveWork {
  return async ({ record }, { client }, engine, { settings }) => {
    await engine.checkKey()
    const now = settings.clock.now()
    return { ...record, endpoint: await registerEndpoint(client, registration, record.endpoint, now), dueAt: now }
  }
}

function unlimited(settings: MirrorsSettings) {
  return { settings, pauses: new SharedPauses(), signal: new AbortController().signal, isEnough: () => false }
}
