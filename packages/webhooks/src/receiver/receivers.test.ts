import { describe, expect, it, onTestFinished } from 'vitest'
import type { ManualClock } from '../../fixtures/manual-clock.ts'
import { passingHeaders } from '../../fixtures/passing-headers.ts'
import { secretOf } from '../../fixtures/secret-of.ts'
import { setUpMany } from '../../fixtures/set-up-many.ts'
import { storeWith } from '../../fixtures/store-with.ts'
import type { ErrorAnswer } from '../interfaces/answer.ts'
import { memoryStore } from '../stores/memory-store.ts'
import { anEvent } from '../testing/an-event.ts'
import { signAttempt } from '../testing/sign-attempt.ts'
import { createReceivers } from './receiver.ts'

/** What a request may name and no integration can be called: what routers decode, and what they leave. */
const MALFORMED = [
  undefined,
  '',
  '.',
  '..',
  '%2e%2e',
  'a/b',
  'a b',
  'acme\n',
  'acme\0',
  'ACME%20',
  'ä',
  '\u202eacme',
  'x'.repeat(129),
  'x'.repeat(100_000),
  7,
  null,
  ['acme'],
  { toString: () => 'acme' },
] as unknown as (string | undefined)[]

describe('a delivery to the receivers of many integrations', () => {
  it('is handled with the integration that it names', async () => {
    const { deliver, handled, outcomes } = setUpMany()
    const event = anEvent({ kind: 'note.updated', eventId: 'evt_1' })
    expect((await deliver('acme', event)).status).toBe(204)
    expect((await deliver('globex', event)).status).toBe(204)
    expect(handled).toEqual([
      ['acme', 'evt_1'],
      ['globex', 'evt_1'],
    ])
    expect(outcomes).toEqual([
      ['acme', 'applied'],
      ['globex', 'applied'],
    ])
  })

  it('is answered 503, not 404, while the list of its secrets has only gaps: the integration exists', async () => {
    const { deliver } = setUpMany({ secretOf: (id) => (id === 'acme' ? [null, secretOf(id)] : [null, null]) })
    expect((await deliver('acme', anEvent({ kind: 'note.updated' }))).status).toBe(204)
    expect((await deliver('globex', anEvent({ kind: 'note.updated' }))).status).toBe(503)
  })

  it('is deduplicated and ordered within its integration (§6)', async () => {
    const { deliver, outcomes } = setUpMany()
    const newer = anEvent({ kind: 'note.updated', eventId: 'evt_2', revision: 7 })
    const older = anEvent({ kind: 'note.updated', eventId: 'evt_1', revision: 6 })
    await deliver('acme', newer)
    await deliver('acme', newer)
    await deliver('acme', older)
    await deliver('globex', older)
    await deliver('globex', newer)
    expect(outcomes.map(([, status]) => status)).toEqual(['applied', 'duplicate', 'stale', 'applied', 'applied'])
  })

  it('is refused when another integration signed it', async () => {
    const { deliver, handled } = setUpMany()
    expect((await deliver('acme', anEvent({ kind: 'note.updated' }), secretOf('globex'))).status).toBe(401)
    expect(handled).toEqual([])
  })

  it('does not wait for a note of the same id of another integration, and is woken by its own', async () => {
    const begun = new Map<string, () => void>()
    const { deliver, clock } = setUpMany({
      on: {
        'note.updated': ({ data }, { integration }) =>
          new Promise<void>((resolve) => begun.set(`${integration} ${data.revision}`, resolve)),
      },
    })
    const deliverRevision = async (integration: string, revision: number) => {
      const answer = deliver(integration, anEvent({ kind: 'note.updated', revision }))
      await clock.advance(0)
      return answer
    }
    const [first, waiting, elsewhere] = [
      deliverRevision('acme', 1),
      deliverRevision('acme', 2),
      deliverRevision('globex', 1),
    ]
    await clock.advance(0)
    expect([...begun.keys()]).toEqual(['acme 1', 'globex 1'])
    begun.get('globex 1')?.()
    expect((await elsewhere).status).toBe(204)
    begun.get('acme 1')?.()
    expect((await first).status).toBe(204)
    await clock.advance(0)
    begun.get('acme 2')?.()
    expect((await waiting).status).toBe(204)
  })
})

