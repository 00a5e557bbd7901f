import { type NotesClient, NotesClientError } from '@notewire/client'
import { NOTE_EVENT_KINDS, type WebhookEndpoint } from '@notewire/protocol'
import type { EndpointRecord } from '../integrations/integration-store.ts'
import { failsForEveryNote } from '../service/failures.ts'

const CHECK_EVERY_MS = 24 * 60 * 60_000
/** The service disables an endpoint about an hour after its deliveries began to fail. */
const CHECK_AGAIN_AFTER_MS = 60 * 60_000
const RETRY_CHECK_AFTER_MS = 5 * 60_000
const FIRST_REPAIR_AFTER_MS = 60_000
const MAX_PAUSE_MS = 15 * 60_000

export interface Registration {
  readonly url: string
  /** Stores the signing secret for the receiver. The endpoint counts as registered when it resolves. */
  readonly saveSecret: (secret: string) => Promise<void>
}

/** The time of a registration or check, and when the last event had arrived. */
interface Seen {
  readonly now: number
  readonly heardAt: number | null
}

/**
 * Registers the endpoint, or repairs it. The record is written after `saveSecret`. If the process dies before that, the next call finds an
 * endpoint whose secret may not be stored, and rotates the secret. It also rotates the secret if the checks found that the receiver rejects the
 * events: the stored secret may be wrong. The service continues to sign with the old secret, too, for 24 hours.
 */
export async function registerEndpoint(
  client: NotesClient,
  registration: Registration,
  known: EndpointRecord | null,
  seen: Seen,
): Promise<EndpointRecord> {
  return await register(client, registration, known, seen).catch((error) => {
    if (!(error instanceof NotesClientError && error.code === 'forbidden')) throw error
    const { now, heardAt } = seen
    return { url: registration.url, id: null, status: 'forbidden', checkAt: now + CHECK_EVERY_MS, repairs: 0, heardAt }
  })
}

async function register(
  client: NotesClient,
  { url, saveSecret }: Registration,
  known: EndpointRecord | null,
  seen: Seen,
): Promise<EndpointRecord> {
  const { webhookEndpoints } = client
  const listed = await webhookEndpoints.list().catch(undefinedIfUnsupported)
  if (listed === undefined && known?.url === url) return { ...known, status: 'unsupported' }
  const own = listed?.find(({ endpoint_id }) => endpoint_id === known?.id)
  const found = own ?? listed?.find((endpoint) => endpoint.url === url)
  if (found === undefined) {
    const created = await webhookEndpoints.create({ url, events: NOTE_EVENT_KINDS })
    await saveSecret(created.signing_secret)
    return recordOf(created, url, seen)
  }
  if (own === undefined || isRejected(known))
    await saveSecret((await webhookEndpoints.rotateSecret(found.endpoint_id)).signing_secret)
  return recordOf(await repair(client, found, url), url, seen)
}

/** Whether the receiver probably rejects the events of the endpoint. The latest activation may still take effect, but not the one before. */
function isRejected(known: EndpointRecord | null): boolean {
  return known !== null && (known.status === 'silent' || known.repairs > 1)
}

async function repair(client: NotesClient, endpoint: WebhookEndpoint, url: string): Promise<WebhookEndpoint> {
  const hasAllEvents = NOTE_EVENT_KINDS.every((kind) => endpoint.events?.includes(kind))
  if (endpoint.url === url && endpoint.status === 'active' && hasAllEvents) return endpoint
  const events = hasAllEvents ? {} : { events: NOTE_EVENT_KINDS }
  const address = endpoint.url === url ? { status: 'active' as const } : { url }
  return await client.webhookEndpoints.update(endpoint.endpoint_id, { ...events, ...address })
}

