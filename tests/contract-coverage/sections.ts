import { type Statement, statementsOf } from './statement.ts'

const OWNER = 'mock-server/world/create-owner.test.ts'
const LIST = 'mock-server/api/note-operations.test.ts'
const ENDPOINTS = 'mock-server/api/endpoint-operations.test.ts'
const KEYS = 'mock-server/api/authorisation.test.ts'
const DELIVERY = 'mock-server/delivery/delivery-engine.test.ts'
const VERIFICATION = 'mock-server/delivery/verification.test.ts'
const DISABLING = 'mock-server/delivery/automatic-disabling.test.ts'
const DEBOUNCE = 'mock-server/world/debounce.test.ts'
const VISIBILITY = 'mock-server/world/visibility.test.ts'
const PORT = 'mock-server/transports/service-port.test.ts'
const POLICY = 'mock-server/addresses/url-policy.test.ts'
const VERIFIER = 'webhooks/verifier/verifier.test.ts'
const CONTRACT = 'protocol/contract.test.ts'
const CONSOLE = 'mock-server/console/console.browser.test.ts'

/** What notes-service.md says, section by section. */
export const SECTIONS: readonly Statement[] = [
  ...statementsOf(
    '§1 What the service does',
    [
      'Each note has recording sessions, a transcript and a summary.',
      `${LIST} › grows with every session that ends`,
      `${LIST} › answers its status and null until it is generated, then the Markdown at the current revision`,
    ],
    [
      'Notes belong to a personal account or to a channel.',
      `${OWNER} › is lost for the keys of its old place and there for those of the new one, at the same revision`,
    ],
    [
      'A client reads through the REST API with an API key bearing scopes.',
      `${KEYS} › needs for %s the scope %s, and no other`,
    ],
    [
      'The service sends signed notifications when notes are ended, summarised, updated or deleted.',
      `${DELIVERY} › is a POST of JSON, signed as the library of the specification verifies it`,
      `${DELIVERY} › carries identifiers and statuses, and never content`,
    ],
    [
      'Notifications never carry transcript or summary content; the client fetches the current content.',
      `${DELIVERY} › carries identifiers and statuses, and never content`,
      `${DELIVERY} › leaves when its content can be read`,
    ],
    [
      'The intended client flow: page through all notes, ask for changes, verify every delivery, re-list.',
      'tests/round-trip.test.ts › goes from a note that ends to a copy that holds it, and to one that lost it',
      'tests/contract-variants.test.ts › the client lists every note once, in pages of any size, with content and with tombstones',
      'tests/contract-variants.test.ts › the client hears of every change that it asks for',
    ],
  ),
  ...statementsOf(
    '§2 Resources and their fields',
    [
      'A revision is assigned by the server and increases whenever an API-visible field changes.',
      `${OWNER} › raises the revision and sends note.updated`,
      `${OWNER} › of a note that has not ended raises the revision, and sends nothing`,
    ],
    [
      'The REST API always returns the current revision.',
      `${OWNER} › raises the revision and sends note.updated`,
      `${LIST} › answers the note, with its identifier under both names`,
    ],
    [
      'A tombstone of a deleted note can appear in the list when include_deleted=true.',
      `${LIST} › lists tombstones only when asked to, and with updated_after only the newer ones`,
    ],
    [
      'A note can have several recording sessions.',
      `${OWNER} › is one of several: each sends note.ended once, and only the last one gets a summary that was not under way before`,
    ],
    [
      'Statuses of transcript and summary appear in webhook payloads.',
      `${OWNER} › sends note.ended, with the session and the revision that the transcript raised`,
    ],
    [
      'An API key has the form <prefix>_live_{key_id}.{secret}.',
      `${KEYS} › has the form <prefix>_live_{key_id}.{secret}`,
    ],
    [
      'A key is issued for an integration, for the personal notes or for a channel the user owns.',
      `${KEYS} › sees the notes of the places of its integration alone`,
    ],
    ['The full key is shown only once.', `${KEYS} › is shown whole where it is issued, and nowhere else`],
    [
      'A key is created in the account console, for an integration.',
      `${CONSOLE} › is issued for a channel with scopes, shown once, and revoked: by keyboard alone`,
    ],
    [
      'Endpoints can also be registered in the console.',
      `${CONSOLE} › is registered, verified, and its secret shown once`,
    ],
    ['Scopes are chosen at creation.', `${KEYS} › needs for %s the scope %s, and no other`],
    [
      'An endpoint has a public HTTPS URL, which must answer directly.',
      `${POLICY} › refuses %s`,
      `${PORT} › does not follow a redirect, and counts it as a failure`,
    ],
    [
      'An endpoint subscribes to event kinds.',
      `${DELIVERY} › goes to every endpoint that subscribes to the kind: one event, a message of its own for each`,
    ],
    [
      'The signing secret has the form whsec_<base64url>, and its full value is shown once.',
      `${ENDPOINTS} › creates an endpoint that is yet to be verified, and shows its secret`,
      `${ENDPOINTS} › lists and shows the endpoints of the integration, without their secrets`,
    ],
    [
      'The status on creation is pending_verification.',
      `${ENDPOINTS} › creates an endpoint that is yet to be verified, and shows its secret`,
    ],
  ),
  ...statementsOf(
    '§3 States and transitions',
    [
      'Creating an endpoint sends an endpoint.verification event to the URL.',
      `${VERIFICATION} › arrives right after the creation, signed with the new secret, and a 2xx answer activates the endpoint`,
    ],
    [
      'A 2xx answer to endpoint.verification activates the endpoint.',
      `${VERIFICATION} › leaves the endpoint pending when it fails, and is retried like any delivery`,
      `${ENDPOINTS} › sends it to an endpoint that is yet to be verified, too, and does not verify it`,
    ],
    [
      'Many consecutive delivery failures disable the endpoint.',
      `${DISABLING} › is disabled by the 20th failed attempt, not by the 19th`,
    ],
    [
      'Missed events are not redelivered beyond the retry window.',
      `${DISABLING} › loses the retries that fall due while it is disabled, and is sent no new events`,
      `${DELIVERY} › is retried 30 s, 5 min, 30 min, 2 h, 12 h and 12 h after each failure, then given up`,
    ],
    [
      'A change of URL sends a new endpoint.verification event.',
      `${VERIFICATION} › goes to the new URL after a change of it, and only that answer activates`,
    ],
    ['A delivery succeeds with a 2xx response.', `${DELIVERY} › has not failed when it is answered %i`],
    [
      'A response that takes longer than 10 seconds is a failure and triggers a retry.',
      `${DELIVERY} › fails after 10 seconds, and its retry counts from there`,
    ],
  ),
  ...statementsOf(
    '§4 Endpoints',
    ['Requests carry Authorization: Bearer <API_KEY>.', `${KEYS} › is required: %s answers 401`],
    ['Bodies are JSON.', 'mock-server/api/api.test.ts › that is no JSON answers 400: %s'],
    [
      'GET /v1/notes lists the notes visible to the key.',
      `${KEYS} › sees the notes of the places of its integration alone`,
    ],
    [
      'limit is the page size; cursor is the next_cursor of the previous response; has_more says whether to go on.',
      `${LIST} › lists 50 notes a page in order of creation, and a cursor while there are more`,
      `${LIST} › has no more after a page that is exactly full`,
    ],
    [
      'updated_after returns only notes changed since that time.',
      `${LIST} › compares updated_after with updated_at, strictly`,
    ],
    [
      'include_deleted=true includes tombstones.',
      `${LIST} › lists tombstones only when asked to, and with updated_after only the newer ones`,
    ],
    [
      'GET …/transcript returns the transcript.',
      `${LIST} › answers 404 not_ready until the session has ended, then the transcript at the current revision`,
    ],
    [
      'GET …/summary returns the summary.',
      `${LIST} › answers its status and null until it is generated, then the Markdown at the current revision`,
    ],
    [
      'POST /v1/webhook-endpoints creates an endpoint from url and events.',
      `${ENDPOINTS} › creates an endpoint that is yet to be verified, and shows its secret`,
      `${ENDPOINTS} › answers 422 to %s`,
    ],
    [
      'A test operation makes the service send endpoint.test.',
      `${ENDPOINTS} › answers 202 and sends endpoint.test, which was not subscribed to`,
    ],
    ['"Send test" in the console does the same.', `${CONSOLE} › is sent a test`],
    [
      'The service sends POST with Content-Type application/json and the three webhook headers.',
      `${DELIVERY} › is a POST of JSON, signed as the library of the specification verifies it`,
    ],
    [
      'The receiver answers 401 or another 4xx on a bad signature.',
      'webhooks/adapters/malformed-requests.test.ts › get the right 4xx, each and all, and leave nothing behind',
    ],
  ),
  ...statementsOf(
    '§5 Authentication',
    ['Every request is authenticated.', `${KEYS} › is required: %s answers 401`],
    [
      'Each scope allows its operations.',
      `${KEYS} › needs for %s the scope %s, and no other`,
      `${CONTRACT} › a key has these scopes (§5)`,
    ],
    [
      'A note that leaves the visibility of a key is reported as note.deleted with access_lost.',
      `${VISIBILITY} › is note.deleted with access_lost to one, and becomes visible to the other without an event`,
    ],
    [
      'The key bytes are the base64url-decoded rest of the secret, padded or not.',
      'webhooks/verifier/signing-secret.test.ts › is %s text after its prefix, padded or not',
    ],
    [
      'signed_content is {webhook-id}.{webhook-timestamp}.{raw body}; the signature is base64 of its HMAC-SHA256.',
      `${DELIVERY} › is a POST of JSON, signed as the library of the specification verifies it`,
      'webhooks/verifier/vectors.test.ts › agrees on every other vector',
    ],
    [
      'Receiver 1: verify against the raw body.',
      `${VERIFIER} › is refused when the body was parsed and serialised again`,
    ],
    [
      'Receiver 2: compare in constant time.',
      'benchmarks/src/constant-time.ts › Does the time to refuse depend on how much of a signature is right?',
    ],
    ['Receiver 3: reject when any of the three headers is missing.', `${VERIFIER} › is refused without %s`],
    [
      'Receiver 4: only v1 entries count, and any one of them may match.',
      `${VERIFIER} › is refused when it names another version of the scheme`,
      `${VERIFIER} › is verified when any of several entries matches`,
    ],
    [
      'Receiver 5: reject timestamps more than 300 seconds from now.',
      `${VERIFIER} › is accepted at %i s from now`,
      `${VERIFIER} › is refused at %i s from now`,
    ],
    [
      'Receiver 6: reject a mismatch with a 4xx.',
      'webhooks/adapters/malformed-requests.test.ts › get the right 4xx, each and all, and leave nothing behind',
    ],
  ),
  ...statementsOf(
    '§6 Events',
    [
      'note.ended: a session has finished and its transcript is available; once per session.',
      `${OWNER} › sends note.ended, with the session and the revision that the transcript raised`,
      `${OWNER} › is one of several: each sends note.ended once, and only the last one gets a summary that was not under way before`,
      `${DELIVERY} › leaves when its content can be read`,
    ],
    [
      'note.summary.generated: a summary has finished generating and is available.',
      `${OWNER} › has its summary generated 5 to 30 seconds later, which raises the revision and is announced`,
    ],
    [
      'note.updated: a visible field changed after the note ended.',
      `${OWNER} › raises the revision and sends note.updated`,
    ],
    [
      'Edits close together are combined into one event.',
      `${DEBOUNCE} › are combined into one event, 5 s after the last edit, which tells the last revision`,
    ],
    [
      'note.deleted: the note is deleted, or leaves the visibility of the key.',
      `${OWNER} › sends note.deleted with reason deleted at a raised revision, and no summary after it`,
      `${VISIBILITY} › is note.deleted with access_lost to one, and becomes visible to the other without an event`,
    ],
    [
      'endpoint.verification and endpoint.test are sent to the endpoint concerned.',
      `${VERIFICATION} › arrives right after the creation, signed with the new secret, and a 2xx answer activates the endpoint`,
      `${ENDPOINTS} › answers 202 and sends endpoint.test, which was not subscribed to`,
    ],
    [
      'The body has event_id, event_type, occurred_at and data.',
      `${OWNER} › sends note.ended, with the session and the revision that the transcript raised`,
      'protocol/reading/read-event.test.ts › is read as it came, with the fields that this version does not know',
    ],
    [
      'Delivery 1: at least once; retries and replays deliver the same event again, receivers skip it.',
      `${DELIVERY} › carries the same message and bytes in every attempt, each signed afresh`,
      'mock-server/delivery/replay.test.ts › delivers the same event in a new message',
      `${CONSOLE} › are replayed: the same event in another message`,
      'webhooks/receiver/order-and-duplicates.test.ts › is skipped when it is replayed, until it is forgotten',
    ],
    [
      'Delivery 2: order is not guaranteed; equal or lower revisions are ignored.',
      'mock-server/delivery/attempt-log.test.ts › lets a later event arrive and be handled before an earlier one',
      'webhooks/receiver/processor.test.ts › ends with every event applied or superseded, none lost, revisions never going down',
    ],
    [
      'Delivery 3: missed changes are found by polling, deletions and lost access by listing all notes.',
      'client/changes/note-changes.test.ts › ends up as the reference service',
      'tests/contract-variants.test.ts › the client lists every note once, in pages of any size, with content and with tombstones',
    ],
  ),
  ...statementsOf(
    '§7 Errors',
    [
      'A signature that does not match, a missing header and a timestamp too far off are answered 4xx.',
      'webhooks/adapters/malformed-requests.test.ts › get the right 4xx, each and all, and leave nothing behind',
    ],
    [
      'Another path or method is answered 404.',
      'webhooks/receiver/admission.test.ts › is the only one answered: %s gets %i',
      'webhooks/receiver/admission.test.ts › is answered 404 for %s',
    ],
    ['A non-2xx status is a failure, and is retried.', `${DELIVERY} › stops being retried with the first 2xx`],
    [
      'No response within 10 seconds is a failure, and is retried.',
      `${DELIVERY} › fails after 10 seconds, and its retry counts from there`,
    ],
    [
      'A redirect is not followed and is a failure.',
      `${PORT} › does not follow a redirect, and counts it as a failure`,
    ],
  ),
  ...statementsOf(
    '§8 Limits',
    [
      'The receiver has 10 seconds.',
      `${CONTRACT} › a receiver answers within 10 seconds (§8)`,
      `${DELIVERY} › tells the receiver that it has gone`,
    ],
    [
      'Up to 7 attempts, with pauses of 30 s, 5 min, 30 min, 2 h, 12 h and 12 h.',
      `${DELIVERY} › is retried to the second: not before, and not after`,
      `${DELIVERY} › is given up after 26 h 36 min 40 s`,
    ],
    ['The tolerance of timestamps is ±300 s.', `${VERIFIER} › is accepted at %i s from now`],
    [
      'An endpoint with many consecutive failed deliveries is disabled.',
      `${DISABLING} › is disabled by the 20th failed attempt, not by the 19th`,
    ],
    [
      'The URL must answer directly over HTTPS.',
      'mock-server/addresses/public-https-sender.test.ts › is not redirected',
      `${POLICY} › makes the API answer 422 to %s, at creation and at a change`,
    ],
    [
      'Secret and key are shown once.',
      `${ENDPOINTS} › lists and shows the endpoints of the integration, without their secrets`,
    ],
  ),
  ...statementsOf(
    '§9 Versioning',
    ['The version is in the path prefix /v1.', `${CONTRACT} › the version is carried in the path prefix /v1 (§9)`],
    [
      'revision increases monotonically and orders the changes of a note.',
      `${OWNER} › raises the revision and sends note.updated`,
    ],
    [
      'The signature scheme is v1 of Standard Webhooks.',
      `${VERIFIER} › is the one that the official library signs`,
      `${VERIFIER} › is refused when it names another version of the scheme`,
    ],
  ),
]