describe('an id', () => {
  it.each(MALFORMED.map((id) => [id]))(
    'that is missing or malformed gets 404, and nothing is asked: %.20j',
    async (id) => {
      const asked: unknown[] = []
      const { deliver, read, logger, handled } = setUpMany({
        secretOf: (integration) => {
          asked.push(integration)
          return secretOf('none')
        },
        store: storeWith(memoryStore(), { claim: () => Promise.reject(new Error('asked')) }),
      })
      const answer = await deliver(id, anEvent({ kind: 'note.updated' }))
      expect(answer.error).toEqual({ status: 404, code: 'integration_unknown' })
      expect({ asked, read, handled }).toEqual({ asked: [], read: [], handled: [] })
      expect(logger.lines).toEqual([
        'warn the receiver refused a request before checking its signature ' +
          '{"status":404,"code":"integration_unknown","more_since_last_line":0}',
      ])
    },
  )

  it.each([undefined, null])('for which the function returns %s gets 404, and no body is read', async (none) => {
    const { deliver, read } = setUpMany({ secretOf: (_integration) => none })
    expect((await deliver('forged', anEvent({ kind: 'note.updated' }))).status).toBe(404)
    expect(read).toEqual([])
  })

  it('is never "default" unless it says so', async () => {
    const asked: string[] = []
    const { receiver, deliver } = setUpMany({ secretOf: (integration) => void asked.push(integration) })
    const request = () => new Request('https://receiver.test/', { method: 'POST', body: '{}' })
    for (const id of [undefined, '', 'nobody']) expect((await receiver.for(id).fetch(request())).status).not.toBe(204)
    await deliver('default', anEvent({ kind: 'note.updated' }))
    expect(asked).toEqual(['default'])
  })

  it('is not asked for before the headers are checked (§5)', async () => {
    const asked: string[] = []
    const { receiver, clock } = setUpMany({ secretOf: (integration) => void asked.push(integration) })
    const headers = await passingHeaders(clock.now() - 301_000)
    const readBody = () => Promise.reject(new Error('read'))
    const answer = await receiver.respond({ method: 'POST', path: '/', headers, readBody, integration: 'acme' })
    expect({ status: answer.status, asked }).toEqual({ status: 401, asked: [] })
  })

  it.each(['__proto__', 'constructor', 'toString', 'hasOwnProperty'])('may be %s', async (id) => {
    const { deliver, handled, receiver } = setUpMany({ secretOf: (integration) => secretOf(integration) })
    const event = anEvent({ kind: 'note.updated' })
    expect((await deliver(id, event)).status).toBe(204)
    expect(handled).toEqual([[id, event.event_id]])
    expect(await receiver.forget(event.event_id, { integration: id })).toBe('forgotten')
  })

  it.each(['__proto__', 'constructor'])(
    'that is a property of an object of secrets verifies nothing: %s',
    async (id) => {
      const secrets: Readonly<Record<string, string>> = { acme: secretOf('acme') }
      const { deliver } = setUpMany({ secretOf: (integration) => secrets[integration] })
      expect((await deliver(id, anEvent({ kind: 'note.updated' }))).status).toBe(503)
      expect((await deliver('acme', anEvent({ kind: 'note.updated' }))).status).toBe(204)
    },
  )
})

