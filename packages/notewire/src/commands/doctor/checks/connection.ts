import { isLoopback } from '@notewire/protocol'
import { failed, group, must, notTested, type Outcome, passed, should } from '../check.ts'
import { diagnoseRejection, unacceptedNoteEvent } from '../diagnosis.ts'
import type { Examination } from '../examination.ts'
import { causeOfLoss } from '../lost-event.ts'
import { describeExchange, isAccepted, seconds } from '../send.ts'

const ENDPOINT = '§2, webhook endpoint'

export const connectionChecks = group('Connection and valid delivery', [
  must('connection.reachable', 'The receiver answers at its URL', ENDPOINT, {
    fix: 'Start the receiver, and check the host, the port and the certificate. The service only delivers to public addresses with a valid certificate.',
    always: true,
    problem: 'cannot be reached',
    run: async ({ first }) => {
      const seen = describeExchange(first)
      return first.reply.kind === 'unreachable' ? failed(first, seen) : passed(seen)
    },
  }),
  should('connection.https', 'The URL is https', ENDPOINT, {
    fix: 'Let a proxy terminate TLS and pass the requests on to the receiver. The service only registers https URLs, and over http anyone on the network can read and replay deliveries.',
    always: true,
    problem: 'has an http URL: anyone on the network can read and replay deliveries',
    run: async ({ url, first }) => {
      if (url.protocol === 'https:') return passed('the URL is https')
      if (isLoopback(url.hostname)) return notTested('the receiver is on this machine; register an https URL')
      return failed(first, 'the URL is http')
    },
  }),
  must('connection.no-redirect', 'The receiver answers without a redirect', '§3, delivery; §8', {
    fix: 'Register the URL that the redirect points to, or remove the redirect. Usual reasons: a trailing slash (APPEND_SLASH in Django, trailingSlash in Next.js), http to https, www.',
    always: true,
    problem: 'answers with a redirect, which the service does not follow',
    run: async ({ first }) => {
      const { reply } = first
      if (reply.kind !== 'answered') return notTested('the receiver did not answer')
      const seen = describeExchange(first)
      if (reply.status < 300 || reply.status >= 400) return passed(seen)
      const target = reply.location === undefined ? null : URL.parse(reply.location, first.delivery.url)
      // The query and the credentials of the target may be secret.
      return failed(first, target === null ? seen : `${seen}, to ${target.origin}${target.pathname}`)
    },
  }),
  must('delivery.valid', 'A valid note.ended is accepted (2xx)', '§4, receiver contract', {
    fix: 'Fix this first: most other checks need it. Answer 204 if the signature is valid and the event is stored or applied.',
    always: true,
    problem: 'accepts no valid note.ended',
    run: testValidDelivery,
  }),
])

async function testValidDelivery(examination: Examination): Promise<Outcome> {
  const { first, acceptedKind } = examination
  if (isAccepted(first.reply)) return passed(describeExchange(first))
  if (first.reply.kind === 'unreachable') return notTested('the receiver could not be reached')
  if (first.reply.kind === 'timed-out')
    return failed(first, describeExchange(first), `no answer within ${seconds(first.reply.afterMs)}`)
  const seen = `${describeExchange(first)}; expected a 2xx`
  const lost = await causeOfLoss(examination, first)
  if (lost?.isCertain) return failed(first, seen, lost.cause)
  if (acceptedKind === 'endpoint.test') return await unacceptedNoteEvent(examination, first, seen)
  const cause =
    acceptedKind === undefined
      ? await diagnoseRejection(examination)
      : `the receiver accepts ${acceptedKind}, so the signature is right: the handler of note.ended fails`
  return failed(first, seen, cause)
}
