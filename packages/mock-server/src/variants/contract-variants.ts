import * as z from 'zod/mini'
import { type Duration, durationSchema } from '../clock/duration.ts'
import { count, fields } from '../errors/checked.ts'

/**
 * The behaviour of the service at the points that the contract leaves open, by the row of `open-points.md`. Each default is the
 * default of its row. A client and a receiver must also handle the alternatives, because the real service may behave that way.
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
  /** Row 1: the field of the list response that contains the notes. @default 'notes' */
  readonly notesField?: string | undefined
  /** Row 2: the names of the field with the identifier of a note. @default 'both' */
  readonly noteIdentifier?: 'both' | 'note_id' | 'id' | undefined
  /**
   * Row 3: the fields of a note: all, only the identifier and the revision, or all with values and fields that are not in the
   * contract.
   *
   * @default 'all'
   */
  readonly noteFields?: 'all' | 'required' | 'unfamiliar' | undefined
  /** Row 4: the tombstone of a deleted note: all fields without content, or only identifier, revision and `status`. @default 'record' */
  readonly tombstone?: 'record' | 'marker' | undefined
  /** Row 5: the answer to a `limit` outside 1 to 100: a 400, or a page with the nearest limit. @default 'refused' */
  readonly limitOutOfRange?: 'refused' | 'capped' | undefined
  /** Row 6: how long a cursor is valid; the answer to an expired one is 400 `invalid_cursor`. @default 'unlimited' */
  readonly cursorLifetime?: Duration | 'unlimited' | undefined
  /** Row 6: an empty page with `has_more: true` comes before every page except the first. @default false */
  readonly emptyPages?: boolean | undefined
  /** Row 6: `next_cursor` on the last page: `null`, absent, or `""`. @default 'null' */
  readonly lastCursor?: 'null' | 'absent' | 'empty' | undefined
  /** Row 6: a page that is requested with a cursor always returns the same cursor again. @default false */
  readonly repeatingCursor?: boolean | undefined
  /** Row 7: whether `updated_after` excludes notes updated at exactly that time. @default 'exclusive' */
  readonly updatedAfter?: 'exclusive' | 'inclusive' | undefined
  /** Row 7: the precision of the timestamps of notes. @default 'milliseconds' */
  readonly timestamps?: 'milliseconds' | 'seconds' | 'minutes' | undefined
  /**
   * Row 8: the operation that reads one note: for a deleted note it returns the tombstone or 404, or the operation does not exist.
   *
   * @default 'tombstones'
   */
  readonly noteOperation?: 'tombstones' | 'live_notes' | 'absent' | undefined
  /**
   * Row 9: the answer for a transcript that is not ready: 404, 409 or 202 with the code `not_ready`, or a 404 with the code
   * `not_found`, as for a missing note. With `errorBody: 'empty'` that is a bare 404.
   *
   * @default 404
   */
  readonly transcriptNotReady?: 404 | 409 | 202 | 'not_found' | undefined
  /**
   * Rows 9 and 10: the `revision` of a transcript and of a summary: the note's current one, the one when they were written, or
   * none.
   *
   * @default 'current'
   */
  readonly contentRevision?: 'current' | 'written' | 'absent' | undefined
  /**
   * Row 10: the answer for a summary that is not ready: 200 with its status and `null`, 404 with the code `not_ready`, or a 404 with
   * the code `not_found`, as for a missing note.
   *
   * @default 200
   */
  readonly summaryNotReady?: 200 | 404 | 'not_found' | undefined
  /** Row 11: the data of `endpoint.*` events. @default 'endpoint_id' */
  readonly endpointEventData?: 'endpoint_id' | 'empty' | undefined
  /** Row 11: whether a subscription may contain the two `endpoint.*` kinds. @default 'refused' */
  readonly endpointKinds?: 'refused' | 'accepted' | undefined
  /** Row 12: `data.reason` of events other than `note.deleted`. @default 'absent' */
  readonly otherReasons?: 'absent' | 'null' | undefined
  /** Row 13: the field of an endpoint that contains its identifier. @default 'endpoint_id' */
  readonly endpointIdentifier?: 'endpoint_id' | 'id' | undefined
  /** Row 13: the fields of an endpoint: all, or only the identifier (and the secret, when it is returned). @default 'all' */
  readonly endpointFields?: 'all' | 'required' | undefined
  /** Row 14: which operations on endpoints exist; the others answer 404. @default 'all' */
  readonly endpointOperations?: 'all' | 'creation' | undefined
  /** Row 15: the name of the disabled state. @default 'disabled' */
  readonly disabledState?: string | undefined
  /** Row 16: how many consecutive failures disable an endpoint. @default 20 */
  readonly disableAfter?: number | 'never' | undefined
  /** Row 16: what counts as a failure: a failed attempt, or a delivery whose attempts all failed. @default 'attempts' */
  readonly disableCounts?: 'attempts' | 'deliveries' | undefined
  /** Row 17: whether note events for an inactive endpoint are dropped or queued. @default 'dropped' */
  readonly whileInactive?: 'dropped' | 'queued' | undefined
  /** Row 18: the status of an endpoint after a change of its URL. It is verified in both cases. @default 'pending_verification' */
  readonly afterUrlChange?: 'pending_verification' | 'active' | undefined
  /** Row 19: whether all attempts of a delivery have the same `webhook-id`. @default 'per_delivery' */
  readonly webhookId?: 'per_delivery' | 'per_attempt' | undefined
  /** Row 20: a summary that becomes ready raises the note's revision. @default true */
  readonly summaryRaisesRevision?: boolean | undefined
  /** Row 20: a deletion raises the note's revision. @default true */
  readonly deletionRaisesRevision?: boolean | undefined
  /** Row 21: the time from the last edit to `note.updated`. @default '5s' */
  readonly debounceQuiet?: Duration | undefined
  /** Row 21: the longest time from the first edit to `note.updated`. @default '60s' */
  readonly debounceLongest?: Duration | undefined
  /** Row 22: the body of an error: the JSON of the row, an HTML page, or empty. @default 'json' */
  readonly errorBody?: 'json' | 'html' | 'empty' | undefined
  /** Row 22: answers carry `x-request-id`. @default true */
  readonly requestId?: boolean | undefined
  /** Row 23: the scope for listing and reading notes. The service's own key has it. @default 'notes:read' */
  readonly noteScope?: string | undefined
  /** Row 23: the scope for the operations on endpoints. The service's own key has it. @default 'webhooks:manage' */
  readonly endpointScope?: string | undefined
  /** Row 24: the prefix of API keys. @default 'ntw' */
  readonly keyPrefix?: string | undefined
  /**
   * Row 24: the form of a key after its prefix: `_live_{key_id}.{secret}` with a secret of letters and digits, the same with `+`,
   * `/`, `=` and `.` in the secret, or a key without a key id, which is secret as a whole.
   *
   * @default 'key_id'
   */
  readonly keyForm?: 'key_id' | 'symbols' | 'without_key_id' | undefined
  /** Row 27: whether the first verification is sent before the answer that contains the secret. @default 'after_response' */
  readonly verification?: 'after_response' | 'before_response' | undefined
  /**
   * Row 28: the effect when an integration gains access to a note: none, a `note.updated` to that integration, or a new revision and
   * `updated_at` of the note.
   *
   * @default 'silent'
   */
  readonly accessGained?: 'silent' | 'announced' | 'revised' | undefined
  /**
   * Row 29: with `'any'`, the service also sends `note.updated` before the first `note.ended`, makes content readable one second after
   * its event was sent, and sends a pending `note.updated` after the note was deleted.
   *
   * @default 'ended_first'
   */
  readonly eventOrder?: 'ended_first' | 'any' | undefined
  /**
   * Row 31: the fields of an event: all; only `event_id`, `event_type`, `data.note_id` and `data.revision`; or all, but the others
   * are `null` or objects.
   *
   * @default 'all'
   */
  readonly eventFields?: 'all' | 'required' | 'null' | 'mistyped' | undefined
  /**
   * Row 39: the optional fields of notes, transcripts, summaries and endpoints in REST responses: as the other rows say, or objects. The
   * `status` of a tombstone stays.
   *
   * @default 'as_documented'
   */
  readonly optionalFields?: 'as_documented' | 'mistyped' | undefined
  /** Row 38: `data.revision` of `note.deleted`: a number, absent, or a string of digits. @default 'number' */
  readonly deletionRevision?: 'number' | 'absent' | 'string' | undefined
}

