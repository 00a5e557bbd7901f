import { isLoopback } from '../../loopback.ts'
import type { Bench } from '../bench.ts'
import { type CheckGroup, held, missed, type Observation, untested } from '../check.ts'
import { diagnoseRefusal } from '../diagnosis.ts'
import { describeExchange, isAcknowledged, isRedirect } from '../reply.ts'

/** Whether deliveries get through at all (contract §2 to §4). */
export const connection: CheckGroup = {
  title: 'Connection and valid delivery',
  checks: [
    {
      id: 'connection.reachable',
      title: 'The receiver answers at its URL',
      section: '§2, webhook endpoint',
      severity: 'must',
      fix: 'Start the receiver, and look at host, port and certificate. The service reaches public addresses with valid certificates alone.',
      withoutValidDelivery: true,
      examine: async ({ first }) => {
        const seen = describeExchange(first)
        return first.reply.kind === 'unreachable' ? missed(first, seen) : held(seen)
      },
    },
    {
      id: 'connection.https',
      title: 'The URL is https',
      section: '§2, webhook endpoint',
      severity: 'should',
      fix: 'Put the receiver behind a proxy that ends TLS: the service registers https URLs alone, and over http anybody on the way reads and repeats deliveries.',
      withoutValidDelivery: true,
      examine: async ({ url, first }) => {
        if (url.protocol === 'https:') return held('the URL is https')
        if (isLoopback(url.hostname)) return untested('the receiver is on this machine; register an https URL')
        return missed(first, 'the URL is http')
      },
    },
    {
      id: 'connection.no-redirect',
      title: 'The receiver answers directly, without a redirect',
      section: '§3, delivery; §8',
      severity: 'must',
      fix: 'Register the URL that the redirect leads to, or take the redirect away: a missing slash at the end (Django: APPEND_SLASH; Next: trailingSlash), http to https, www.',
      withoutValidDelivery: true,
      examine: async ({ first }) => {
        if (first.reply.kind !== 'answered') return untested('there was no answer')
        if (!isRedirect(first.reply)) return held(describeExchange(first))
        return missed(first, `${describeExchange(first)}${whereTo(first.reply.location, first.delivery.url)}`)
      },
    },
    {
      id: 'delivery.valid',
      title: 'A valid note.ended is acknowledged with a 2xx',
      section: '§4, receiver contract',
      severity: 'must',
      fix: 'Begin here, since everything else rests on it: answer 204 once the signature is right and the event is stored or applied.',
      withoutValidDelivery: true,
      examine: examineValidDelivery,
    },
  ],
}

async function examineValidDelivery(bench: Bench): Promise<Observation> {
  const { first, acceptedKind } = bench
  if (isAcknowledged(first.reply)) return held(describeExchange(first))
  if (first.reply.kind === 'unreachable') return untested('the receiver could not be reached')
  const seen = `${describeExchange(first)}, where a 2xx is due`
  const cause =
    acceptedKind === undefined
      ? await diagnoseRefusal(bench)
      : `${acceptedKind} is taken, so that the signature is not at fault: the handler of note.ended fails. The note of this delivery does not exist; one that was deleted meanwhile does not either, and a 404 of the service must not fail its event`
  return missed(first, seen, { cause })
}

// Of a redirect's target neither query nor credentials: they may be secret.
function whereTo(location: string | undefined, from: URL): string {
  const target = location === undefined ? null : URL.parse(location, from)
  return target === null ? '' : `, to ${target.origin}${target.pathname}`
}
