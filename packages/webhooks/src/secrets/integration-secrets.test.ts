import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { heldMemory } from '../../fixtures/held-memory.ts'
import { ManualClock } from '../../fixtures/manual-clock.ts'
import { secretOf } from '../../fixtures/secret-of.ts'
import { signAttempt } from '../testing/sign-attempt.ts'
import { type CheckedHeaders, checkHeaders } from '../verifier/header-check.ts'
import { IntegrationSecrets, MAX_INTEGRATIONS } from './integration-secrets.ts'
import type { SecretLookup, Secrets } from './secret-source.ts'

/** Secrets by integration, as a table of the user's, and what it was asked. */
function setUp(secrets: ReadonlyMap<string, Secrets> | SecretLookup = new Map()) {
  const clock = new ManualClock()
  const asked: string[] = []
  const lookUp: SecretLookup = (integration) => {
    asked.push(integration)
    return typeof secrets === 'function' ? secrets(integration) : secrets.get(integration)
  }
  const cache = new IntegrationSecrets(lookUp, clock)
  const statusOf = async (integration: string) => (await cache.find(integration)).status
  return { cache, clock, asked, statusOf }
}

/** What an attempt that is signed with a secret has, and a body for it. */
async function signedBy(secret: string): Promise<{ headers: CheckedHeaders; body: string }> {
  const clock = new ManualClock()
  const { headers, body } = await signAttempt(secret, '{}', { signedAt: clock.now() })
  const checked = checkHeaders(headers, { toleranceSeconds: 300, clock })
  if (checked.status === 'refused') throw new Error(checked.detail)
  return { headers: checked, body }
}

/** Whether a receiver would accept an attempt signed with a secret: as `receiver.ts` does. */
async function accepts(cache: IntegrationSecrets, integration: string, secret: string): Promise<boolean | string> {
  const { headers, body } = await signedBy(secret)
  const found = await cache.find(integration)
  if (found.status !== 'found') return found.status
  if ((await found.check(body, headers)).status === 'verified') return true
  const other = await cache.findOther(integration, found.check)
  if (other === undefined) return false
  return other.status === 'found' ? (await other.check(body, headers)).status === 'verified' : other.status
}

function range(count: number, name: string): string[] {
  return Array.from({ length: count }, (_, index) => `${name}${index}`)
}