describe('a forged id', () => {
  it('is told to no hook and no log, whatever becomes of it', async () => {
    const told: string[] = []
    const tell = (...what: unknown[]) => told.push(JSON.stringify(what))
    const { deliver, logger, clock, receiver } = setUpMany({
      hooks: { onRefused: tell, onErrorAnswer: tell },
      secretOf: (integration) => {
        if (integration.startsWith('throws')) throw new Error('away')
        if (integration.startsWith('hangs')) return new Promise<never>(() => undefined)
        return integration === 'acme' ? secretOf('acme') : undefined
      },
    })
    const event = anEvent({ kind: 'note.updated' })
    for (let count = 0; count < 200; count += 1) await deliver(`forged-${count}`, event)
    await clock.advance(10_000)
    await deliver('throws-forged', event)
    const hanging = deliver('hangs-forged', event)
    await clock.advance(8_000)
    await hanging
    const headers = await passingHeaders(0)
    const readBody = () => Promise.reject(new Error('read'))
    await receiver.respond({ method: 'POST', path: '/', headers, readBody, integration: 'forged-headers' })
    expect(told.length).toBeGreaterThan(200)
    expect([...told, ...logger.lines].filter((line) => line.includes('forged'))).toEqual([])
    expect(logger.lines.length).toBeLessThan(10)
  })

  it('gets 503 with Retry-After if its lookup has waited 2 s for others, and the service tries again (§8)', async () => {
    const errors: (ErrorAnswer | undefined)[] = []
    const { clock, deliver } = setUpMany({ secretOf: (_integration) => new Promise<never>(() => undefined) })
    const event = anEvent({ kind: 'note.updated' })
    const deliveries = Array.from({ length: 33 }, async (_, index) => {
      const answer = await deliver(`forged-${index}`, event)
      errors.push(answer.error)
      return answer
    })
    await nextTurns(clock)
    await clock.advance(2_000)
    expect(errors).toEqual([{ status: 503, code: 'lookups_limited' }])
    await clock.advance(6_000)
    const answers = await Promise.all(deliveries)
    expect(answers.find(({ error }) => error?.code === 'lookups_limited')?.headers).toMatchObject({
      'retry-after': '30',
    })
    expect(answers.filter(({ error }) => error?.code === 'secret_missing')).toHaveLength(32)
  })
})

