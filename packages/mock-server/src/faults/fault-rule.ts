import { ENDPOINT_EVENT_KINDS, type EventKind, NOTE_EVENT_KINDS } from '@notewire/protocol'
import * as z from 'zod/mini'
import { type Duration, durationSchema } from '../clock/duration.ts'
import { count, fields } from '../errors/checked.ts'

/**
 * A fault to inject: into requests to the API, or into delivery attempts.
 *
 * @example
 * ```ts
 * import { createNotesService, type FaultRule } from '@notewire/mock-server'
 *
 * const truncatedThirdPage: FaultRule = { request: 'GET /v1/notes', calls: 3, fault: { kind: 'truncated' } }
 * const lostAnswers: FaultRule = { delivery: '*', rate: 0.1, fault: { kind: 'lost', lost: 'answer' } }
 * await using service = await createNotesService({ seed: 7, faults: [truncatedThirdPage, lostAnswers] })
 * console.log(service.recipe)
 * ```
 */
export type FaultRule = RequestFaultRule | DeliveryFaultRule

/** Which of the matching calls a rule affects. */
interface AffectedCalls {
  /**
   * The numbers of the affected calls, counted from 1 for each owner since the rule was injected: `3` or `[1, 3]`.
   *
   * @default every call
   */
  readonly calls?: number | readonly number[] | undefined
  /** The share of these calls, from 0 to 1. The seed selects them, for each owner independently. @default 1 */
  readonly rate?: number | undefined
}

/** A fault of requests to the API. */
export interface RequestFaultRule extends AffectedCalls {
  /**
   * Method and path: `GET /v1/notes`. `*` matches any method, or one segment of the path. `**` at the end matches the rest of the
   * path: `* /v1/**`.
   */
  readonly request: string
  readonly fault: RequestFault
}

/** A fault of delivery attempts. */
export interface DeliveryFaultRule extends AffectedCalls {
  /** The kind of the event. `*` matches every kind except `endpoint.verification`. */
  readonly delivery: EventKind | '*'
  /** @default every endpoint */
  readonly endpoint_id?: string | undefined
  readonly fault: DeliveryFault
}

/** The effect of a fault on a request to the API. */
export type RequestFault =
  /** The API answers with this status and does nothing. `retryAfter`: seconds, or any other text for that header. */
  | { readonly kind: 'status'; readonly status: number; readonly retryAfter?: number | string | undefined }
  /** The API answers later. Virtual time advances by itself. */
  | { readonly kind: 'latency'; readonly by: Duration }
  /** The second half of the answer is missing. */
  | { readonly kind: 'truncated' }
  /** The body is not JSON, but has the content type JSON. */
  | { readonly kind: 'malformed' }
  /** The connection breaks before the API gets the request; with `'answer'`, after the API has processed the request. */
  | { readonly kind: 'dropped'; readonly lost?: 'request' | 'answer' | undefined }
  /** The list of notes returns a page without notes, and `has_more` is `true`. */
  | { readonly kind: 'empty_page' }
  /** The list of notes returns at most this many notes. `notes` is 1 by default. */
  | { readonly kind: 'short_page'; readonly notes?: number | undefined }

/** The effect of a fault on a delivery attempt. */
export type DeliveryFault =
  /** The attempt is sent twice. */
  | { readonly kind: 'duplicated' }
  /** The attempt is sent after the next attempt at the same endpoint was answered, or after one minute if there is none. */
  | { readonly kind: 'reordered' }
  /** The attempt is sent later. */
  | { readonly kind: 'delayed'; readonly by: Duration }
  /** The request is lost before the receiver gets it; with `'answer'`, the answer is lost after the receiver has processed it. */
  | { readonly kind: 'lost'; readonly lost?: 'request' | 'answer' | undefined }
  /** One character of the body is changed. */
  | { readonly kind: 'corrupted' }
  /** The attempt is signed only with the secret before the last rotation, or with a random secret if there was no rotation. */
  | { readonly kind: 'old_secret' }
  /** The timestamp is changed, and the attempt is signed for it: later for a positive number, earlier for a negative one. */
  | { readonly kind: 'skewed'; readonly seconds: number }

