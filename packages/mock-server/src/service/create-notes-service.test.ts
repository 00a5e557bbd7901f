import { spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { keyIdOf } from '@notewire/protocol'
import { describe, expect, it } from 'vitest'
import { call } from '../../fixtures/call.ts'
import { anInbox } from '../../fixtures/inbox.ts'
import { MockServerError } from '../errors/mock-server-error.ts'
import type { FaultRule } from '../faults/fault-rule.ts'
import { createNotesService } from './create-notes-service.ts'
import type { NotesServiceOptions } from './service-options.ts'

const DISORDERLY: NotesServiceOptions = {
  notes: 20,
  disorder: { duplicated: 0.3, reordered: 0.3, failing: 0.3 },
}

const EVERY_FAULT: readonly FaultRule[] = [
  { delivery: '*', rate: 0.1, fault: { kind: 'reordered' } },
  { delivery: '*', rate: 0.1, fault: { kind: 'delayed', by: '10m' } },
  { delivery: '*', rate: 0.1, fault: { kind: 'corrupted' } },
  { delivery: '*', rate: 0.1, fault: { kind: 'lost', lost: 'answer' } },
  { delivery: '*', rate: 0.1, fault: { kind: 'skewed', seconds: 400 } },
]

/** The same acts every time, with a receiver of random speed. */
async function runService(options: NotesServiceOptions) {
  await using service = await createNotesService(options)
  const slow = anInbox(async () => {
    await new Promise((resolve) => setTimeout(resolve, Math.random() * 5))
    return 204
  })
  const team = service.owner.createChannel('Team')
  const integration = service.owner.createIntegration({ channels: [team] }).issueKey()
  await service.connect(slow.open)
  await service.connect(anInbox().open, { apiKey: integration.key })
  for (const note of service.owner.notes()) note.edit({ title: `${note.note_id}, edited` })
  for (let count = 0; count < 10; count++) service.owner.record().end().moveTo(team)
  await service.settled()
  service.owner.notes()[3]?.delete()
  await service.settled()
  const { body } = await call(service, 'GET /v1/notes?include_deleted=true')
  return { attempts: service.attempts, deliveries: service.deliveries, notes: body, key: integration.key }
}

describe('the same seed and the same acts', () => {
  it('give the same identifiers, times, faults, notes and log, apart from keys and signatures', async () => {
    const options = { ...DISORDERLY, seed: 7, faults: EVERY_FAULT }
    const [one, two] = await Promise.all([runService(options), runService(options)])
    expect(one.attempts.length).toBeGreaterThan(60)
    const unsigned = (run: typeof one) => JSON.stringify(run).replace(/(v1,|_live_\w{12}\.)[\w+/=]+/g, '$1')
    expect(unsigned(two)).toBe(unsigned(one))
    expect(unsigned(two)).toContain('v1,')
  })

  it('give other identifiers to what is created later with another `identifierSeed`, but the same first notes', async () => {
    const [one, two, again] = await Promise.all(
      [1, 2, 2].map(async (identifierSeed) => {
        const service = await createNotesService({ notes: 3, owners: 2, identifierSeed })
        await service.connect(anInbox().open)
        const kept = service.owners.map((owner) => owner.notes().map(({ note_id }) => note_id))
        const created = service.owners.map((owner) => owner.record().end().note_id)
        await service.settled()
        return { kept, created: [created, service.attempts.map(({ body }) => body)] }
      }),
    )
    expect(two?.kept).toEqual(one?.kept)
    expect(again).toEqual(two)
    for (const text of JSON.stringify(one?.created).match(/(note|evt|rec|whe)_\w{20}/g) ?? [])
      expect(JSON.stringify(two?.created)).not.toContain(text)
  })

  it('give other identifiers and faults with another seed', async () => {
    const [one, two] = await Promise.all([
      runService({ ...DISORDERLY, seed: 7 }),
      runService({ ...DISORDERLY, seed: 8 }),
    ])
    expect(two.notes).not.toEqual(one.notes)
    expect(two.key).not.toBe(one.key)
    expect(two.attempts.length).not.toBe(one.attempts.length)
  })
})

describe('keys and signing secrets', () => {
  it.each([{}, { seed: 7 }, { seed: 7, identifierSeed: 3, owners: 2 }])(
    'differ in each service with %j',
    async (options) => {
      const secretsOf = async () => {
        await using service = await createNotesService(options)
        const { endpoint_id, signing_secret } = await service.connect(anInbox().open)
        const rotated = await call<{ signing_secret: string }>(
          service,
          `POST /v1/webhook-endpoints/${endpoint_id}/rotate-secret`,
        )
        const issued = service.owner.createIntegration().issueKey().key
        const others = service.createOwner().apiKey
        return [
          ...service.owners.map(({ apiKey }) => apiKey),
          signing_secret,
          rotated.body.signing_secret,
          issued,
          others,
        ]
      }
      const secrets = [...(await secretsOf()), ...(await secretsOf())].map((secret) =>
        secret.replace(/.*(_live_\w+\.|whsec_)/, ''),
      )
      expect(Math.min(...secrets.map(({ length }) => length))).toBeGreaterThan(30)
      const half = secrets.length / 2
      for (const secret of secrets.slice(0, half)) expect(secrets.slice(half)).not.toContain(secret)
    },
  )
})

describe('the seeded notes', () => {
  it('are of the past weeks, ended, with transcript and summary', async () => {
    await using service = await createNotesService({ notes: 100 })
    const { body } = await call<{ notes: readonly Record<string, string>[] }>(service, 'GET /v1/notes?limit=100')
    expect(body.notes).toHaveLength(100)
    for (const note of body.notes) {
      expect(note).toMatchObject({ status: 'ended', transcript_status: 'ready', summary_status: 'ready', revision: 3 })
      expect(note['title']).toMatch(/^[A-Z].+: .+/)
      expect(Date.parse(note['updated_at'] ?? '')).toBeLessThan(service.clock.now())
      expect(Date.parse(note['created_at'] ?? '')).toBeGreaterThan(service.clock.now() - 43 * 24 * 3_600_000)
      const summary = await call<{ markdown: string }>(service, `GET /v1/notes/${note['note_id']}/summary`)
      expect(summary.body.markdown).toMatch(/^## Summary/)
    }
  })
})

describe('a service', () => {
  it('advances 26 h 40 min without waiting, and leaves nothing pending', async () => {
    await using service = await createNotesService()
    const inbox = anInbox(({ event }) => (event.event_type.startsWith('endpoint.') ? 204 : 503))
    await service.connect(inbox.open)
    const notes = Array.from({ length: 2 }, () => service.owner.record().end())
    for (const note of notes) note.edit({ title: 'Edited' })
    const beganAt = performance.now()
    await service.clock.advance('26h40m')
    // In real time, the first retry alone would take 30 s.
    expect(performance.now() - beganAt).toBeLessThan(30_000)
    const now = service.clock.now()
    await service.settled()
    expect(service.clock.now()).toBe(now)
    expect(service.deliveries.filter(({ status }) => status === 'pending')).toEqual([])
  })

  it('logs every request', async () => {
    await using service = await createNotesService({ notes: 1 })
    await service.clock.advance('1s')
    await call(service, 'GET /v1/notes?limit=1')
    await call(service, 'POST /v1/webhook-endpoints', { body: { url: 3 } })
    await call(service, 'GET /v1/nothing', { key: 'ntw_live_unknown.secret' })
    const at = service.clock.now()
    expect(service.requests).toMatchObject([
      { method: 'GET', path: '/v1/notes', query: { limit: '1' }, body: '', status: 200, at, duration_ms: 0 },
      { method: 'POST', path: '/v1/webhook-endpoints', body: '{"url":3}', status: 422 },
      { path: '/v1/nothing', key_id: undefined, status: 404 },
    ])
    expect(service.requests[0]?.key_id).toBe(keyIdOf(service.apiKey))
    expect(JSON.stringify(service.requests)).not.toContain(service.apiKey)
    expect(service.requests[0]?.request_id).toMatch(/^req_/)
  })

  it('is isolated from a hundred others that run at the same time', async () => {
    const runs = Array.from({ length: 100 }, async (_, seed) => {
      await using service = await createNotesService({ seed, disorder: { duplicated: 0.5 } })
      const inbox = anInbox()
      await service.connect(inbox.open)
      const own = Array.from({ length: 5 }, () => service.owner.record().end().note_id)
      await service.settled()
      const delivered = inbox.received
        .map(({ event }) => event.data)
        .flatMap((data) => ('note_id' in data ? data.note_id : []))
      expect(new Set(delivered)).toEqual(new Set(own))
      return own
    })
    const notes = (await Promise.all(runs)).flat()
    expect(new Set(notes).size).toBe(500)
  })

  it('leaves no timer or socket after it is closed, so that the process ends', async () => {
    const script = fileURLToPath(new URL('../../fixtures/ends-by-itself.ts', import.meta.url))
    const child = spawn(process.execPath, ['--conditions=@notewire/source', script], {
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    const output: string[] = []
    child.stdout.on('data', (chunk) => output.push(String(chunk)))
    child.stderr.on('data', (chunk) => output.push(String(chunk)))
    const { promise, resolve } = Promise.withResolvers<number | null>()
    child.once('exit', resolve)
    let closedAt = Number.POSITIVE_INFINITY
    child.stdout.once('data', () => {
      closedAt = performance.now()
    })
    expect(await promise).toBe(0)
    expect(output.join('')).toBe('closed')
    // The script sleeps on the clock for a minute, which must not delay the end of the process.
    expect(performance.now() - closedAt).toBeLessThan(50_000)
  })

  it('delivers nothing after it is closed, and can be closed twice', async () => {
    const service = await createNotesService()
    const inbox = anInbox()
    await service.connect(inbox.open)
    service.owner.record().end()
    await service.close()
    await service.close()
    await service.settled()
    expect(inbox.kinds).toEqual([])
    expect(service.attempts).toHaveLength(1)
  })
})

describe('a wrong option', () => {
  it.each([
    ['an unknown option', { nots: 3 }, 'nots'],
    ['a seed that is not a whole number', { seed: 0.5 }, 'seed'],
    ['a seed that is text', { seed: 'abc' }, 'seed'],
    ['a negative number of notes', { notes: -1 }, 'notes'],
    ['half a note', { notes: 1.5 }, 'notes'],
    ['an unknown clock', { clock: 'unknown' }, 'clock'],
    ['an unknown variant of the contract', { contract: { replay: true } }, 'contract.replay'],
    ['an unknown URL policy', { urlPolicy: 'public' }, 'urlPolicy'],
    ['faults that are not a list', { faults: {} }, 'faults'],
  ])('is named by the error: %s', async (_, options, name) => {
    const created = createNotesService(options as NotesServiceOptions)
    await expect(created).rejects.toThrow(MockServerError)
    await expect(created).rejects.toMatchObject({ code: 'option_invalid', option: name })
  })
})
