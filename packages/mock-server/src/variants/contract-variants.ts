import type { Duration } from '../clock/duration.ts'

/**
 * What the service does where the contract is silent, by the row of `open-points.md` that settles it. The defaults are the
 * rows' own; the alternatives are what client and receiver must cope with, should the real service turn out otherwise.
 *
 * @example
 * ```ts
 * import { createNotesService } from '@notewire/mock-server'
 *
 * await using service = await createNotesService({ notes: 3, contract: { notesField: 'items', lastCursor: 'absent' } })
 * const headers = { authorization: `Bearer ${service.apiKey}` }
 * const answer = await service.fetch(new Request(`${service.baseUrl}/v1/notes`, { headers }))
 * console.log(Object.keys(await answer.json())) // ['items', 'has_more']
 * ```
 */
export interface ContractVariants {
  /** Row 1: the field of the list that holds the notes. @default 'notes' */
  readonly notesField?: string | undefined
  /** Row 2: under which names a note resource carries its identifier. @default 'both' */
  readonly noteIdentifier?: 'both' | 'note_id' | 'id' | undefined
  /**
   * Row 3: the fields of a note resource: all of them, the identifier and the revision alone, or all with values and fields that
   * nobody has heard of.
   *
   * @default 'all'
   */
  readonly noteFields?: 'all' | 'required' | 'unfamiliar' | undefined
  /** Row 4: what remains of a deleted note: the whole record, emptied, or identifier, revision and `status` alone. @default 'record' */
  readonly tombstone?: 'record' | 'marker' | undefined
  /** Row 5: what becomes of a `limit` outside 1 to 100: a 400, or the nearest limit. @default 'refused' */
  readonly limitOutOfRange?: 'refused' | 'capped' | undefined
  /** Row 6: how long a cursor is good for; an expired one is answered 400 `invalid_cursor`. @default 'unlimited' */
  readonly cursorLifetime?: Duration | 'unlimited' | undefined
  /** Row 6: an empty page with `has_more: true` comes before every page but the first. @default false */
  readonly emptyPages?: boolean | undefined
  /** Row 6: what `next_cursor` is on the last page: `null`, not there, or `""`. @default 'null' */
  readonly lastCursor?: 'null' | 'absent' | 'empty' | undefined
  /** Row 6: a page that was asked for by a cursor answers the same cursor again, for ever. @default false */
  readonly repeatingCursor?: boolean | undefined
  /** Row 7: whether `updated_after` leaves out what was updated at that very time. @default 'exclusive' */
  readonly updatedAfter?: 'exclusive' | 'inclusive' | undefined
  /** Row 7: how exact the times of notes are. @default 'milliseconds' */
  readonly timestamps?: 'milliseconds' | 'seconds' | 'minutes' | undefined
  /**
   * Row 8: reading one note: a deleted one answers its tombstone, or 404, or there is no such operation at all.
   *
   * @default 'tombstones'
   */
  readonly noteOperation?: 'tombstones' | 'live_notes' | 'absent' | undefined
  /** Row 9: what a transcript that is not ready is answered with. @default 404 */
  readonly transcriptNotReady?: 404 | 409 | 202 | undefined
  /**
   * Rows 9 and 10: the `revision` of a transcript and of a summary: the note's current one, the one at which they were written,
   * or none.
   *
   * @default 'current'
   */
  readonly contentRevision?: 'current' | 'written' | 'absent' | undefined
  /** Row 10: what a summary that is not ready is answered with: 200 with its status and `null`, or 404. @default 200 */
  readonly summaryNotReady?: 200 | 404 | undefined
  /** Row 11: the data of `endpoint.*` events. @default 'endpoint_id' */
  readonly endpointEventData?: 'endpoint_id' | 'empty' | undefined
  /** Row 11: whether the two `endpoint.*` kinds may stand in a subscription. @default 'refused' */
  readonly endpointKinds?: 'refused' | 'accepted' | undefined
  /** Row 12: `data.reason` of events other than `note.deleted`. @default 'absent' */
  readonly otherReasons?: 'absent' | 'null' | undefined
  /** Row 13: the name under which an endpoint carries its identifier. @default 'endpoint_id' */
  readonly endpointIdentifier?: 'endpoint_id' | 'id' | undefined
  /** Row 13: the fields of an endpoint: all, or the identifier alone, and the secret where it is shown. @default 'all' */
  readonly endpointFields?: 'all' | 'required' | undefined
  /** Row 14: which operations on endpoints there are; what is missing is answered 404. @default 'all' */
  readonly endpointOperations?: 'all' | 'creation' | undefined
  /** Row 15: the name of the disabled state. @default 'disabled' */
  readonly disabledState?: string | undefined
  /** Row 16: how many failures in a row disable an endpoint. @default 20 */
  readonly disableAfter?: number | 'never' | undefined
  /** Row 16: what counts as a failure: an attempt, or a delivery that was given up. @default 'attempts' */
  readonly disableCounts?: 'attempts' | 'deliveries' | undefined
  /** Row 17: what becomes of events about notes while an endpoint is not active. @default 'dropped' */
  readonly whileInactive?: 'dropped' | 'queued' | undefined
  /** Row 18: where an endpoint stands after a change of its URL. It is verified either way. @default 'pending_verification' */
  readonly afterUrlChange?: 'pending_verification' | 'active' | undefined
  /** Row 19: whether all attempts of a delivery share their `webhook-id`. @default 'per_delivery' */
  readonly webhookId?: 'per_delivery' | 'per_attempt' | undefined
  /** Row 20: a summary that becomes ready raises the note's revision. @default true */
  readonly summaryRaisesRevision?: boolean | undefined
  /** Row 20: a deletion raises the note's revision. @default true */
  readonly deletionRaisesRevision?: boolean | undefined
  /** Row 21: how long after the last edit `note.updated` leaves. @default '5s' */
  readonly debounceQuiet?: Duration | undefined
  /** Row 21: how long after the first edit it leaves at the latest. @default '60s' */
  readonly debounceLongest?: Duration | undefined
  /** Row 22: the body of an error: the JSON of the row, a page of HTML, or none. @default 'json' */
  readonly errorBody?: 'json' | 'html' | 'empty' | undefined
  /** Row 22: answers carry `x-request-id`. @default true */
  readonly requestId?: boolean | undefined
  /** Row 23: the scope that listing and reading notes takes. The service's own key has it. @default 'notes:read' */
  readonly noteScope?: string | undefined
  /** Row 23: the scope that the operations on endpoints take. The service's own key has it. @default 'webhooks:manage' */
  readonly endpointScope?: string | undefined
  /** Row 24: what API keys begin with. @default 'ntw' */
  readonly keyPrefix?: string | undefined
  /** Row 27: the first verification is over before the answer that tells the secret. @default 'after_response' */
  readonly verification?: 'after_response' | 'before_response' | undefined
  /**
   * Row 28: what becomes of a note that becomes visible to a key: nothing, a `note.updated` for those who gained it, or a raised
   * revision and `updated_at`.
   *
   * @default 'silent'
   */
  readonly accessGained?: 'silent' | 'announced' | 'revised' | undefined
  /**
   * Row 29: `'any'` sends `note.updated` before the first `note.ended`, too, lets content be readable a second after its event
   * left, and lets a pending `note.updated` outlive the note.
   *
   * @default 'ended_first'
   */
  readonly eventOrder?: 'ended_first' | 'any' | undefined
}

