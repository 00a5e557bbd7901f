import { createHmac } from 'node:crypto'
import { inspect } from 'node:util'
import { describe, expect, it, vi } from 'vitest'
import { ManualClock } from '../fixtures/manual-clock.ts'
import { recordingLogger } from '../fixtures/recording-logger.ts'
import { OTHER_TEST_SECRET, TEST_SECRET } from '../fixtures/secrets.ts'
import { memoryStore } from '../stores/memory-store.ts'
import { anEvent, anUnknownEvent } from '../testing/an-event.ts'
import { signAttempt } from '../testing/sign-attempt.ts'
import type { HandlerContext } from './handlers.ts'
import type { ProcessOutcome } from './outcome.ts'
import { createReceiver, type Receiver } from './receiver.ts'
import type { ReceiverOptions } from './receiver-options.ts'

function setUp(options: Partial<ReceiverOptions> = {}) {
  const clock = new ManualClock()
  const logger = recordingLogger()
  const outcomes: ProcessOutcome[] = []
  const receiver = createReceiver({
    secret: TEST_SECRET,
    on: {},
    clock,
    logger,
    hooks: { onOutcome: (outcome) => outcomes.push(outcome) },
    ...options,
  })
  const deliver = async (payload: object | string, secret = TEST_SECRET) => {
    const attempt = await signAttempt(secret, payload, { signedAt: clock.now() })
    return await receiver.fetch(new Request('https://receiver.test/hooks', { method: 'POST', ...attempt }))
  }
  return { clock, logger, outcomes, receiver, deliver }
}

describe('a receiver under construction', () => {
  const construct = (options: object) => () =>
    createReceiver({ secret: TEST_SECRET, on: {}, ...options } as ReceiverOptions)

  it.each([
    [{ secret: 'whsec_!' }, /signing secret is not base64url/],
    [{ secret: [TEST_SECRET, 'nope'] }, /does not start with "whsec_"/],
    [{ handlers: {} }, /createReceiver has no option "handlers"\. It takes: secret, on, /],
    [{ on: undefined }, /on must be an object of handlers/],
    [{ on: { 'note.ended': 'save' } }, /the handler "note\.ended" is no function but string/],
    [{ on: { 'note.finished': () => undefined } }, /on has no event "note\.finished"/],
    [{ onUnknown: true }, /the handler "onUnknown" is no function but boolean/],
    [{ dedupWindowMs: 97_199_999 }, /dedupWindowMs is under 27 h/],
    [{ dedupWindowMs: Number.NaN }, /dedupWindowMs is under 27 h/],
    [{ revisionGate: 'loose' }, /revisionGate must be one of strict, /],
    [{ scope: '' }, /scope is empty/],
    [{ path: 'hooks' }, /path must start with "\/"/],
    [{ toleranceSeconds: -1 }, /toleranceSeconds must be/],
    [{ toleranceSeconds: Number.NaN, secret: () => undefined }, /toleranceSeconds must be/],
    [{ maxBodyBytes: 0 }, /maxBodyBytes must be/],
    [{ hooks: { onDone: () => undefined } }, /hooks has no option "onDone"/],
  ])('refuses %o', (options, message) => {
    expect(construct(options)).toThrow(message)
  })

  it.each([undefined, '', [], () => undefined])('takes a secret that is not there yet: %o', (secret) => {
    expect(construct({ secret })).not.toThrow()
  })

  it('takes a window of exactly 27 hours', () => {
    expect(construct({ dedupWindowMs: 97_200_000 })).not.toThrow()
  })
})