describe('a secret', () => {
  it('is asked for once in 60 s', async () => {
    const { asked, clock, statusOf } = setUp(new Map([['acme', secretOf('acme')]]))
    for (const pause of [0, 30_000, 29_999]) {
      await clock.advance(pause)
      expect(await statusOf('acme')).toBe('found')
    }
    expect(asked).toEqual(['acme'])
    await clock.advance(1)
    expect(await statusOf('acme')).toBe('found')
    expect(asked).toEqual(['acme', 'acme'])
  })

  it('is as old as the question, however long the answer takes', async () => {
    const { cache, clock, asked } = setUp(async () => {
      await clock.sleep(5_000)
      return secretOf('acme')
    })
    const finding = cache.find('acme')
    await clock.advance(5_000)
    expect((await finding).status).toBe('found')
    await clock.advance(54_999)
    expect(cache.find('acme')).toMatchObject({ status: 'found' })
    await clock.advance(1)
    expect(cache.find('acme')).toBeInstanceOf(Promise)
    expect(asked).toHaveLength(2)
  })

  it('is found at once while it is kept, without a promise', async () => {
    const { cache, statusOf } = setUp(new Map([['acme', secretOf('acme')]]))
    await statusOf('acme')
    expect(cache.find('acme')).toMatchObject({ status: 'found' })
  })

  it('is looked up once for deliveries that arrive together', async () => {
    const { asked, statusOf } = setUp(new Map([['acme', secretOf('acme')]]))
    const statuses = await Promise.all(range(50, '').map(() => statusOf('acme')))
    expect(new Set(statuses)).toEqual(new Set(['found']))
    expect(asked).toEqual(['acme'])
  })

  it.each<[string, SecretLookup]>([
    ['throws', () => fail()],
    ['rejects', () => Promise.reject(new Error('the database is away'))],
  ])('is used for 5 min at most while the function %s', async (_what, failing) => {
    let isAway = false
    const { asked, clock, statusOf } = setUp((integration) => (isAway ? failing(integration) : secretOf('acme')))
    expect(await statusOf('acme')).toBe('found')
    isAway = true
    await clock.advance(299_999)
    expect([await statusOf('acme'), await statusOf('acme')]).toEqual(['found', 'found'])
    expect(asked).toHaveLength(3)
    await clock.advance(1)
    expect([await statusOf('acme'), await statusOf('acme')]).toEqual(['failed', 'failed'])
    isAway = false
    expect(await statusOf('acme')).toBe('found')
  })

  it('is used after 2 s while its lookup hangs, and at once by the deliveries after that', async () => {
    let isHanging = false
    const { asked, clock, statusOf } = setUp(() => (isHanging ? new Promise<never>(() => undefined) : secretOf('acme')))
    await statusOf('acme')
    isHanging = true
    await clock.advance(60_000)
    let status: string | undefined
    void statusOf('acme').then((found) => {
      status = found
    })
    await clock.advance(1_999)
    expect(status).toBe(undefined)
    await clock.advance(1)
    expect(status).toBe('found')
    expect(await Promise.all([statusOf('acme'), statusOf('acme')])).toEqual(['found', 'found'])
    expect(asked).toHaveLength(2)
  })

  it('is not used after it was forgotten while its lookup hung', async () => {
    const secrets = new Map([['acme', secretOf('acme')]])
    let isHanging = false
    const { cache, clock, statusOf } = setUp((id) =>
      isHanging ? new Promise<never>(() => undefined) : secrets.get(id),
    )
    await statusOf('acme')
    isHanging = true
    await clock.advance(60_000)
    const waiting = statusOf('acme')
    cache.forget('acme')
    secrets.clear()
    isHanging = false
    await clock.advance(2_000)
    expect(await waiting).toBe('unknown')
  })

  it('is asked for again when a lookup has hung for 8 s, and what that one finds later is not kept', async () => {
    const hung = Promise.withResolvers<string>()
    let isHanging = true
    const { asked, cache, clock, statusOf } = setUp(() => (isHanging ? hung.promise : secretOf('acme', 2)))
    void cache.find('acme')
    await clock.advance(7_999)
    void cache.find('acme')
    expect(asked).toHaveLength(1)
    isHanging = false
    await clock.advance(1)
    const status = statusOf('acme')
    // Before the wait, which would not end if the lookup that hangs was shared.
    expect(asked).toHaveLength(2)
    expect(await status).toBe('found')
    hung.resolve(secretOf('acme', 1))
    await clock.advance(5_000)
    expect(await accepts(cache, 'acme', secretOf('acme', 1))).toBe(false)
  })

  it.each<[string, Secrets, string]>([
    ['an empty text', '', 'missing'],
    ['an empty list', [], 'missing'],
    ['no secret', 'not a secret', 'invalid'],
    ['an object', {} as unknown as string, 'invalid'],
  ])('is not kept where it is %s, and others are found meanwhile', async (_what, secret, status) => {
    const secrets = new Map<string, Secrets>([
      ['odd', secret],
      ['acme', secretOf('acme')],
    ])
    const { statusOf } = setUp(secrets)
    expect([await statusOf('odd'), await statusOf('odd')]).toEqual([status, status])
    expect(await statusOf('acme')).toBe('found')
    secrets.set('odd', secretOf('odd'))
    expect(await statusOf('odd')).toBe('found')
  })

  it('is dropped at once by forget, also one that is being looked up', async () => {
    const answers = [Promise.withResolvers<string>(), Promise.withResolvers<string>()]
    const { cache, asked, statusOf } = setUp(async () => (await answers[asked.length - 1]?.promise) ?? secretOf('a', 9))
    const finding = statusOf('a')
    cache.forget('a')
    answers[0]?.resolve(secretOf('a', 1))
    answers[1]?.resolve(secretOf('a', 2))
    expect(await finding).toBe('found')
    expect(asked).toHaveLength(2)
    expect(await accepts(cache, 'a', secretOf('a', 2))).toBe(true)
    expect(asked).toHaveLength(2)
    cache.forget('a')
    expect(await accepts(cache, 'a', secretOf('a', 2))).toBe(false)
    expect(await accepts(cache, 'a', secretOf('a', 9))).toBe(true)
  })
})

