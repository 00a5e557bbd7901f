import { createHmac, randomBytes } from 'node:crypto'
import type { RoutedAttempt } from '@notewire/webhooks'

/** A delivery, signed by the service's scheme and by the schemes of the compared libraries. */
export interface SignedDelivery {
  readonly body: Buffer
  /** Standard Webhooks, scheme v1. */
  readonly headers: Readonly<Record<string, string>>
  /** `t=…,v1=…`, hexadecimal. */
  readonly stripeSignature: string
  /** `sha256=…`, hexadecimal. */
  readonly githubSignature: string
}

export const KEY = randomBytes(32)
export const SECRET = `whsec_${KEY.toString('base64url')}`
/** The same key in the alphabet that the compared libraries decode. */
export const PEER_SECRET = `whsec_${KEY.toString('base64')}`
/** For libraries that use the text of the secret as the key. */
export const TEXT_SECRET = `whsec_${KEY.toString('hex')}`

/** Signs distinct events of about `bytes` bytes each. They concern a thousand notes with increasing revisions. */
export function signDeliveries(count: number, bytes: number): readonly SignedDelivery[] {
  const timestamp = Math.floor(Date.now() / 1000)
  return Array.from({ length: count }, (_, index) => sign(anEventOf(index, bytes), `msg_${index}`, timestamp))
}

/** A delivery as an adapter passes it to the receivers of many integrations. */
export function attemptOf(delivery: SignedDelivery | undefined, integration: string): RoutedAttempt {
  if (delivery === undefined) throw new Error('no deliveries were signed')
  const { headers, body } = delivery
  return { method: 'POST', path: '/', headers, integration, readBody: async () => ({ status: 'read', bytes: body }) }
}

function anEventOf(index: number, bytes: number): Buffer {
  const event = {
    event_id: `evt_${String(index).padStart(20, '0')}`,
    event_type: 'note.updated',
    occurred_at: new Date().toISOString(),
    data: {
      note_id: `note_${String(index % 1000).padStart(20, '0')}`,
      revision: 1 + Math.floor(index / 1000),
      recording_session_id: null,
      transcript_status: 'ready',
      summary_status: 'pending',
      extension: '',
    },
  }
  const padding = bytes - Buffer.byteLength(JSON.stringify(event))
  return Buffer.from(JSON.stringify({ ...event, data: { ...event.data, extension: 'x'.repeat(Math.max(0, padding)) } }))
}

function sign(body: Buffer, id: string, timestamp: number): SignedDelivery {
  const standard = createHmac('sha256', KEY).update(`${id}.${timestamp}.`).update(body).digest('base64')
  const stripe = createHmac('sha256', TEXT_SECRET).update(`${timestamp}.`).update(body).digest('hex')
  const github = createHmac('sha256', TEXT_SECRET).update(body).digest('hex')
  return {
    body,
    headers: { 'webhook-id': id, 'webhook-timestamp': String(timestamp), 'webhook-signature': `v1,${standard}` },
    stripeSignature: `t=${timestamp},v1=${stripe}`,
    githubSignature: `sha256=${github}`,
  }
}