describe('the signing secret', () => {
  it('is asked for at each delivery, so that the first verification waits for it', async () => {
    let secret: string | undefined
    const { deliver, logger } = setUp({ secret: async () => secret })
    const early = await deliver(anEvent({ kind: 'endpoint.verification' }))
    expect(early.status).toBe(503)
    expect(early.headers.get('retry-after')).toBe('30')
    expect(logger.lines.join()).toMatch(/error no signing secret is known/)

    secret = TEST_SECRET
    expect((await deliver(anEvent({ kind: 'endpoint.verification' }))).status).toBe(204)
  })

  it('can change while the receiver runs', async () => {
    const secrets = [TEST_SECRET]
    const { deliver } = setUp({ secret: () => secrets })
    expect((await deliver(anEvent({ kind: 'note.ended' }))).status).toBe(204)
    secrets.unshift(OTHER_TEST_SECRET)
    expect((await deliver(anEvent({ kind: 'note.ended' }))).status).toBe(204)
    expect((await deliver(anEvent({ kind: 'note.ended' }), OTHER_TEST_SECRET)).status).toBe(204)
    secrets.pop()
    expect((await deliver(anEvent({ kind: 'note.ended' }))).status).toBe(401)
  })

  it('answers 503 when the function that knows it fails, or gives a malformed one', async () => {
    const failing = setUp({ secret: () => Promise.reject(new Error(`vault said ${TEST_SECRET}`)) })
    expect((await failing.deliver(anEvent({ kind: 'note.ended' }))).status).toBe(503)
    expect(failing.logger.lines.join()).not.toContain(TEST_SECRET)
    const malformed = setUp({ secret: () => 'whsec_x' })
    expect((await malformed.deliver(anEvent({ kind: 'note.ended' }))).status).toBe(503)
  })

  it('answers 503 when the function that knows it does not answer in time', async () => {
    const { deliver, clock } = setUp({ secret: () => new Promise(() => undefined) })
    const response = deliver(anEvent({ kind: 'note.ended' }))
    await vi.waitFor(() => expect(clock.sleeping).toBe(1))
    await clock.advance(8_000)
    expect((await response).status).toBe(503)
  })

  it('never shows: not in the receiver, not in a log, not in an answer', async () => {
    const { deliver, logger, receiver } = setUp({ on: { 'note.ended': () => Promise.reject(new Error(TEST_SECRET)) } })
    const failed = await deliver(anEvent({ kind: 'note.ended' }))
    const refused = await deliver(anEvent({ kind: 'note.ended' }), OTHER_TEST_SECRET)
    const shown = [inspect(receiver, { depth: 9, showHidden: true }), JSON.stringify(receiver), ...logger.lines]
    for (const text of [...shown, await failed.text(), await refused.text()]) {
      expect(text).not.toContain(TEST_SECRET.slice(6))
    }
  })
})

describe('a path, when one is given', () => {
  it('is the only one answered', async () => {
    const { receiver } = setUp({ path: '/webhooks/notes' })
    const attempt = await signAttempt(TEST_SECRET, anEvent({ kind: 'note.ended' }), {
      signedAt: new ManualClock().now(),
    })
    const at = async (path: string) =>
      (await receiver.fetch(new Request(`https://receiver.test${path}`, { method: 'POST', ...attempt }))).status
    expect(await at('/webhooks/notes')).toBe(204)
    expect(await at('/webhooks/notes?from=somewhere')).toBe(204)
    expect(await at('/webhooks/notes/')).toBe(404)
    expect(await at('/')).toBe(404)
  })

  it.each(['GET', 'HEAD', 'PUT', 'DELETE', 'OPTIONS'])('is answered 404 for %s', async (method) => {
    const response = await setUp().receiver.fetch(new Request('https://receiver.test/', { method }))
    expect(response.status).toBe(404)
  })
})

describe('what a framework passes beside the request', () => {
  it('is ignored, and `fetch` needs no receiver to be called on', async () => {
    const { fetch } = setUp().receiver
    const loose: (request: Request, context: object) => Promise<Response> = fetch
    expect((await loose(new Request('https://receiver.test/'), { params: {} })).status).toBe(404)
  })
})

