/** The path prefix of the REST API (contract §9). */
export const API_VERSION_PREFIX = '/v1'

/** The scopes of API keys (contract §5). */
export const SCOPES = ['notes:read', 'transcripts:read', 'summaries:read', 'webhooks:manage'] as const

/** One scope of an API key (contract §5). */
export type Scope = (typeof SCOPES)[number]

/** The event kinds that an endpoint can subscribe to (contract §6). */
export const NOTE_EVENT_KINDS = ['note.ended', 'note.summary.generated', 'note.updated', 'note.deleted'] as const

/** The event kinds that concern an endpoint itself and are always sent to it (contract §6; open point 11). */
export const ENDPOINT_EVENT_KINDS = ['endpoint.verification', 'endpoint.test'] as const

/** The kind of an event about a note. */
export type NoteEventKind = (typeof NOTE_EVENT_KINDS)[number]

/** The kind of an event about an endpoint. */
export type EndpointEventKind = (typeof ENDPOINT_EVENT_KINDS)[number]

/** Every event kind that the contract names (§6). The service may send others: see `UnknownEvent`. */
export type EventKind = NoteEventKind | EndpointEventKind

/** The three headers that a signed delivery carries, in lower case (contract §5). */
export const SIGNATURE_HEADERS = {
  id: 'webhook-id',
  timestamp: 'webhook-timestamp',
  signature: 'webhook-signature',
} as const

/** The version of the signature scheme: the text before the comma of an entry of `webhook-signature` (contract §5). */
export const SIGNATURE_VERSION = 'v1'

/** The prefix of a signing secret. Base64url text follows it (contract §5). */
export const SIGNING_SECRET_PREFIX = 'whsec_'

/** The maximum difference between a delivery's timestamp and now, in seconds (contract §5, §8). */
export const SIGNATURE_TOLERANCE_SECONDS = 300

/** How long the service waits for a receiver's answer, in milliseconds (contract §8). */
export const RECEIVER_DEADLINE_MS = 10_000

/** The maximum number of attempts of one delivery (contract §8). */
export const MAX_DELIVERY_ATTEMPTS = 7

/** The delays after each failed attempt, in order, in milliseconds: 30 s, 5 min, 30 min, 2 h, 12 h, 12 h (contract §8). */
export const RETRY_DELAYS_MS: readonly number[] = [30_000, 300_000, 1_800_000, 7_200_000, 43_200_000, 43_200_000]

/**
 * The time from the first attempt of a delivery to the end of its last, in milliseconds, when every attempt times out:
 * 26 h 36 min 40 s. Deduplication must remember events for longer than this.
 */
export const RETRY_SPAN_MS = 95_800_000

/**
 * A value that the service may extend: the known values complete in an editor, and any other string is still valid,
 * because the contract does not list them all (§2, §6).
 */
export type OpenEnum<Known extends string> = Known | (string & {})