describe('a known integration', () => {
  it('is named in hooks and log lines', async () => {
    const told: unknown[] = []
    const tell = (...what: unknown[]) => told.push(what.at(-1))
    const { deliver, logger } = setUpMany({
      on: { 'note.updated': () => fail() },
      hooks: { onOutcome: tell, onVerified: tell, onRefused: tell, onErrorAnswer: tell, onDrift: tell },
    })
    const event = anEvent({ kind: 'note.updated' })
    await deliver('acme', { ...event, occurred_at: 7 })
    await deliver('acme', event, secretOf('forged'))
    await deliver('acme', { event_id: 7 })
    expect(told.length).toBeGreaterThanOrEqual(7)
    expect(told.filter((context) => JSON.stringify(context) !== '{"integration":"acme"}')).toEqual([])
    expect(logger.lines.length).toBeGreaterThanOrEqual(4)
    expect(logger.lines.filter((line) => !line.includes('"integration":"acme"'))).toEqual([])
  })

  it('is named by the logger of its handlers', async () => {
    const { deliver, logger } = setUpMany({
      on: { 'note.updated': (_event, context) => context.logger.info('done') },
    })
    await deliver('acme', anEvent({ kind: 'note.updated', eventId: 'evt_1' }))
    expect(logger.lines).toEqual(['info done {"integration":"acme","event_id":"evt_1","event_type":"note.updated"}'])
  })

  it.each<[string, string, RegExp]>([
    ['malformed', 'not a secret', /returned no usable secret.*"integration":"odd".*does not start with/],
    ['empty', '', /no signing secret is known.*"integration":"odd"/],
  ])('whose secret is %s gets 503 and a line, and others go on', async (_what, secret, line) => {
    const { deliver, logger } = setUpMany({ secretOf: (id) => (id === 'odd' ? secret : secretOf(id)) })
    expect((await deliver('odd', anEvent({ kind: 'note.updated' }))).status).toBe(503)
    expect((await deliver('acme', anEvent({ kind: 'note.updated' }))).status).toBe(204)
    expect(logger.lines).toEqual([expect.stringMatching(line)])
  })

  it.each([
    ['throws', () => fail()],
    ['rejects', () => Promise.reject(new Error('secret of the vault'))],
    ['hangs', () => new Promise<never>(() => undefined)],
  ])('whose function %s gets 503, and others go on', async (_what, failing) => {
    const { deliver, clock, logger, read } = setUpMany({
      secretOf: (id) => (id === 'odd' ? failing() : secretOf(id)),
    })
    const odd = deliver('odd', anEvent({ kind: 'note.updated' }))
    expect((await deliver('acme', anEvent({ kind: 'note.updated' }))).status).toBe(204)
    await clock.advance(8_000)
    expect((await odd).error).toEqual({ status: 503, code: 'secret_missing' })
    expect(read).toEqual(['acme'])
    expect(logger.lines.join()).not.toContain('vault')
  })

  it('gets 503, not 401, if its signature does not match and the secret cannot be looked up again', async () => {
    let isAway = false
    const { deliver } = setUpMany({ secretOf: (integration) => (isAway ? fail() : secretOf(integration)) })
    const event = anEvent({ kind: 'note.updated' })
    expect((await deliver('acme', event)).status).toBe(204)
    isAway = true
    for (let attempt = 0; attempt < 2; attempt += 1) {
      const { error } = await deliver('acme', event, secretOf('acme', 2))
      expect(error).toEqual({ status: 503, code: 'secret_missing' })
    }
    isAway = false
    expect((await deliver('acme', event, secretOf('acme', 2))).status).toBe(401)
  })

  it('is one of 1,000 that deliver to a new process at the same moment', async () => {
    const { receiver } = setUpMany({
      secretOf: async (integration) => {
        await new Promise((resolve) => setTimeout(resolve, 5))
        return secretOf(integration)
      },
    })
    const statuses = await Promise.all(
      Array.from({ length: 1_000 }, async (_, index) => {
        const headers = await passingHeaders(Date.parse('2026-01-01T09:00:00.000Z'))
        const readBody = async () => ({ status: 'read' as const, bytes: new Uint8Array() })
        const attempt = { method: 'POST', path: '/', headers, readBody, integration: `i-${index}` }
        return (await receiver.respond(attempt)).status
      }),
    )
    // The secret is found, and the signature does not match.
    expect(new Set(statuses)).toEqual(new Set([401]))
  })

  it('verifies by a rotated secret at once, and by a forgotten one no more', async () => {
    const secrets = new Map([['acme', secretOf('acme')]])
    const { deliver, receiver } = setUpMany({ secretOf: (integration) => secrets.get(integration) })
    const event = anEvent({ kind: 'note.updated' })
    expect((await deliver('acme', event, secretOf('acme'))).status).toBe(204)
    secrets.set('acme', secretOf('acme', 2))
    expect((await deliver('acme', event, secretOf('acme', 2))).status).toBe(204)
    expect((await deliver('acme', event, secretOf('acme'))).status).toBe(401)
    secrets.delete('acme')
    expect((await deliver('acme', event, secretOf('acme', 2))).status).toBe(204)
    receiver.forgetSecret('acme')
    expect((await deliver('acme', event, secretOf('acme', 2))).status).toBe(404)
  })

  it('is not verified by a secret that was forgotten while the body arrived', async () => {
    const secrets = new Map([['acme', secretOf('acme')]])
    const { receiver, clock } = setUpMany({ secretOf: (integration) => secrets.get(integration) })
    const { headers, body } = await signAttempt(secretOf('acme'), anEvent({ kind: 'note.updated' }), {
      signedAt: clock.now(),
    })
    const answer = await receiver.respond({
      method: 'POST',
      path: '/',
      headers,
      integration: 'acme',
      readBody: async () => {
        secrets.clear()
        receiver.forgetSecret('acme')
        return { status: 'read', bytes: new TextEncoder().encode(body) }
      },
    })
    expect(answer.status).toBe(404)
  })

  it('is one of ten thousand, each of which is asked for once', async () => {
    let asked = 0
    const { deliver, handled } = setUpMany({
      secretOf: (integration) => {
        asked += 1
        return secretOf(integration)
      },
    })
    for (let index = 0; index < 10_000; index += 1) {
      const { status } = await deliver(`i-${index}`, anEvent({ kind: 'note.updated', eventId: 'evt_1' }))
      if (status !== 204) throw new Error(`i-${index} got ${status}`)
    }
    await deliver('i-0', anEvent({ kind: 'note.updated', revision: 2 }))
    expect({ asked, handled: handled.length }).toEqual({ asked: 10_000, handled: 10_001 })
  })
})