describe('a handler', () => {
  it('that is slower than the service waits is answered for at eight seconds, and finishes', async () => {
    const waited: Promise<unknown>[] = []
    const handler = Promise.withResolvers<void>()
    const { clock, deliver, outcomes, logger } = setUp({
      on: { 'note.ended': () => handler.promise },
      waitUntil: (work) => waited.push(work),
    })
    const event = anEvent({ kind: 'note.ended' })
    const response = deliver(event)
    await vi.waitFor(() => expect(clock.sleeping).toBe(2))
    await clock.advance(7_999)
    expect(waited).toEqual([])
    await clock.advance(1)
    expect((await response).status).toBe(503)
    expect(waited).toHaveLength(1)
    expect(logger.lines.join()).toMatch(/takes longer than the service waits/)

    handler.resolve()
    await Promise.all(waited)
    expect(outcomes).toMatchObject([{ status: 'applied' }])
    expect((await deliver(event)).status).toBe(204)
    expect(outcomes).toMatchObject([{ status: 'applied' }, { status: 'duplicate' }])
  })

  it('that is slower is answered for all the same when `waitUntil` throws', async () => {
    const { clock, deliver, logger } = setUp({
      on: { 'note.ended': () => new Promise(() => undefined) },
      waitUntil: () => {
        throw new Error('outside of a request')
      },
    })
    const response = deliver(anEvent({ kind: 'note.ended' }))
    await vi.waitFor(() => expect(clock.sleeping).toBe(2))
    await clock.advance(8_000)
    expect((await response).status).toBe(503)
    expect(logger.lines.join()).toMatch(/a hook failed/)
  })

  it('that finishes in time is never called slow', async () => {
    const waited: Promise<unknown>[] = []
    const overdue: string[] = []
    const { deliver, logger } = setUp({
      on: { 'note.ended': () => undefined },
      waitUntil: (work) => waited.push(work),
      hooks: { onOverdue: ({ event_id }) => overdue.push(event_id) },
    })
    expect((await deliver(anEvent({ kind: 'note.ended' }))).status).toBe(204)
    await new Promise((resolve) => setImmediate(resolve))
    expect({ waited, overdue, lines: logger.lines }).toEqual({ waited: [], overdue: [], lines: [] })
  })

  it('is told by when the service wants its answer, and that is not when its signal fires', async () => {
    const seen: HandlerContext[] = []
    const { clock, deliver } = setUp({ on: { 'note.ended': (_event, context) => void seen.push(context) } })
    await deliver(anEvent({ kind: 'note.ended' }))
    expect(seen[0]?.deadlineAt).toBe(clock.now() + 8_000)
    expect(seen[0]?.signal.aborted).toBe(false)
    expect(seen[0]?.headers.get('webhook-id')).toMatch(/^msg_/)
  })

  it('keeps its lease as long as it works', async () => {
    const handler = Promise.withResolvers<void>()
    const clock = new ManualClock()
    const { receiver, outcomes } = setUp({
      clock,
      store: memoryStore({ clock }),
      on: { 'note.ended': () => handler.promise },
    })
    const event = anEvent({ kind: 'note.ended' })
    const first = receiver.process(event)
    await clock.advance(120_000)
    const second = receiver.process(event)
    await clock.advance(2_000)
    expect((await second).status).toBe('busy')
    handler.resolve()
    expect((await first).status).toBe('applied')
    expect(outcomes.map(({ status }) => status)).toEqual(['busy', 'applied'])
  })

  it('hears of it when its lease is lost to another worker, and its work does not count', async () => {
    const clock = new ManualClock()
    const store = memoryStore({ clock })
    const unreachable = { ...bind(store), renew: () => Promise.reject(new Error('the store is unreachable')) }
    const reasons: unknown[] = []
    const workOn = async (_event: unknown, { signal }: HandlerContext) => {
      signal.addEventListener('abort', () => reasons.push(signal.reason))
      await clock.sleep(24_000)
    }
    const cutOff = setUp({ clock, store: unreachable, on: { 'note.ended': workOn } })
    const heir = setUp({ clock, store, on: { 'note.ended': () => clock.sleep(5_000) } })
    const event = anEvent({ kind: 'note.ended' })

    const lost = cutOff.receiver.process(event)
    await clock.advance(19_999)
    expect(reasons).toEqual([])
    const taken = heir.receiver.process(event)
    await clock.advance(1)
    expect(reasons).toMatchObject([{ name: 'AbortError', message: expect.stringMatching(/another worker/) }])
    await clock.advance(6_000)
    expect((await lost).status).toBe('claim-lost')
    expect((await taken).status).toBe('applied')
  })

  it('that throws has its error in the hook, and only its name and place in the log', async () => {
    const error = new TypeError('note "Salaries 2026" has no owner')
    const { deliver, logger, outcomes } = setUp({ on: { 'note.ended': () => Promise.reject(error) } })
    expect((await deliver(anEvent({ kind: 'note.ended' }))).status).toBe(500)
    expect(outcomes).toMatchObject([{ status: 'failed', error }])
    expect(logger.lines.join()).toMatch(/a handler failed.*TypeError.*receiver\.test\.ts/)
    expect(logger.lines.join()).not.toContain('Salaries')
  })

  it('may throw anything', async () => {
    for (const thrown of [undefined, null, 'text', 7, Object.create(null)]) {
      const { deliver } = setUp({ on: { 'note.ended': () => Promise.reject(thrown) } })
      expect((await deliver(anEvent({ kind: 'note.ended' }))).status).toBe(500)
    }
  })
})

