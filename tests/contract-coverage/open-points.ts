import { type Statement, statementsOf } from './statement.ts'

const LIST = 'mock-server/api/note-operations.test.ts'
const ENDPOINTS = 'mock-server/api/endpoint-operations.test.ts'
const KEYS = 'mock-server/api/authorisation.test.ts'
const VARIANTS = 'mock-server/variants/contract-variants.test.ts'
const OWNER = 'mock-server/world/create-owner.test.ts'
const DISABLING = 'mock-server/delivery/automatic-disabling.test.ts'
const VERIFICATION = 'mock-server/delivery/verification.test.ts'
const DELIVERY = 'mock-server/delivery/delivery-engine.test.ts'
const DEBOUNCE = 'mock-server/world/debounce.test.ts'
const VISIBILITY = 'mock-server/world/visibility.test.ts'
const ROTATION = 'mock-server/delivery/secret-rotation.test.ts'
const BOTH = 'tests/contract-variants.test.ts'

/** Both sides of a row: what we chose, and what must also work. */
function row(
  number: number,
  about: string,
  sides: { readonly default: readonly string[]; readonly otherwise?: readonly string[] },
): readonly Statement[] {
  const at = `Row ${number}: ${about}`
  return statementsOf(
    at,
    ['the default', ...sides.default],
    ...(sides.otherwise === undefined ? [] : [['otherwise', ...sides.otherwise] as const]),
  )
}