/** The variants, with a value for every row. */
export type Contract = { readonly [Field in keyof ContractVariants]-?: NonNullable<ContractVariants[Field]> }

const identifier = z
  .string()
  .check(z.regex(/^[A-Za-z][\w:.-]*$/, 'a name of letters, digits, "_", ":", "." and "-" that begins with a letter'))
const prefix = z.string().check(z.regex(/^[A-Za-z0-9._-]+$/, 'a text of letters, digits, "_", "." and "-"'))

/** The schema of {@link ContractVariants}, with the default of every row of `open-points.md`. */
export const contractSchema = fields({
  notesField: row('1', identifier, 'notes'),
  noteIdentifier: row('2', z.enum(['both', 'note_id', 'id']), 'both'),
  noteFields: row('3', z.enum(['all', 'required', 'unfamiliar']), 'all'),
  tombstone: row('4', z.enum(['record', 'marker']), 'record'),
  limitOutOfRange: row('5', z.enum(['refused', 'capped']), 'refused'),
  cursorLifetime: row(
    '6',
    z.union([durationSchema, z.literal('unlimited')], 'a duration such as "5s", or "unlimited"'),
    'unlimited',
  ),
  emptyPages: row('6', z.boolean(), false),
  lastCursor: row('6', z.enum(['null', 'absent', 'empty']), 'null'),
  repeatingCursor: row('6', z.boolean(), false),
  updatedAfter: row('7', z.enum(['exclusive', 'inclusive']), 'exclusive'),
  timestamps: row('7', z.enum(['milliseconds', 'seconds', 'minutes']), 'milliseconds'),
  noteOperation: row('8', z.enum(['tombstones', 'live_notes', 'absent']), 'tombstones'),
  transcriptNotReady: row('9', z.literal([404, 409, 202, 'not_found']), 404),
  contentRevision: row('9 and 10', z.enum(['current', 'written', 'absent']), 'current'),
  summaryNotReady: row('10', z.literal([200, 404, 'not_found']), 200),
  endpointEventData: row('11', z.enum(['endpoint_id', 'empty']), 'endpoint_id'),
  endpointKinds: row('11', z.enum(['refused', 'accepted']), 'refused'),
  otherReasons: row('12', z.enum(['absent', 'null']), 'absent'),
  endpointIdentifier: row('13', z.enum(['endpoint_id', 'id']), 'endpoint_id'),
  endpointFields: row('13', z.enum(['all', 'required']), 'all'),
  endpointOperations: row('14', z.enum(['all', 'creation']), 'all'),
  disabledState: row('15', identifier, 'disabled'),
  disableAfter: row('16', z.union([count, z.literal('never')], 'a whole number from 1, or "never"'), 20),
  disableCounts: row('16', z.enum(['attempts', 'deliveries']), 'attempts'),
  whileInactive: row('17', z.enum(['dropped', 'queued']), 'dropped'),
  afterUrlChange: row('18', z.enum(['pending_verification', 'active']), 'pending_verification'),
  webhookId: row('19', z.enum(['per_delivery', 'per_attempt']), 'per_delivery'),
  summaryRaisesRevision: row('20', z.boolean(), true),
  deletionRaisesRevision: row('20', z.boolean(), true),
  debounceQuiet: row('21', durationSchema, '5s'),
  debounceLongest: row('21', durationSchema, '60s'),
  errorBody: row('22', z.enum(['json', 'html', 'empty']), 'json'),
  requestId: row('22', z.boolean(), true),
  noteScope: row('23', identifier, 'notes:read'),
  endpointScope: row('23', identifier, 'webhooks:manage'),
  keyPrefix: row('24', prefix, 'ntw'),
  keyForm: row('24', z.enum(['key_id', 'symbols', 'without_key_id']), 'key_id'),
  verification: row('27', z.enum(['after_response', 'before_response']), 'after_response'),
  accessGained: row('28', z.enum(['silent', 'announced', 'revised']), 'silent'),
  eventOrder: row('29', z.enum(['ended_first', 'any']), 'ended_first'),
  eventFields: row('31', z.enum(['all', 'required', 'null', 'mistyped']), 'all'),
  optionalFields: row('39', z.enum(['as_documented', 'mistyped']), 'as_documented'),
  deletionRevision: row('38', z.enum(['number', 'absent', 'string']), 'number'),
})

function row<Schema extends z.ZodMiniType>(
  number: string,
  schema: Schema,
  value: z.core.util.NoUndefined<z.output<Schema>>,
) {
  return z._default(schema, value).check(z.describe(`Row ${number} of open-points.md.`))
}