describe('an event whose note is busy', () => {
  it('waits two seconds for it, then is answered 503 so that it comes again', async () => {
    const slow = Promise.withResolvers<void>()
    const { clock, deliver, logger } = setUp({ on: { 'note.updated': () => slow.promise } })
    const first = deliver(anEvent({ kind: 'note.updated', revision: 1 }))
    await vi.waitFor(() => expect(clock.sleeping).toBe(2))
    let answered = false
    const second = deliver(anEvent({ kind: 'note.updated', revision: 2 })).then((response) => {
      answered = true
      return response
    })
    await vi.waitFor(() => expect(clock.sleeping).toBe(4))
    await clock.advance(1_999)
    expect(answered).toBe(false)
    await clock.advance(1)
    expect((await second).status).toBe(503)
    expect((await second).headers.get('retry-after')).toBe('30')
    expect(logger.lines.join()).toMatch(/an event waits for another of its note/)
    slow.resolve()
    expect((await first).status).toBe(204)
  })

  it('is applied as soon as the other is done, without waiting for the next look', async () => {
    const slow = Promise.withResolvers<void>()
    const { clock, deliver } = setUp({ on: { 'note.updated': ({ data }) => data.revision === 1 && slow.promise } })
    const first = deliver(anEvent({ kind: 'note.updated', revision: 1 }))
    await vi.waitFor(() => expect(clock.sleeping).toBe(2))
    const second = deliver(anEvent({ kind: 'note.updated', revision: 2 }))
    await vi.waitFor(() => expect(clock.sleeping).toBe(4))
    slow.resolve()
    expect((await first).status).toBe(204)
    expect((await second).status).toBe(204)
  })
})

describe('an event of a kind that nobody knows', () => {
  it('is acknowledged without a handler, and given to `onUnknown` with one', async () => {
    const event = anUnknownEvent({ noteId: 'note_1' })
    expect((await setUp().deliver(event)).status).toBe(204)
    const seen: unknown[] = []
    expect((await setUp({ onUnknown: (unknown) => void seen.push(unknown) }).deliver(event)).status).toBe(204)
    expect(seen).toEqual([event])
  })

  it('is never stale, and makes nothing stale', async () => {
    const seen: string[] = []
    const { deliver } = setUp({
      on: { 'note.updated': ({ event_id }) => void seen.push(event_id) },
      onUnknown: ({ event_id }) => void seen.push(event_id),
    })
    const unknown = { ...anUnknownEvent(), data: { note_id: 'note_1', revision: 99 } }
    const update = anEvent({ kind: 'note.updated', revision: 5 })
    const laterUnknown = { ...anUnknownEvent(), data: { note_id: 'note_1', revision: 1 } }
    for (const event of [unknown, update, laterUnknown]) expect((await deliver(event)).status).toBe(204)
    expect(seen).toEqual([unknown.event_id, update.event_id, laterUnknown.event_id])
  })
})