describe('a rotated secret', () => {
  it('works with the first delivery that it signs', async () => {
    const secrets = new Map([['acme', secretOf('acme', 1)]])
    const { asked, cache } = setUp(secrets)
    expect(await accepts(cache, 'acme', secretOf('acme', 1))).toBe(true)
    secrets.set('acme', secretOf('acme', 2))
    expect(await accepts(cache, 'acme', secretOf('acme', 2))).toBe(true)
    expect(await accepts(cache, 'acme', secretOf('acme', 1))).toBe(false)
    expect(asked).toEqual(['acme', 'acme'])
  })

  it('works after 5 s when a forged signature was a moment earlier', async () => {
    const secrets = new Map([['acme', secretOf('acme', 1)]])
    const { asked, cache, clock } = setUp(secrets)
    expect(await accepts(cache, 'acme', secretOf('forged'))).toBe(false)
    secrets.set('acme', secretOf('acme', 2))
    for (const _ of range(100, '')) expect(await accepts(cache, 'acme', secretOf('acme', 2))).toBe(false)
    expect(asked).toHaveLength(2)
    await clock.advance(5_000)
    expect(await accepts(cache, 'acme', secretOf('acme', 2))).toBe(true)
  })

  it('works for every delivery of a burst in the middle of which it was rotated', async () => {
    const secrets = new Map([['acme', secretOf('acme', 1)]])
    const { asked, cache } = setUp(async (integration) => {
      await new Promise(setImmediate)
      return secrets.get(integration)
    })
    const burst = [1, 2].flatMap((version) => range(50, '').map(() => version))
    expect(await accepts(cache, 'acme', secretOf('acme', 1))).toBe(true)
    secrets.set('acme', [secretOf('acme', 2), secretOf('acme', 1)] as unknown as string)
    const accepted = await Promise.all(burst.map((version) => accepts(cache, 'acme', secretOf('acme', version))))
    expect(new Set(accepted)).toEqual(new Set([true]))
    expect(asked).toHaveLength(2)
  })

  it('is not told from a forged one while the function fails: the delivery must come again', async () => {
    let isAway = false
    const { cache } = setUp(() => (isAway ? fail() : secretOf('acme')))
    expect(await accepts(cache, 'acme', secretOf('acme'))).toBe(true)
    isAway = true
    // Each time: a lookup that failed does not count as the one lookup in 5 s.
    for (const _ of range(3, '')) expect(await accepts(cache, 'acme', secretOf('acme', 2))).toBe('failed')
    expect(await accepts(cache, 'acme', secretOf('acme'))).toBe(true)
  })

  it('is found to be gone with its integration', async () => {
    const secrets = new Map([['acme', secretOf('acme')]])
    const { cache } = setUp(secrets)
    expect(await accepts(cache, 'acme', secretOf('acme'))).toBe(true)
    secrets.clear()
    expect(await accepts(cache, 'acme', secretOf('acme', 2))).toBe('unknown')
    expect(await accepts(cache, 'acme', secretOf('acme'))).toBe('unknown')
    expect(cache.knows('acme')).toBe(false)
  })
})

describe('an id that the function does not know', () => {
  it('is known as soon as the function knows it', async () => {
    const secrets = new Map<string, string>()
    const { asked, cache, statusOf } = setUp(secrets)
    expect(await Promise.all([statusOf('new'), statusOf('new')])).toEqual(['unknown', 'unknown'])
    expect(cache.knows('new')).toBe(false)
    secrets.set('new', secretOf('new'))
    expect(await statusOf('new')).toBe('found')
    expect(asked).toEqual(['new', 'new'])
  })

  it('is not kept while its lookup hangs', async () => {
    const { cache, clock, statusOf } = setUp((id) =>
      id === 'acme' ? secretOf(id) : new Promise<never>(() => undefined),
    )
    const hung = range(32, 'forged').map((id) => statusOf(id))
    await clock.advance(8_000)
    expect(await statusOf('acme')).toBe('found')
    expect(new Set(await Promise.all(hung))).toEqual(new Set(['limited']))
    expect(cache.knows('forged0')).toBe(false)
  })

  it('evicts no secret, and does not keep an integration that this process knows from being asked for', async () => {
    const secrets = new Map(range(MAX_INTEGRATIONS, 'i').map((id) => [id, secretOf(id)]))
    const { asked, clock, statusOf } = setUp(secrets)
    for (const id of secrets.keys()) expect(await statusOf(id)).toBe('found')
    for (const id of range(20_000, 'forged')) await statusOf(id)
    asked.length = 0
    for (const id of secrets.keys()) expect(await statusOf(id)).toBe('found')
    expect(asked).toEqual([])
    await clock.advance(60_000)
    for (const id of secrets.keys()) expect(await statusOf(id)).toBe('found')
  })

  it('does not limit integrations that exist: ten thousand are found at once', async () => {
    const { statusOf } = setUp((integration) => secretOf(integration))
    for (const id of range(10_000, 'i')) expect(await statusOf(id)).toBe('found')
  })

  it('takes no more memory than its characters if a router cut it from a long URL', async () => {
    const { statusOf } = setUp()
    const before = await heldMemory()
    for (const index of range(1_000, '')) {
      const url = `/webhooks/notes/a-forged-integration-${index.padStart(4, '0')}?${'x'.repeat(16_000)}`
      // `JSON.parse` makes it one flat text, as a URL that arrived.
      const arrived: string = JSON.parse(JSON.stringify(url))
      expect(await statusOf(arrived.slice(16, 41))).toBe('unknown')
    }
    expect((await heldMemory()) - before).toBeLessThan(2_000_000)
    expect(await statusOf('a-forged-integration-0001')).toBe('unknown')
  })
})

