import { type Draft, group, must, NOT_ROUTED, type Variant } from '../check.ts'
import {
  bodyOf,
  type Delivery,
  eventBody,
  KINDS,
  signerWithRandomKey,
  type TestEvent,
  testEvent,
  testId,
  UNSIGNED,
} from '../delivery.ts'
import { isAccepted } from '../send.ts'

const RULES_3_6 = '§5, receiver rules 3 and 6'

const VERIFY_FIRST =
  'Verify every request first, before you look at its IDs, its kind or its revision, and do not remember results of verifications.'

export const forgeryChecks = group('Forged deliveries', [
  must('forgery.every-kind', 'a forged event', RULES_3_6, {
    fix: 'Verify the signature before you read event_type. Answer no kind of event before that, not even one that you ignore.',
    requires: 'signature.wrong-secret',
    rejects: () => KINDS.flatMap(({ name, event }) => forged(name, event())),
  }),
  must('forgery.known-webhook-id', 'a forged delivery with an accepted webhook-id', RULES_3_6, {
    fix: VERIFY_FIRST,
    requires: 'forgery.every-kind',
    problem: 'does not verify deliveries whose webhook-id it has accepted before',
    rejects: afterAcceptance(({ event, headers }) => {
      const webhookId = headers['webhook-id']
      return [
        ...forged('another event', testEvent(event.event_type), webhookId),
        ...forged('a deletion', testEvent('note.deleted'), webhookId),
        { what: 'a deletion with the accepted signature', body: eventBody('note.deleted'), headers },
      ]
    }),
  }),
  must('forgery.known-note', 'a forged event about a known note', RULES_3_6, {
    fix: VERIFY_FIRST,
    requires: 'forgery.every-kind',
    problem: 'compares revisions before it verifies the signature',
    rejects: afterAcceptance(({ event: { event_type, data } }) =>
      [1, 2].flatMap((revision) => forged(`revision ${revision}`, testEvent(event_type, { ...data, revision }))),
    ),
  }),
  must('forgery.known-event-id', 'a forged delivery with an accepted event_id', RULES_3_6, {
    fix: VERIFY_FIRST,
    requires: 'forgery.every-kind',
    problem: 'recognizes duplicates before it verifies the signature',
    rejects: afterAcceptance(({ event, headers }) => {
      const { 'content-type': _type, 'webhook-id': webhookId, ...signature } = headers
      return [
        ...forged('the same event', event),
        ...forged('the same delivery', event, webhookId),
        ...forged('a deletion with the same event_id', testEvent('note.deleted', {}, { event_id: event.event_id })),
        { what: 'the same event with the accepted signature', ...bodyOf(event), headers: signature },
      ]
    }),
  }),
  must('forgery.other-request', 'a forged delivery of another form', RULES_3_6, {
    fix: 'Verify in the handler of the route, whatever the request looks like, not in a parser or a filter that some requests do not pass.',
    requires: 'signature.wrong-secret',
    expects: NOT_ROUTED,
    sends: ({ url }) => {
      const signer = signerWithRandomKey()
      const withQuery = new URL(url)
      withQuery.searchParams.set('doctor', '1')
      return [
        ...['text/plain', 'application/x-www-form-urlencoded', undefined].map((type) => ({
          what: `Content-Type ${type ?? 'missing'}`,
          signer,
          headers: { 'content-type': type },
        })),
        ...['PUT', 'PATCH'].map((method) => ({ what: method, signer, method })),
        { what: 'with a query', signer, url: withQuery },
        { what: '60 kB', signer, body: eventBody().padEnd(60_000) },
      ]
    },
  }),
  must('forgery.before-valid', 'a valid delivery after forged ones with its IDs', RULES_3_6, {
    fix: 'Store no ID of a delivery that does not verify. Otherwise anyone can suppress events.',
    requires: 'forgery.every-kind',
    accepts: async function* ({ deliver, acceptedKind }) {
      const event = testEvent(acceptedKind ?? 'note.updated')
      const webhookId = testId('attempt')
      for (const { what: _what, ...traits } of forged('', event, webhookId)) await deliver(traits)
      yield { ...bodyOf(event), webhookId }
    },
  }),
])

/** A delivery that the receiver accepted. */
interface Accepted {
  readonly event: TestEvent
  readonly headers: Delivery['headers']
}

/** Has the receiver accept an event of each kind, and sends forged deliveries that reuse something of it. */
function afterAcceptance(forgeries: (accepted: Accepted) => readonly Variant[]): Draft {
  return async function* ({ deliver }) {
    for (const kind of KINDS) {
      const event = kind.event()
      const { reply, delivery } = await deliver(bodyOf(event))
      if (!isAccepted(reply)) continue
      for (const variant of forgeries({ event, headers: delivery.headers })) {
        yield { ...variant, what: `${variant.what}, after a valid ${kind.name}` }
      }
    }
  }
}

/** An event signed with another secret, and one that is not signed. */
export function forged(what: string, event: TestEvent, webhookId?: string): readonly Variant[] {
  const traits = { ...bodyOf(event), ...(webhookId !== undefined && { webhookId }) }
  return [
    { what: `${what}, signed with another secret`, ...traits, signer: signerWithRandomKey() },
    {
      what: `${what}, not signed`,
      ...traits,
      headers: webhookId === undefined ? UNSIGNED : { 'webhook-signature': undefined },
    },
  ]
}
