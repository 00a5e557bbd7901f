import { inspect } from 'node:util'
import { describe, expect, it } from 'vitest'
import { OTHER_TEST_SECRET, TEST_SECRET } from '../../fixtures/secrets.ts'
import { setUpReceiver } from '../../fixtures/set-up-receiver.ts'
import { createReceiver } from '../receiver/receiver.ts'
import { anEvent } from '../testing/an-event.ts'
import { SecretError } from '../verifier/signing-secret.ts'

describe('the signing secret', () => {
  it('is asked for at each delivery, so that the first verification waits for it', async () => {
    let secret: string | undefined
    const { deliver, logger } = setUpReceiver({ secret: async () => secret })
    const early = await deliver(anEvent({ kind: 'endpoint.verification' }))
    expect(early.status).toBe(503)
    expect(early.headers.get('retry-after')).toBe('30')
    expect(logger.lines.join()).toMatch(/error no signing secret is known/)

    secret = TEST_SECRET
    expect((await deliver(anEvent({ kind: 'endpoint.verification' }))).status).toBe(204)
  })

  it.each([
    [undefined, 'is missing'],
    [null as unknown as undefined, 'is missing'],
    ['', 'is an empty text'],
    [[], 'is a list without a secret'],
    [[null, undefined, ''], 'is a list without a secret'],
  ])('is refused at the start if it is %j, with the environment variable and the function', (secret, problem) => {
    const create = () => createReceiver({ secret, on: {} })
    expect(create).toThrow(SecretError)
    expect(create).toThrow(`the signing secret ${problem}`)
    expect(create).toThrow(/Set the environment variable.*secret: \(\) => process\.env\['NOTES_SIGNING_SECRET'\]/)
  })

  it.each([[undefined], [''], [[]], [[null, undefined, '']]])(
    'may be missing for good if a function gives it: %j answers 503 and says so in the log',
    async (secret) => {
      const { deliver, logger } = setUpReceiver({ secret: () => secret })
      expect((await deliver(anEvent({ kind: 'endpoint.verification' }))).status).toBe(503)
      expect(logger.lines).toEqual([expect.stringMatching(/^error no signing secret is known/)])
    },
  )

  it('can change while the receiver runs', async () => {
    const secrets = [TEST_SECRET]
    const { deliver } = setUpReceiver({ secret: () => secrets })
    expect((await deliver(anEvent({ kind: 'note.ended' }))).status).toBe(204)
    secrets.unshift(OTHER_TEST_SECRET)
    expect((await deliver(anEvent({ kind: 'note.ended' }))).status).toBe(204)
    expect((await deliver(anEvent({ kind: 'note.ended' }), OTHER_TEST_SECRET)).status).toBe(204)
    secrets.pop()
    expect((await deliver(anEvent({ kind: 'note.ended' }))).status).toBe(401)
  })

  it('may be a list with gaps, as while a rotation is being prepared', async () => {
    const { deliver } = setUpReceiver({ secret: () => ['', TEST_SECRET] })
    expect((await deliver(anEvent({ kind: 'note.ended' }))).status).toBe(204)
  })

  it.each([
    [[TEST_SECRET, null], 0],
    [[null, TEST_SECRET], 1],
    [[undefined, TEST_SECRET, ''], 1],
  ])('may be a row of a database with gaps: %j', async (secret, place) => {
    const places: number[] = []
    const hooks = { onVerified: ({ secretIndex }: { secretIndex: number }) => places.push(secretIndex) }
    for (const source of [secret, () => secret, async () => secret]) {
      const { deliver } = setUpReceiver({ secret: source, hooks })
      expect((await deliver(anEvent({ kind: 'note.ended' }))).status).toBe(204)
      expect((await deliver(anEvent({ kind: 'note.ended' }), OTHER_TEST_SECRET)).status).toBe(401)
    }
    expect(places).toEqual([place, place, place])
  })

  it('is told by its place in the list, gaps included', async () => {
    const places: number[] = []
    const { deliver } = setUpReceiver({
      secret: ['', OTHER_TEST_SECRET, '', TEST_SECRET],
      hooks: { onVerified: ({ secretIndex }) => places.push(secretIndex) },
    })
    await deliver(anEvent({ kind: 'note.ended' }))
    await deliver(anEvent({ kind: 'note.ended' }), OTHER_TEST_SECRET)
    expect(places).toEqual([3, 1])
  })

  it('answers 503 when the function that knows it fails, and logs no word of why', async () => {
    const { deliver, logger } = setUpReceiver({ secret: () => Promise.reject(new Error(`vault said ${TEST_SECRET}`)) })
    expect((await deliver(anEvent({ kind: 'note.ended' }))).status).toBe(503)
    expect(logger.lines.join()).toMatch(/error the option "secret" returned no usable secret/)
    expect(logger.lines.join()).not.toContain('vault')
  })

  it.each([
    ['at once', () => fail()],
    ['later, in a promise', () => Promise.reject(new Error('the vault is sealed'))],
  ])(
    'answers 503 when the function throws %s, though it gave a secret before, until it gives one again',
    async (_when, failing) => {
      let isSealed = false
      const { deliver } = setUpReceiver({ secret: () => (isSealed ? failing() : TEST_SECRET) })
      const statuses: number[] = []
      for (const sealed of [false, true, true, false]) {
        isSealed = sealed
        statuses.push((await deliver(anEvent({ kind: 'note.ended' }))).status)
      }
      expect(statuses).toEqual([204, 503, 503, 204])
    },
  )

  it.each([
    ['nothing', undefined, 503],
    ['a malformed one', `${TEST_SECRET}\n`, 503],
    ['another', OTHER_TEST_SECRET, 401],
  ])('does not verify by the secret before when the function gives %s', async (_what, next, status) => {
    let secret: string | undefined = TEST_SECRET
    const { deliver } = setUpReceiver({ secret: () => secret })
    expect((await deliver(anEvent({ kind: 'note.ended' }))).status).toBe(204)
    secret = next
    expect((await deliver(anEvent({ kind: 'note.ended' }))).status).toBe(status)
    expect((await deliver(anEvent({ kind: 'note.ended' }))).status).toBe(status)
  })

  it('answers 503 when it is malformed, and says in the log what is wrong with it, and not what it is', async () => {
    const { deliver, logger } = setUpReceiver({ secret: () => `${TEST_SECRET}\n` })
    expect((await deliver(anEvent({ kind: 'note.ended' }))).status).toBe(503)
    expect(logger.lines.join()).toMatch(/found a line break at position/)
    expect(logger.lines.join()).not.toContain(TEST_SECRET)
  })

  it('counts as none when it is null', async () => {
    const { deliver, logger } = setUpReceiver({ secret: () => null as unknown as undefined })
    expect((await deliver(anEvent({ kind: 'note.ended' }))).status).toBe(503)
    expect(logger.lines.join()).toMatch(/no signing secret is known/)
  })

  it('answers 503 at eight seconds when the function that knows it does not answer, and says so in the log', async () => {
    const asked = Promise.withResolvers<void>()
    const secret = () => {
      asked.resolve()
      return new Promise<never>(() => undefined)
    }
    const { deliver, clock, logger } = setUpReceiver({ secret })
    const response = deliver(anEvent({ kind: 'note.ended' }))
    await asked.promise
    await clock.advance(7_999)
    expect(logger.lines).toEqual([])
    await clock.advance(1)
    expect((await response).status).toBe(503)
    expect(logger.lines).toEqual([expect.stringMatching(/^error the option "secret" did not resolve in time/)])
  })

  it('never shows: not in the receiver, not in a log, not in an answer', async () => {
    const { deliver, logger, receiver } = setUpReceiver({
      on: { 'note.ended': () => Promise.reject(new Error(TEST_SECRET)) },
    })
    const failed = await deliver(anEvent({ kind: 'note.ended' }))
    const refused = await deliver(anEvent({ kind: 'note.ended' }), OTHER_TEST_SECRET)
    const shown = [inspect(receiver, { depth: 9, showHidden: true }), JSON.stringify(receiver), ...logger.lines]
    for (const text of [...shown, await failed.text(), await refused.text()]) {
      expect(text).not.toContain(TEST_SECRET.slice(6))
    }
  })
})

function fail(): never {
  throw new Error('the vault is sealed')
}