describe('lookups', () => {
  it('of a clock that is set back are made again, and not trusted for longer', async () => {
    let now = 1_000_000
    const clock = { now: () => now, sleep: () => Promise.resolve() }
    const asked: string[] = []
    const cache = new IntegrationSecrets((id) => {
      asked.push(id)
      return secretOf(id)
    }, clock)
    await cache.find('acme')
    now -= 500_000
    await cache.find('acme')
    await cache.find('acme')
    expect(asked).toHaveLength(2)
  })
})

describe('any sequence of deliveries, rotations, removals, failures and floods', () => {
  // Each step is an act and the milliseconds after it.
  const integration = fc.constantFrom('a', 'b', '__proto__')
  const act = fc.oneof(
    {
      weight: 6,
      arbitrary: fc.record({
        does: fc.constant('deliver' as const),
        integration,
        signer: fc.constantFrom('latest' as const, 'latest' as const, 'previous' as const, 'forged' as const),
      }),
    },
    {
      weight: 2,
      arbitrary: fc.record({
        does: fc.constantFrom('rotate' as const, 'remove' as const, 'forget' as const),
        integration,
      }),
    },
    fc.record({ does: fc.constantFrom('fail' as const, 'heal' as const) }),
    fc.record({ does: fc.constant('flood' as const), count: fc.integer({ min: 1, max: 200 }) }),
  )
  const pause = fc.oneof(fc.constantFrom(0, 1, 4_999, 5_000, 9_999, 10_000, 59_999, 60_000), fc.nat(70_000))

  it('keeps to a model that remembers all that the function was ever asked', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.tuple(act, pause), { minLength: 1, maxLength: 40 }), async (steps) => {
        const versions = new Map<string, number>([['a', 1]])
        const latest = new Map<string, number>([['a', 1]])
        let isFailing = false
        let forgedIds = 0
        const seen: { id: string; at: number; version: number | undefined; failed: boolean }[] = []
        const { cache, clock } = setUp((id) => {
          seen.push({ id, at: clock.now(), version: versions.get(id), failed: isFailing })
          if (isFailing) throw new Error('away')
          const version = versions.get(id)
          return version === undefined ? undefined : secretOf(id, version)
        })
        const forgottenAt = new Map<string, number>()
        for (const [step, ms] of steps) {
          switch (step.does) {
            case 'deliver': {
              const { integration: id, signer } = step
              const version = { latest: latest.get(id) ?? 0, previous: (latest.get(id) ?? 0) - 1, forged: -1 }[signer]
              const before = seen.length
              const verdict = await accepts(cache, id, secretOf(id, version))
              const lookups = seen.slice(forgottenAt.get(id) ?? 0).filter((each) => each.id === id)
              const asks = seen.slice(before).filter((each) => each.id === id)
              const usableMs = asks.some(({ failed }) => failed) ? 300_000 : 60_000
              const answered = lookups.filter((each) => !each.failed)
              const recent = answered.filter((each) => clock.now() - each.at < usableMs)
              // No secret outlives its 60 s, or 5 min while the function fails, its removal as far as it is known, or `forget`.
              if (verdict === true) expect(recent.at(-1)?.version).toBe(version)
              // Whatever is current works, unless the function answered less than 5 s ago because of a mismatch.
              if (verdict === false && versions.get(id) === version) {
                expect(answered.filter((each) => clock.now() - each.at < 5_000).length).toBeGreaterThan(0)
              }
              // The secret of a known integration may have been rotated while the function fails: neither accepted nor refused.
              if (asks.at(-1)?.failed) expect([true, 'failed']).toContain(verdict)
              if (verdict === 'failed') expect(asks.at(-1)?.failed).toBe(true)
              if (verdict === 'unknown') expect(recent.at(-1)?.version).toBe(undefined)
              expect(verdict).not.toBe('limited')
              expect(asks.length).toBeLessThanOrEqual(2)
              break
            }
            case 'rotate':
              latest.set(step.integration, (latest.get(step.integration) ?? 0) + 1)
              versions.set(step.integration, latest.get(step.integration) ?? 0)
              break
            case 'remove':
              versions.delete(step.integration)
              break
            case 'forget':
              cache.forget(step.integration)
              forgottenAt.set(step.integration, seen.length)
              break
            case 'fail':
              isFailing = true
              break
            case 'heal':
              isFailing = false
              break
            case 'flood': {
              const known = ['a', 'b', '__proto__'].filter((id) => cache.knows(id))
              for (let count = 0; count < step.count; count += 1) {
                forgedIds += 1
                await cache.find(`forged${forgedIds}`)
              }
              // Forged ids evict none, and are not known.
              expect(known.filter((id) => !cache.knows(id))).toEqual([])
              break
            }
          }
          await clock.advance(ms)
        }
      }),
      { numRuns: 300 },
    )
  })
})

function fail(): never {
  throw new Error('the database is away')
}
