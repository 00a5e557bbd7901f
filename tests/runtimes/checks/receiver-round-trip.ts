import { createReceiver } from '@notewire/webhooks'

const KEY = new TextEncoder().encode('a key of thirty-two bytes in all')
const SECRET = `whsec_${btoa(String.fromCharCode(...KEY))}`

const applied: string[] = []
const outcomes: string[] = []

// Made outside of any request, as users make theirs, where Workers allow neither timers nor randomness.
const receiver = createReceiver({
  secret: SECRET,
  on: {
    'note.updated': async ({ event_id, data }) => {
      if (event_id === 'evt_slow') await new Promise((resolve) => setTimeout(resolve, 100))
      applied.push(`${data.note_id} at ${data.revision}`)
    },
  },
  logger: { info: () => undefined, warn: () => undefined, error: () => undefined },
  hooks: { onOutcome: ({ status }) => outcomes.push(status), onRefused: (reason) => outcomes.push(reason) },
})

/** Signs deliveries with WebCrypto, which every runtime has, and hands them to a receiver. */
export async function receiverRoundTrip() {
  const delivery = await signed(anUpdate('evt_1', 7))
  const statuses = {
    delivered: await deliver(delivery),
    duplicate: await deliver(delivery),
    stale: await deliver(await signed(anUpdate('evt_2', 6))),
    tampered: await deliver({ ...delivery, body: anUpdate('evt_3', 8) }),
    old: await deliver(await signed(anUpdate('evt_4', 9), Date.now() - 400_000)),
    'not an event': await deliver(await signed('{}')),
    'of another method': await deliver({ method: 'GET' }),
    'two of one note at once': await deliverTwoAtOnce(),
  }
  await receiver.close()
  return { statuses, outcomes, applied, 'after closing': await deliver(await signed(anUpdate('evt_5', 12))) }
}

/** The second event finds its note busy until the handler of the first ends. */
async function deliverTwoAtOnce(): Promise<readonly number[]> {
  const [first, second] = [await signed(anUpdate('evt_slow', 10)), await signed(anUpdate('evt_next', 11))]
  return await Promise.all([deliver(first), deliver(second)])
}

async function deliver(attempt: RequestInit): Promise<number> {
  return (await receiver.fetch(new Request('https://receiver.example/notes', attempt))).status
}

function anUpdate(eventId: string, revision: number): string {
  return JSON.stringify({
    event_id: eventId,
    event_type: 'note.updated',
    occurred_at: '2026-01-01T09:00:00.000Z',
    data: { note_id: 'nöte-🎻', revision, transcript_status: 'ready', summary_status: 'ready' },
  })
}

async function signed(body: string, signedAt = Date.now()): Promise<RequestInit> {
  const webhookId = `msg_${crypto.randomUUID()}`
  const timestamp = String(Math.floor(signedAt / 1000))
  const key = await crypto.subtle.importKey('raw', KEY, { name: 'HMAC', hash: 'SHA-256' }, false, ['sign'])
  const content = new TextEncoder().encode(`${webhookId}.${timestamp}.${body}`)
  const signature = btoa(String.fromCharCode(...new Uint8Array(await crypto.subtle.sign('HMAC', key, content))))
  const headers = {
    'webhook-id': webhookId,
    'webhook-timestamp': timestamp,
    'webhook-signature': `v1,${signature}`,
  }
  return { method: 'POST', headers, body }
}