describe('a signed body that is no event', () => {
  it.each([
    ['', /not JSON/],
    ['null', /should be object/],
    ['[]', /should be object/],
    ['"note.ended"', /should be object/],
    ['{}', /event_id.*should be string/],
    [
      '{"event_id":"evt_1","event_type":"note.ended","occurred_at":"2026-01-01T00:00:00Z","data":{}}',
      /data\.note_id.*should be string/,
    ],
    ['\u0000', /not JSON/],
    ['['.repeat(100_000), /not JSON/],
  ])('is answered 400: %.40s', async (body, problem) => {
    const { deliver, logger } = setUp()
    expect((await deliver(body)).status).toBe(400)
    expect(logger.lines.join()).toMatch(problem)
  })

  it('quotes nothing of the body in the log', async () => {
    const { deliver, logger } = setUp()
    await deliver('{"event_id": Salaries 2026')
    await deliver({ ...anEvent({ kind: 'note.ended' }), event_id: 7, title: 'Salaries 2026' })
    expect(logger.lines.join()).not.toContain('Salaries')
  })

  it('is answered 400 when it is not UTF-8', async () => {
    const { receiver } = setUp()
    const bytes = Buffer.from([0x7b, 0xff, 0x7d])
    const { headers } = await signAttempt(TEST_SECRET, 'x', { webhookId: 'msg_1', signedAt: new ManualClock().now() })
    const key = 'a secret that is only for testing'
    const hmac = createHmac('sha256', key).update(`msg_1.${headers['webhook-timestamp']}.`).update(bytes)
    const signed = { ...headers, 'webhook-signature': `v1,${hmac.digest('base64')}` }
    const request = new Request('https://receiver.test/', { method: 'POST', headers: signed, body: bytes })
    expect((await receiver.fetch(request)).status).toBe(400)
  })
})

describe('what must come again is never answered 2xx', () => {
  const down = () => Promise.reject(new Error('the store is down'))
  const statusWith = async (store: object) => {
    const { deliver } = setUp({ store: { ...bind(memoryStore()), ...store }, on: { 'note.ended': () => undefined } })
    return (await deliver(anEvent({ kind: 'note.ended' }))).status
  }

  it('when the store cannot claim', async () => expect(await statusWith({ claim: down })).toBe(503))
  it('when the store cannot commit', async () => expect(await statusWith({ commit: down })).toBe(503))
  it('when the claim was lost', async () => expect(await statusWith({ commit: async () => 'lost' })).toBe(503))

  it('and a claim whose commit failed is given back at once', async () => {
    const store = bind(memoryStore())
    let failures = 1
    const seen: string[] = []
    const { deliver } = setUp({
      store: { ...store, commit: (claim) => (failures-- > 0 ? down() : store.commit(claim)) },
      on: { 'note.ended': ({ event_id }) => void seen.push(event_id) },
    })
    const event = anEvent({ kind: 'note.ended' })
    expect((await deliver(event)).status).toBe(503)
    expect((await deliver(event)).status).toBe(204)
    expect(seen).toHaveLength(2)
  })
})

describe('the handlers of events about the endpoint', () => {
  it.each(['endpoint.verification', 'endpoint.test'] as const)('are called: %s', async (kind) => {
    const seen: string[] = []
    const { deliver } = setUp({
      on: { [kind]: ({ event_type }: { event_type: string }) => void seen.push(event_type) },
    })
    await deliver(anEvent({ kind }))
    expect(seen).toEqual([kind])
  })
})

describe('the hook for refusals', () => {
  it('is told why a delivery was refused', async () => {
    const reasons: string[] = []
    const { deliver } = setUp({ hooks: { onRefused: (reason) => reasons.push(reason) } })
    await deliver(anEvent({ kind: 'note.ended' }), OTHER_TEST_SECRET)
    expect(reasons).toEqual(['no-matching-signature'])
  })
})

