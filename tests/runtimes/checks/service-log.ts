import { createNotesService } from '@notewire/mock-server'

/** The digest of all that a service wrote down in a life full of faults, except its secrets, before receivers whose own speed is left to chance. */
export async function serviceLog() {
  await using service = await createNotesService({
    seed: 7,
    notes: 20,
    disorder: { duplicated: 0.3, reordered: 0.3, failing: 0.3 },
    faults: [
      { delivery: '*', rate: 0.1, fault: { kind: 'reordered' } },
      { delivery: '*', rate: 0.1, fault: { kind: 'corrupted' } },
      { request: 'GET /v1/**', rate: 0.3, fault: { kind: 'status', status: 503 } },
      { request: 'GET /v1/**', rate: 0.3, fault: { kind: 'latency', by: '3s' } },
    ],
  })
  await service.connect(() => async () => {
    await new Promise((resolve) => setTimeout(resolve, Math.random() * 3))
    return new Response(null, { status: 204 })
  })
  const team = service.owner.createChannel('Team')
  for (const [index, note] of service.owner.notes().entries()) {
    note.edit({ title: `${note.note_id}, edited` })
    if (index % 3 === 0) note.moveTo(team)
  }
  for (let note = 0; note < 10; note++) service.owner.record().end()
  await service.clock.advance('26h40m')
  const headers = { authorization: `Bearer ${service.apiKey}` }
  for (let request = 0; request < 20; request++) {
    await service.fetch(new Request(`${service.baseUrl}/v1/notes`, { headers }))
  }
  const { attempts, deliveries, requests } = service
  const written = new TextEncoder().encode(JSON.stringify({ attempts, deliveries, requests }, withoutSecrets))
  const digest = new Uint8Array(await crypto.subtle.digest('SHA-256', written))
  return {
    attempts: attempts.length,
    digest: Array.from(digest, (byte) => byte.toString(16).padStart(2, '0')).join(''),
  }
}

/** Leaves out what depends on the secrets, which are random in every service. */
function withoutSecrets(name: string, value: unknown): unknown {
  return ['authorization', 'signing_secret', 'webhook-signature'].includes(name) ? undefined : value
}
