import { describe, expect, it } from 'vitest'
import { setUpReceiver } from '../../fixtures/set-up-receiver.ts'
import { jobResult } from '../queue-jobs.ts'
import { anEvent } from '../testing/an-event.ts'

const explode = (): never => {
  throw new Error('a trap')
}

function revokedProxy(): object {
  const { proxy, revoke } = Proxy.revocable({}, {})
  revoke()
  return proxy
}

function proxyThatThrows(): object {
  const traps = ['get', 'has', 'getPrototypeOf', 'getOwnPropertyDescriptor', 'ownKeys', 'apply'] as const
  return new Proxy({}, Object.fromEntries(traps.map((trap) => [trap, explode])))
}

function errorWithGetters(name: string): Error {
  return Object.defineProperty(new Error('a message'), name, { get: explode })
}

const oddValues: readonly (readonly [string, () => unknown])[] = [
  ['null', () => null],
  ['undefined', () => undefined],
  ['a Symbol', () => Symbol('thrown')],
  ['an error whose message is a Symbol', () => Object.assign(new Error('x'), { message: Symbol('message') })],
  ['an error whose message cannot be text', () => Object.assign(new Error('x'), { message: { toString: explode } })],
  ...['name', 'message', 'stack', 'code', 'cause', 'then', 'constructor'].map(
    (name) => [`an error whose ${name} throws`, () => errorWithGetters(name)] as const,
  ),
  ['a Proxy that throws on everything', proxyThatThrows],
  ['a revoked Proxy', revokedProxy],
]

describe.each(oddValues)('a handler that throws %s', (_what, make) => {
  it.each([
    [
      'at once',
      () => {
        throw make()
      },
    ],
    [
      'later',
      async () => {
        await Promise.resolve()
        throw make()
      },
    ],
  ])('%s has failed, and is logged', async (_when, handle) => {
    const { deliver, logger, outcomes, receiver } = setUpReceiver({ on: { 'note.ended': handle } })
    expect((await receiver.process(anEvent({ kind: 'note.ended' }))).status).toBe('failed')
    expect((await deliver(anEvent({ kind: 'note.ended' }))).status).toBe(500)
    expect(outcomes).toHaveLength(2)
    expect(logger.lines).toEqual([
      expect.stringMatching(/^error a handler failed/),
      expect.stringMatching(/^error a handler failed/),
    ])
  })

  it('while the receiver closes has failed', async () => {
    const handle = (_event: unknown, { signal }: { readonly signal: AbortSignal }) =>
      new Promise<void>((_resolve, reject) => signal.addEventListener('abort', () => reject(make())))
    const { clock, receiver } = setUpReceiver({ on: { 'note.ended': handle } })
    const outcome = receiver.process(anEvent({ kind: 'note.ended' }))
    await clock.advance(0)
    expect(await receiver.close()).toBe(0)
    expect((await outcome).status).toBe('failed')
  })

  it('spends an attempt of its job', async () => {
    const { receiver } = setUpReceiver({
      on: {
        'note.ended': () => {
          throw make()
        },
      },
    })
    expect(jobResult(await receiver.process(anEvent({ kind: 'note.ended' })))).toMatchObject({
      status: 'again',
      error: { message: expect.stringMatching(/^the handler failed: \w+/) },
    })
  })

  it('from a hook or as its secret harms nothing', async () => {
    const hooks = {
      onOutcome: () => {
        throw make()
      },
    }
    const { logger, receiver } = setUpReceiver({ on: { 'note.ended': () => undefined }, hooks })
    expect((await receiver.process(anEvent({ kind: 'note.ended' }))).status).toBe('applied')
    expect(logger.lines).toEqual([expect.stringMatching(/^error a hook threw/)])
    const secret = () => {
      throw make()
    }
    const { deliver, logger: log } = setUpReceiver({ secret })
    expect((await deliver(anEvent({ kind: 'note.ended' }))).status).toBe(503)
    expect(log.lines).toEqual([expect.stringMatching(/^error the option "secret" returned no usable secret/)])
  })
})