/** The variants, all of them decided. */
export type Contract = { readonly [Field in keyof ContractVariants]-?: NonNullable<ContractVariants[Field]> }

/** The default of every row of `open-points.md`. */
export const CONTRACT_DEFAULTS: Contract = {
  notesField: 'notes',
  noteIdentifier: 'both',
  noteFields: 'all',
  tombstone: 'record',
  limitOutOfRange: 'refused',
  cursorLifetime: 'unlimited',
  emptyPages: false,
  lastCursor: 'null',
  repeatingCursor: false,
  updatedAfter: 'exclusive',
  timestamps: 'milliseconds',
  noteOperation: 'tombstones',
  transcriptNotReady: 404,
  contentRevision: 'current',
  summaryNotReady: 200,
  endpointEventData: 'endpoint_id',
  endpointKinds: 'refused',
  otherReasons: 'absent',
  endpointIdentifier: 'endpoint_id',
  endpointFields: 'all',
  endpointOperations: 'all',
  disabledState: 'disabled',
  disableAfter: 20,
  disableCounts: 'attempts',
  whileInactive: 'dropped',
  afterUrlChange: 'pending_verification',
  webhookId: 'per_delivery',
  summaryRaisesRevision: true,
  deletionRaisesRevision: true,
  debounceQuiet: '5s',
  debounceLongest: '60s',
  errorBody: 'json',
  requestId: true,
  noteScope: 'notes:read',
  endpointScope: 'webhooks:manage',
  keyPrefix: 'ntw',
  verification: 'after_response',
  accessGained: 'silent',
  eventOrder: 'ended_first',
}