/** What open-points.md settles, row by row. */
export const OPEN_POINTS: readonly Statement[] = [
  ...row(1, 'the field that holds the notes', {
    default: [`${LIST} › answers an empty page when there is nothing`],
    otherwise: [
      `${VARIANTS} › row 1: holds the notes in a field of another name`,
      `${BOTH} › 1: another field holds the notes`,
    ],
  }),
  ...row(2, 'the identifier of a note', {
    default: [`${LIST} › answers the note, with its identifier under both names`],
    otherwise: [
      `${VARIANTS} › row 2: names the identifier of a note by %s`,
      `${BOTH} › 2: note_id alone`,
      `${BOTH} › 2: id alone`,
    ],
  }),
  ...row(3, 'the fields of a note', {
    default: [`${LIST} › answers the note, with its identifier under both names`],
    otherwise: [
      `${VARIANTS} › row 3: holds the identifier and the revision alone`,
      `${VARIANTS} › row 3: holds new values and fields`,
      `${BOTH} › 3: identifier and revision alone`,
      `${BOTH} › 3: new values and fields`,
    ],
  }),
  ...row(4, 'the tombstone', {
    default: [`${LIST} › answers a tombstone for a deleted note: emptied, marked, at a higher revision`],
    otherwise: [
      `${VARIANTS} › row 4: marks a tombstone by identifier, revision and status alone`,
      `${BOTH} › 4: a tombstone of marker alone`,
    ],
  }),
  ...row(5, 'limit', {
    default: [`${LIST} › answers 400 to limit=%s`, `${LIST} › accepts limit=%s`],
    otherwise: [`${VARIANTS} › row 5: caps limit=%s silently to %i`, `${BOTH} › 5: a limit that is capped`],
  }),
  ...row(6, 'cursor', {
    default: [
      `${LIST} › answers 400 invalid_cursor to a cursor that was tampered with, made up, or given to another integration`,
      `${LIST} › goes on after the last note seen, whatever was deleted and recorded meanwhile`,
      `${VARIANTS} › row 6: answers 400 invalid_cursor to one that has expired`,
    ],
    otherwise: [
      `${VARIANTS} › row 6: answers an empty page with has_more before every page but the first`,
      `${VARIANTS} › row 6: ends with a next_cursor that is %s`,
      `${VARIANTS} › row 6: repeats a cursor for ever`,
      `${BOTH} › 6: empty pages with more to follow`,
      `${BOTH} › 6: no cursor on the last page`,
      `${BOTH} › 6: an empty cursor on the last page`,
      `${BOTH} › row 6: a cursor that repeats, and never an endless loop`,
      `${BOTH} › row 6: a cursor that expired`,
    ],
  }),
  ...row(7, 'updated_after', {
    default: [
      `${LIST} › compares updated_after with updated_at, strictly`,
      `${LIST} › lists tombstones only when asked to, and with updated_after only the newer ones`,
    ],
    otherwise: [
      `${VARIANTS} › row 7: includes the boundary of updated_after`,
      `${VARIANTS} › row 7: compares times as it shows them, to %s, %s`,
      `${BOTH} › 7: a boundary that is included`,
      `${BOTH} › 7: times to the second`,
      `${BOTH} › 7: times to the minute, boundary included`,
    ],
  }),
  ...row(8, 'reading one note', {
    default: [
      `${LIST} › answers a tombstone for a deleted note: emptied, marked, at a higher revision`,
      `${LIST} › answers 404 for a note that is unknown or out of sight`,
    ],
    otherwise: [
      `${VARIANTS} › row 8: that is deleted answers 404`,
      `${VARIANTS} › row 8: cannot be read where there is no such operation, its content can`,
      `${BOTH} › 8: 404 for deleted notes`,
      `${BOTH} › 8: no operation to read one note`,
    ],
  }),
  ...row(9, 'the transcript', {
    default: [
      `${LIST} › answers 404 not_ready until the session has ended, then the transcript at the current revision`,
    ],
    otherwise: [
      `${VARIANTS} › row 9: answers %i for a transcript that is not ready`,
      `${VARIANTS} › rows 9 and 10: shows with its content the revision that is %s`,
      `${BOTH} › row 9: a transcript that is not ready, by %i`,
      `${BOTH} › 9 and 10: content at a lower revision`,
      `${BOTH} › 9 and 10: content without a revision`,
    ],
  }),
  ...row(10, 'the summary', {
    default: [`${LIST} › answers its status and null until it is generated, then the Markdown at the current revision`],
    otherwise: [
      `${VARIANTS} › row 10: answers 404 for a summary that is not ready`,
      `${BOTH} › 10: 404 for a summary that is not ready`,
    ],
  }),
  ...row(11, 'endpoint.* events', {
    default: [
      `${VERIFICATION} › arrives right after the creation, signed with the new secret, and a 2xx answer activates the endpoint`,
      `${ENDPOINTS} › answers 422 to %s`,
    ],
    otherwise: [
      `${VARIANTS} › row 11: about endpoints say nothing`,
      `${VARIANTS} › row 11: about endpoints may be subscribed to`,
      `${BOTH} › 11: endpoint events without data`,
      `${BOTH} › 11: endpoint events may be subscribed to`,
    ],
  }),
  ...row(12, 'data.reason outside note.deleted', {
    default: [`${OWNER} › sends note.ended, with the session and the revision that the transcript raised`],
    otherwise: [
      `${VARIANTS} › row 12: other than note.deleted have a reason that is %s`,
      `${BOTH} › 12: a reason that is null`,
    ],
  }),
  ...row(13, 'the endpoint resource', {
    default: [
      `${ENDPOINTS} › creates an endpoint that is yet to be verified, and shows its secret`,
      `${ROTATION} › answers the endpoint with its new secret, once`,
    ],
    otherwise: [
      `${VARIANTS} › row 13: are identified by id, and show nothing else`,
      `${BOTH} › 13: endpoints with id, and nothing else`,
    ],
  }),
  ...row(14, 'other endpoint operations', {
    default: [
      `${ENDPOINTS} › lists and shows the endpoints of the integration, without their secrets`,
      `${ENDPOINTS} › changes what the endpoint subscribes to`,
      `${ENDPOINTS} › verifies again whoever is given a URL, even an unchanged one`,
      `${ENDPOINTS} › answers 204, and nothing more is sent, retries included`,
      `${ENDPOINTS} › is shared by the keys of an integration, and hidden from every other`,
      `${ROTATION} › lets the old secret sign beside the new one for 24 h, and then no longer`,
      'mock-server/delivery/replay.test.ts › delivers the same event in a new message',
    ],
    otherwise: [
      `${VARIANTS} › row 14: can only be created`,
      `${BOTH} › row 14: an operation that the service does not have`,
    ],
  }),
  ...row(15, 'the name of the disabled state', {
    default: [`${DISABLING} › is disabled by the 20th failed attempt, not by the 19th`],
    otherwise: [
      `${DISABLING} › does so after any number of failures, and calls the state what it likes`,
      `${BOTH} › 15 and 16: another disabled state, after fewer failures`,
    ],
  }),
  ...row(16, 'failures that disable an endpoint', {
    default: [
      `${DISABLING} › is disabled by the 20th failed attempt, not by the 19th`,
      `${DISABLING} › counts anew after a 2xx`,
      `${DISABLING} › is verified anew when it is enabled again, and then makes the retries that are not yet due`,
      `${DISABLING} › loses the retries that fall due while it is disabled, and is sent no new events`,
    ],
    otherwise: [
      `${DISABLING} › does so after any number of failures, and calls the state what it likes`,
      `${DISABLING} › counts only deliveries whose attempts are exhausted`,
      `${BOTH} › 16: only exhausted deliveries count`,
    ],
  }),
  ...row(17, 'events while an endpoint is not active', {
    default: [`${DELIVERY} › is not kept for an endpoint that is not active`],
    otherwise: [
      `${DISABLING} › are queued where a service does so, and leave once it is`,
      `${DISABLING} › that happen before the verification are queued, too`,
      `${BOTH} › 17: events are queued`,
    ],
  }),
  ...row(18, 'after a change of URL', {
    default: [`${VERIFICATION} › goes to the new URL after a change of it, and only that answer activates`],
    otherwise: [
      `${VARIANTS} › row 18: stay active after a change of their URL, and are verified all the same`,
      `${BOTH} › 18: active after a change of URL`,
    ],
  }),
  ...row(19, 'webhook-id', {
    default: [
      `${DELIVERY} › carries the same message and bytes in every attempt, each signed afresh`,
      'mock-server/delivery/replay.test.ts › delivers the same event in a new message',
    ],
    otherwise: [
      `${VARIANTS} › row 19: carry another webhook-id in every attempt`,
      `${BOTH} › 19: another webhook-id at every attempt`,
    ],
  }),
  ...row(20, 'what raises the revision', {
    default: [
      `${OWNER} › has its summary generated 5 to 30 seconds later, which raises the revision and is announced`,
      `${OWNER} › sends note.deleted with reason deleted at a raised revision, and no summary after it`,
      `${OWNER} › is lost for the keys of its old place and there for those of the new one, at the same revision`,
    ],
    otherwise: [
      `${VARIANTS} › row 20: tell of a summary and a deletion at an unchanged revision`,
      `${BOTH} › is applied by a receiver whose gate decides per kind`,
      `${BOTH} › 20: a deletion at an unchanged revision`,
    ],
  }),
  ...row(21, 'the debounce of note.updated', {
    default: [
      `${DEBOUNCE} › are combined into one event, 5 s after the last edit, which tells the last revision`,
      `${DEBOUNCE} › that never cease are announced 60 s after the first edit at the latest, and then anew`,
    ],
    otherwise: [
      `${DEBOUNCE} › can be combined for any other time`,
      `${BOTH} › 21: no debounce`,
      `${BOTH} › 21: a longer debounce`,
    ],
  }),
  ...row(22, 'REST errors', {
    default: [
      `${KEYS} › is required: %s answers 401`,
      `${KEYS} › needs for %s the scope %s, and no other`,
      'mock-server/api/api.test.ts › carries a request id of its own, and the time of the service (%s)',
      'mock-server/faults/request-faults.test.ts › answers %i, and says when to come back',
    ],
    otherwise: [
      `${VARIANTS} › row 22: are refused with a body of %s and without a request id`,
      `${BOTH} › row 22: a key that is not known, by a body of %s`,
      `${BOTH} › 22: errors in HTML`,
      `${BOTH} › 22: errors without a body`,
    ],
  }),
  ...row(23, 'scopes', {
    default: [`${KEYS} › needs for %s the scope %s, and no other`],
    otherwise: [
      `${VARIANTS} › row 23: take other scopes, which the key of the service has`,
      `${BOTH} › 23: other scopes`,
    ],
  }),
  ...row(24, 'the prefix of API keys', {
    default: [`${KEYS} › has the form <prefix>_live_{key_id}.{secret}`],
    otherwise: [
      `${VARIANTS} › row 24: take keys of any prefix`,
      `${BOTH} › 24: another prefix of keys`,
      'protocol/api-key.test.ts › is found whatever the prefix (open point 24)',
    ],
  }),
  ...row(25, 'the largest body that a receiver accepts', {
    default: [
      'webhooks/receiver/admission.test.ts › is refused before it is read when that is above 256 KiB: %s gets %i',
    ],
    otherwise: ['webhooks/receiver/admission.test.ts › is refused above `maxBodyBytes`, where that is given'],
  }),
  ...row(26, 'unknown kinds of events', {
    default: [
      'webhooks/receiver/handlers.test.ts › is acknowledged without a handler, and given to `onUnknown` with one',
      'protocol/reading/read-event.test.ts › is read, whatever its kind and its data',
    ],
  }),
  ...row(27, 'endpoint.verification at creation', {
    default: [
      `${VERIFICATION} › arrives right after the creation, signed with the new secret, and a 2xx answer activates the endpoint`,
      `${VERIFICATION} › leaves the endpoint pending when it fails, and is retried like any delivery`,
    ],
    otherwise: [
      `${VERIFICATION} › may precede the answer that tells the secret: refused for now, and active at the retry after 30 s`,
      `${BOTH} › 27: a verification before the response`,
    ],
  }),
  ...row(28, 'a note that becomes visible', {
    default: [
      `${VISIBILITY} › is note.deleted with access_lost to one, and becomes visible to the other without an event`,
    ],
    otherwise: [
      `${VISIBILITY} › is sent as note.updated to those who gain it, where a service does so`,
      `${VISIBILITY} › has a raised revision and a new updated_at, where a service does so`,
      `${BOTH} › 28: gained access is announced`,
      `${BOTH} › 28: gained access raises the revision`,
    ],
  }),
  ...row(29, 'what may precede note.ended', {
    default: [
      `${OWNER} › of a note that has not ended raises the revision, and sends nothing`,
      `${DELIVERY} › leaves when its content can be read`,
      `${DEBOUNCE} › dies with the deletion of its note`,
      `${DEBOUNCE} › dies with lost access, and a regained one does not bring it back`,
    ],
    otherwise: [
      `${VARIANTS} › row 29: may come in any order: an update before the end, and after the deletion`,
      `${VARIANTS} › row 29: may leave before the content is readable`,
      `${BOTH} › 29: events in any order`,
    ],
  }),
  ...row(30, 'channel keys', {
    default: [`${KEYS} › sees the notes of the places of its integration alone`],
  }),
]