describe('a secret that cannot be used', () => {
  it('says in the log what is wrong with it, and not what it is', async () => {
    const { deliver, logger } = setUp({ secret: () => `${TEST_SECRET}\n` })
    expect((await deliver(anEvent({ kind: 'note.ended' }))).status).toBe(503)
    expect(logger.lines.join()).toMatch(/found a line break at position/)
    expect(logger.lines.join()).not.toContain(TEST_SECRET)
  })

  it('counts as none when it is null', async () => {
    const { deliver, logger } = setUp({ secret: () => null as unknown as undefined })
    expect((await deliver(anEvent({ kind: 'note.ended' }))).status).toBe(503)
    expect(logger.lines.join()).toMatch(/no signing secret is known/)
  })
})

describe('a log that fails', () => {
  it('costs a line and no delivery', async () => {
    const fail = () => {
      throw new Error('the disk is full')
    }
    const { deliver } = setUp({
      logger: { info: fail, warn: fail, error: fail },
      on: { 'note.ended': () => Promise.reject(new Error('the handler too')) },
    })
    expect((await deliver(anEvent({ kind: 'note.ended' }))).status).toBe(500)
    expect((await deliver(anEvent({ kind: 'note.ended' }), OTHER_TEST_SECRET)).status).toBe(401)
  })

  it('is shown no line of a message, even one that looks like a place', async () => {
    const error = new Error('cannot save:\n    at the board meeting (Salaries 2026:1:1)\n')
    const { deliver, logger } = setUp({
      on: { 'note.ended': () => Promise.reject(Object.assign(error, { code: 'Salaries are cut' })) },
    })
    await deliver(anEvent({ kind: 'note.ended' }))
    expect(logger.lines.join()).toMatch(/a handler failed.*receiver\.test\.ts/)
    expect(logger.lines.join()).not.toContain('Salaries')
  })
})

describe('an event with fields that nobody knows', () => {
  it.each(['malformed', 'status', 'problem', 'event'])('is an event all the same: %s', async (field) => {
    const seen: unknown[] = []
    const { deliver } = setUp({ on: { 'note.ended': (event) => void seen.push(event) } })
    const event = { ...anEvent({ kind: 'note.ended' }), [field]: 'whatever' }
    expect((await deliver(event)).status).toBe(204)
    expect(seen).toEqual([event])
  })
})

describe('a store that fails to renew', () => {
  it.each([
    [
      'by throwing',
      () => {
        throw new Error('the pool is closed')
      },
    ],
    ['by rejecting', () => Promise.reject(new Error('the connection is lost'))],
    ['by never answering', () => new Promise<never>(() => undefined)],
  ])('%s does not keep a finished handler from its commit', async (_how, renew) => {
    const clock = new ManualClock()
    const finish = Promise.withResolvers<void>()
    const { receiver } = setUp({
      clock,
      store: { ...bind(memoryStore({ clock })), renew },
      on: { 'note.ended': () => finish.promise },
    })
    const outcome = receiver.process(anEvent({ kind: 'note.ended' }))
    await clock.advance(6_000)
    finish.resolve()
    expect((await outcome).status).toBe('applied')
    await receiver.close()
  })

  it.each([
    ['by never answering', () => new Promise<never>(() => undefined)],
    ['slowly', (clock: ManualClock) => clock.sleep(4_000).then(() => Promise.reject(new Error('timed out')))],
  ])('%s stops the handler when its lease has run out, and no later', async (_how, renew) => {
    const clock = new ManualClock()
    const stopped: unknown[] = []
    const { receiver } = setUp({
      clock,
      store: { ...bind(memoryStore({ clock })), renew: () => renew(clock) },
      on: {
        'note.ended': async (_event, { signal }) => {
          signal.addEventListener('abort', () => stopped.push(signal.reason))
          await clock.sleep(30_000)
        },
      },
    })
    const outcome = receiver.process(anEvent({ kind: 'note.ended' }))
    await clock.advance(19_999)
    expect(stopped).toHaveLength(0)
    await clock.advance(1)
    expect(stopped).toHaveLength(1)
    await clock.advance(10_000)
    await outcome
  })
})