describe('the receivers of many integrations', () => {
  it('answer a Request by for(id).fetch', async () => {
    const { receiver, clock, handled } = setUpMany()
    const post = async (id: string | undefined) => {
      const attempt = await signAttempt(secretOf('acme'), anEvent({ kind: 'note.updated', eventId: 'evt_1' }), {
        signedAt: clock.now(),
      })
      const request = new Request('https://receiver.test/', { method: 'POST', ...attempt })
      return (await receiver.for(id).fetch(request)).status
    }
    expect([await post('acme'), await post('globex'), await post(undefined), await post('..')]).toEqual([
      204, 401, 404, 404,
    ])
    expect(handled).toEqual([['acme', 'evt_1']])
  })

  it('process and forget events of the integration that they are given, without a secret', async () => {
    const { receiver, handled } = setUpMany({ secretOf: (_integration) => fail() })
    const event = anEvent({ kind: 'note.updated', eventId: 'evt_1' })
    expect(await receiver.process(event, { integration: 'acme' })).toMatchObject({ status: 'applied' })
    expect(await receiver.process(event, { integration: 'acme' })).toMatchObject({ status: 'duplicate' })
    expect(await receiver.process(event, { integration: 'globex' })).toMatchObject({ status: 'applied' })
    expect(await receiver.forget('evt_1', { integration: 'acme' })).toBe('forgotten')
    expect(await receiver.forget('evt_1', { integration: 'initech' })).toBe('unknown')
    expect(await receiver.process(event, { integration: 'acme' })).toMatchObject({ status: 'applied' })
    expect(handled.map(([integration]) => integration)).toEqual(['acme', 'globex', 'acme'])
  })

  it.each(MALFORMED.map((id) => [id]))(
    'process and forget nothing of an integration that cannot be: %.20j',
    async (id) => {
      const { receiver, handled } = setUpMany()
      const about = { integration: id as string }
      expect(await receiver.process(anEvent({ kind: 'note.updated' }), about)).toMatchObject({ status: 'malformed' })
      expect(await receiver.forget('evt_1', about)).toBe('unknown')
      expect(handled).toEqual([])
    },
  )

  it('give the integration to a sink and to a queue', async () => {
    const given: unknown[] = []
    const enqueued: unknown[] = []
    const event = anEvent({ kind: 'note.updated', eventId: 'evt_1' })
    const options = { secretOf: (integration: string) => secretOf(integration) }
    const receivers = [
      createReceivers({ ...options, sink: async (_event, { integration }) => void given.push(integration) }),
      createReceivers({
        ...options,
        on: {},
        queue: async ({ event_id }, { integration }) => enqueued.push([integration, event_id]),
      }),
    ]
    for (const receiver of receivers) {
      onTestFinished(async () => void (await receiver.close()))
      const attempt = await signAttempt(secretOf('acme'), event)
      const request = new Request('https://receiver.test/', { method: 'POST', ...attempt })
      expect((await receiver.for('acme').fetch(request)).status).toBe(204)
    }
    expect({ given, enqueued }).toEqual({ given: ['acme'], enqueued: [['acme', 'evt_1']] })
  })

  it('name the option secretOf in the log if it returns no usable secret', async () => {
    const { deliver, logger } = setUpMany({ secretOf: (integration) => (integration === 'acme' ? '' : fail()) })
    await deliver('acme', anEvent({ kind: 'note.updated' }))
    await deliver('globex', anEvent({ kind: 'note.updated' }))
    expect(logger.lines.join()).toMatch(
      /The option "secretOf" must be or return .*the option "secretOf" returned no usable/,
    )
  })

  it('are closed for all integrations at once', async () => {
    const { receiver, deliver } = setUpMany()
    expect(await receiver.close()).toBe(0)
    expect((await deliver('acme', anEvent({ kind: 'note.updated' }))).status).toBe(503)
  })

  it.each([
    [{ integration: 'acme' }, /^createReceivers has no option "integration"/],
    [{ path: '/webhooks/notes/:integration' }, /^createReceivers has no option "path"/],
    [{ secret: 'whsec_' }, /^createReceivers has no option "secret"\. Did you mean "secretOf"\?/],
    [{ secretOf: 'whsec_' }, /^secretOf is not a function/],
  ])('refuse %j', (option, message) => {
    expect(() =>
      createReceivers({ secretOf: (integration: string) => integration, on: {}, ...option } as never),
    ).toThrow(message)
  })
})

/** Waits until the deliveries are signed and their lookups have begun. */
async function nextTurns(clock: ManualClock): Promise<void> {
  for (let turn = 0; turn < 10_000 && clock.sleeping < 33; turn += 1) await new Promise(setImmediate)
}

function fail(): never {
  throw new Error('secret of the vault')
}