/** Whether a check is due. A time that is too far ahead was written by a clock that was ahead. */
export function isEndpointCheckDue({ status, checkAt }: EndpointRecord, now: number): boolean {
  const isChecked = status === 'active' || [...PERMANENT_ERRORS.values()].includes(status)
  return checkAt <= now || checkAt > now + (isChecked ? CHECK_EVERY_MS : CHECK_AGAIN_AFTER_MS)
}

/**
 * Checks an endpoint (see `checkEndpoint`). If the check fails for a reason that does not concern other requests, it is repeated in some minutes.
 *
 * @throws NotesClientError when the service refuses the key, or limits the rate
 */
export async function tryToCheckEndpoint(
  client: NotesClient,
  known: EndpointRecord,
  seen: Seen,
  isSuspect: boolean,
): Promise<{ readonly endpoint: EndpointRecord; readonly error?: unknown }> {
  try {
    return { endpoint: await checkEndpoint(client, known, seen, isSuspect) }
  } catch (error) {
    if (!(error instanceof NotesClientError) || failsForEveryNote(error)) throw error
    return { endpoint: { ...known, checkAt: seen.now + RETRY_CHECK_AFTER_MS }, error }
  }
}

/**
 * Reads the status of an endpoint, and activates it again if it is not active: the service then verifies it, so that it becomes active when the
 * receiver answers. The pauses between two activations grow to 15 minutes.
 *
 * @param isSuspect  a poll found changes that no event announced. If no event has arrived since the latest check, an active endpoint is `silent`:
 * the receiver probably rejects its events, because the stored secret is wrong. It is checked again in an hour.
 * @throws NotesClientError when the service refuses the key, or is not available
 */
async function checkEndpoint(
  client: NotesClient,
  known: EndpointRecord,
  { now, heardAt }: Seen,
  isSuspect: boolean,
): Promise<EndpointRecord> {
  const { id } = known
  if (id === null) return { ...known, checkAt: now + CHECK_EVERY_MS }
  const checked = { ...known, heardAt }
  try {
    const { status } = await client.webhookEndpoints.get(id)
    const checkAfterMs = isSuspect ? CHECK_AGAIN_AFTER_MS : CHECK_EVERY_MS
    if (status === 'active') {
      const isSilent = isSilentSince(known, heardAt, isSuspect)
      return { ...checked, status: isSilent ? 'silent' : status, checkAt: now + checkAfterMs, repairs: 0 }
    }
    const repaired = await client.webhookEndpoints.update(id, { status: 'active' })
    const pause = Math.min(FIRST_REPAIR_AFTER_MS * 2 ** Math.min(known.repairs, 10), MAX_PAUSE_MS)
    return { ...checked, status: repaired.status ?? 'unknown', checkAt: now + pause, repairs: known.repairs + 1 }
  } catch (error) {
    const status = error instanceof NotesClientError ? PERMANENT_ERRORS.get(error.code) : undefined
    if (status === undefined) throw error
    return { ...checked, status, checkAt: now + CHECK_EVERY_MS }
  }
}

/** Whether no event has arrived since the latest check, although the endpoint was active then and a poll has found changes since. */
function isSilentSince({ status, heardAt }: EndpointRecord, heardNow: number | null, isSuspect: boolean): boolean {
  return heardNow === heardAt && (status === 'silent' || (status === 'active' && isSuspect))
}

/** Errors that an immediate retry would get again, and the status to record for each. */
const PERMANENT_ERRORS: ReadonlyMap<string, string> = new Map([
  ['forbidden', 'forbidden'],
  ['not_found', 'missing'],
  ['not_supported', 'unsupported'],
])

function recordOf({ endpoint_id: id, status }: WebhookEndpoint, url: string, { now, heardAt }: Seen): EndpointRecord {
  return { url, id, status: status ?? 'unknown', checkAt: now + FIRST_REPAIR_AFTER_MS, repairs: 0, heardAt }
}

function undefinedIfUnsupported(error: unknown): undefined {
  if (error instanceof NotesClientError && error.code === 'not_supported') return undefined
  throw error
}