describe('a hook that throws', () => {
  it('later, in a promise, is logged and changes nothing', async () => {
    const logger = recordingLogger()
    const { deliver } = setUp({ logger, hooks: { onOutcome: () => Promise.reject(new Error('metrics are down')) } })
    expect((await deliver(anEvent({ kind: 'note.ended' }))).status).toBe(204)
    expect(logger.lines.join()).toMatch(/a hook failed/)
  })

  it('is logged and changes nothing', async () => {
    const logger = recordingLogger()
    const { deliver } = setUp({
      logger,
      hooks: {
        onOutcome: () => {
          throw new Error('metrics are down')
        },
      },
    })
    expect((await deliver(anEvent({ kind: 'note.ended' }))).status).toBe(204)
    expect(logger.lines.join()).toMatch(/a hook failed/)
  })
})

describe('a replayed event', () => {
  it('is skipped, until it is forgotten', async () => {
    const seen: string[] = []
    const { deliver, receiver } = setUp({
      on: { 'note.updated': ({ event_id }) => void seen.push(event_id) },
    })
    const event = anEvent({ kind: 'note.updated' })
    await deliver(event)
    await deliver(event)
    expect(seen).toHaveLength(1)
    expect(await receiver.forget(event.event_id)).toBe('forgotten')
    await deliver(event)
    expect(seen).toHaveLength(2)
  })
})

describe('two receivers of different scopes on one store', () => {
  it('do not gate each other', async () => {
    const store = memoryStore()
    const seen: string[] = []
    const receiverOf = (scope: string): Receiver =>
      setUp({
        store,
        scope,
        on: { 'note.updated': () => void seen.push(scope), 'note.deleted': () => void seen.push(`${scope}: gone`) },
      }).receiver
    const personal = receiverOf('personal')
    const channel = receiverOf('channel')
    await channel.process(anEvent({ kind: 'note.updated', revision: 9 }))
    await personal.process(anEvent({ kind: 'note.deleted', revision: 8, reason: 'access_lost' }))
    expect(seen).toEqual(['channel', 'personal: gone'])
  })
})

describe('a receiver that closes', () => {
  it('has not closed before a handler has that takes its time', async () => {
    const finish = Promise.withResolvers<void>()
    const { receiver } = setUp({ on: { 'note.ended': () => finish.promise } })
    const outcome = receiver.process(anEvent({ kind: 'note.ended' }))
    await new Promise((resolve) => setImmediate(resolve))
    let closed = false
    const closing = receiver.close().then(() => {
      closed = true
    })
    await new Promise((resolve) => setImmediate(resolve))
    expect(closed).toBe(false)
    finish.resolve()
    await closing
    expect((await outcome).status).toBe('applied')
  })

  it('aborts its handlers, waits for them, and begins nothing more', async () => {
    const ended: string[] = []
    const { receiver, deliver } = setUp({
      on: {
        'note.ended': (_event, { signal }) =>
          new Promise((_resolve, reject) => {
            signal.addEventListener('abort', () => {
              ended.push('handler')
              reject(signal.reason)
            })
          }),
      },
    })
    const outcome = receiver.process(anEvent({ kind: 'note.ended' }))
    await new Promise((resolve) => setImmediate(resolve))
    await receiver[Symbol.asyncDispose]()
    ended.push('closed')
    expect(ended).toEqual(['handler', 'closed'])
    expect((await outcome).status).toBe('failed')
    const late = await deliver(anEvent({ kind: 'note.ended' }))
    expect(late.status).toBe(503)
  })
})

function bind(store: ReturnType<typeof memoryStore>): ReturnType<typeof memoryStore> {
  return {
    claim: (request) => store.claim(request),
    renew: (claim, leaseMs) => store.renew(claim, leaseMs),
    commit: (claim) => store.commit(claim),
    release: (claim) => store.release(claim),
    forget: (scope, eventId) => store.forget(scope, eventId),
    prune: () => store.prune(),
  }
}
