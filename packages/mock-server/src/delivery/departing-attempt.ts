import { SIGNATURE_HEADERS } from '@notewire/protocol'
import type { Attempt } from './attempt.ts'
import type { AttemptFate } from './attempt-fate.ts'
import type { Dispatch } from './dispatch.ts'

/** A new attempt of a delivery, with a new signature and the current time of the service (contract §5). */
export function departingAttempt(
  { delivery, endpoint }: Dispatch,
  { webhook_id, now, fate }: { readonly webhook_id: string; readonly now: number; readonly fate: AttemptFate },
): Attempt {
  const { delivery_id, event_id, event_type, endpoint_id, body } = delivery
  const { secrets } = endpoint
  const signed = { webhook_id, body, at: now + fate.skewMs }
  return {
    delivery_id,
    event_id,
    event_type,
    endpoint_id,
    webhook_id,
    attempt: delivery.attempts,
    duplicate: false,
    at: now,
    duration_ms: 0,
    url: endpoint.url,
    headers: {
      'content-type': 'application/json',
      [SIGNATURE_HEADERS.id]: webhook_id,
      [SIGNATURE_HEADERS.timestamp]: String(Math.floor(signed.at / 1000)),
      [SIGNATURE_HEADERS.signature]: fate.signedByOldSecret ? secrets.signOutdated(signed) : secrets.sign(signed, now),
    },
    body: fate.corrupted === undefined ? body : withAnotherCharacterAt(fate.corrupted, body),
    faults: fate.faults,
    outcome: { kind: 'in_flight' },
    response: undefined,
  }
}

/** @param where  from 0, the first character, up to 1, the last */
function withAnotherCharacterAt(where: number, body: string): string {
  const index = Math.floor(where * body.length)
  const other = body[index] === 'x' ? 'y' : 'x'
  return body.slice(0, index) + other + body.slice(index + 1)
}