const lost = z.optional(z.enum(['request', 'answer']))

const HEADER_TEXT = 'a number of seconds, or a text without line breaks, of characters that a header can contain'

const requestFault = z.discriminatedUnion('kind', [
  fields({
    kind: z.literal('status'),
    status: z.int().check(z.minimum(400), z.maximum(599)),
    retryAfter: z.optional(z.union([z.number(), z.string().check(z.refine(isHeaderText))], HEADER_TEXT)),
  }),
  fields({ kind: z.literal('latency'), by: durationSchema }),
  fields({ kind: z.literal('truncated') }),
  fields({ kind: z.literal('malformed') }),
  fields({ kind: z.literal('dropped'), lost }),
  fields({ kind: z.literal('empty_page') }),
  fields({ kind: z.literal('short_page'), notes: z.optional(count) }),
])

const deliveryFault = z.discriminatedUnion('kind', [
  fields({ kind: z.literal('duplicated') }),
  fields({ kind: z.literal('reordered') }),
  fields({ kind: z.literal('delayed'), by: durationSchema }),
  fields({ kind: z.literal('lost'), lost }),
  fields({ kind: z.literal('corrupted') }),
  fields({ kind: z.literal('old_secret') }),
  fields({ kind: z.literal('skewed'), seconds: z.number() }),
])

const affectedCalls = {
  calls: z
    .optional(z.union([count, z.array(count)], 'a whole number from 1, or a list of such numbers'))
    .check(z.describe('The numbers of the affected calls, counted from 1 for each owner. Default: every call.')),
  rate: z
    .optional(z.number().check(z.minimum(0), z.maximum(1)))
    .check(z.describe('The share of these calls, from 0 to 1. Default: 1.')),
}

/** The operations of the REST API. `*` is an identifier. */
export const API_OPERATIONS = [
  'GET /v1/notes',
  'GET /v1/notes/*',
  'GET /v1/notes/*/transcript',
  'GET /v1/notes/*/summary',
  'GET /v1/webhook-endpoints',
  'POST /v1/webhook-endpoints',
  'GET /v1/webhook-endpoints/*',
  'PATCH /v1/webhook-endpoints/*',
  'DELETE /v1/webhook-endpoints/*',
  'POST /v1/webhook-endpoints/*/test',
  'POST /v1/webhook-endpoints/*/rotate-secret',
  'POST /v1/webhook-endpoints/*/deliveries/*/replay',
] as const

/** Whether the pattern of a rule matches a request, or an operation. */
export function matchesRequest(pattern: string, request: string): boolean {
  const [[wantedMethod, wantedPath = ''], [method, path = '']] = [pattern.split(' '), request.split(' ')]
  if (wantedMethod !== '*' && wantedMethod !== method) return false
  const [wanted, segments] = [wantedPath.split('/'), path.split('/')]
  const isOpen = wanted.at(-1) === '**'
  const fixed = isOpen ? wanted.slice(0, -1) : wanted
  if (isOpen ? segments.length < fixed.length : segments.length !== fixed.length) return false
  return fixed.every((segment, index) => {
    const other = segments[index] ?? ''
    return segment === other || (segment === '*' && other !== '') || (other === '*' && segment !== '')
  })
}

export const faultRuleSchema = z.union([
  fields({
    request: z.string().check(
      z.refine(
        (pattern) => API_OPERATIONS.some((operation) => matchesRequest(pattern, operation)),
        'the method and the path of an operation, such as "GET /v1/notes" or "GET /v1/notes/*"',
      ),
      z.describe('Method and path, such as "GET /v1/notes"; * matches any method or segment, ** the rest of the path.'),
    ),
    ...affectedCalls,
    fault: requestFault,
  }),
  fields({
    delivery: z
      .enum(['*', ...NOTE_EVENT_KINDS, ...ENDPOINT_EVENT_KINDS])
      .check(z.describe('The kind of the event; * matches every kind except endpoint.verification.')),
    endpoint_id: z.optional(z.string()),
    ...affectedCalls,
    fault: deliveryFault,
  }),
])

function isHeaderText(text: string): boolean {
  try {
    new Headers({ 'retry-after': text })
    return true
  } catch {
    return false
  }
}
