import fc from 'fast-check'
import { describe, expect, it, vi } from 'vitest'
import { errorOf } from '../fixtures/error-of.ts'
import { API_KEY } from '../fixtures/secrets.ts'
import { type SkippingClock, skippingClock } from '../fixtures/skipping-clock.ts'
import { NotesClient } from '../notes-client.ts'
import { rateLimitOf } from './rate-limit.ts'

describe('a rate limit', () => {
  it.each([
    [{ ratelimit: '"default";r=50;t=30' }, { remaining: 50, resetMs: 30_000 }],
    [{ ratelimit: '"default"; r=0; t=7' }, { remaining: 0, resetMs: 7000 }],
    [{ ratelimit: 'default;t=7;r=0;pk=:AbC=:' }, { remaining: 0, resetMs: 7000 }],
    [{ ratelimit: '"hour";r=90;t=3000, "second";r=1;t=1' }, { remaining: 1, resetMs: 1000 }],
    [{ ratelimit: '"a";r=0;t=1, "b";r=0;t=9' }, { remaining: 0, resetMs: 9000 }],
    [{ ratelimit: '"a,b";r=3;t=4' }, { remaining: 3, resetMs: 4000 }],
    [
      { ratelimit: '"x";r=2', 'ratelimit-policy': '"y";q=1;w=5, "x";q=10;w=60' },
      { remaining: 2, resetMs: 60_000 },
    ],
    [
      { 'ratelimit-limit': '10', 'ratelimit-remaining': '3', 'ratelimit-reset': '8' },
      { remaining: 3, resetMs: 8000 },
    ],
  ])('is read from %j', (headers: Record<string, string>, limit) => {
    expect(rateLimitOf(new Headers(headers))).toEqual(limit)
  })

  it.each([
    {},
    { ratelimit: '' },
    { ratelimit: '"default"' },
    { ratelimit: '"default";r=2' },
    { ratelimit: '"default";r=-1;t=2' },
    { ratelimit: '"default";r=many;t=soon' },
    { ratelimit: '"r=0;t=9"' },
    { 'ratelimit-policy': '"default";q=100;w=60' },
    { 'ratelimit-remaining': '0' },
    { 'ratelimit-remaining': '0', 'ratelimit-reset': 'Thu, 01 Jan 2026 00:00:00 GMT' },
  ])('is none in %j', (headers: Record<string, string>) => {
    expect(rateLimitOf(new Headers(headers))).toBeUndefined()
  })
})

describe('a client', () => {
  it.each([
    [{ ratelimit: '"default";r=0;t=30' }, 30_000],
    [{ 'ratelimit-remaining': '0', 'ratelimit-reset': '30' }, 30_000],
    [{ ratelimit: '"default";r=0;t=86400' }, 60_000],
  ])('told %j waits for the reset before the next request, a minute at most', async (headers, pause) => {
    const { client, clock } = clientOf(headers)
    await client.notes.get('n1')
    expect(clock.pauses).toEqual([])
    await client.notes.get('n1')
    expect(clock.pauses).toEqual([pause])
  })

  it('waits for nothing while there is something left', async () => {
    const { client, clock } = clientOf({ ratelimit: '"default";r=1;t=30' })
    for (let call = 0; call < 3; call += 1) await client.notes.get('n1')
    expect(clock.pauses).toEqual([])
  })

  it('counts the requests that have left since it was told', async () => {
    const { client, clock } = clientOf({ ratelimit: '"default";r=2;t=30' })
    await client.notes.get('n1')
    await Promise.all([client.notes.get('n1'), client.notes.get('n1'), client.notes.get('n1')])
    expect(clock.pauses).toEqual([30_000])
  })

  it('takes those that were under way when it was told for not counted yet', async () => {
    const clock = skippingClock()
    const answers: (() => void)[] = []
    const answer = () => Response.json({ note_id: 'n1', revision: 1 }, { headers: { ratelimit: '"default";r=2;t=30' } })
    const fetch = () => new Promise<Response>((resolve) => answers.push(() => resolve(answer())))
    const client = new NotesClient({ baseUrl: 'https://notes.example', apiKey: API_KEY, fetch, clock })
    const calls = [client.notes.get('n1'), client.notes.get('n1'), client.notes.get('n1')]
    await vi.waitFor(() => expect(answers).toHaveLength(3))
    answers[0]?.()
    await calls[0]
    calls.push(client.notes.get('n1'))
    await vi.waitFor(() => expect(answers).toHaveLength(4))
    expect(clock.pauses).toEqual([30_000])
    for (const answerNow of answers) answerNow()
    await Promise.all(calls)
  })

  it('lets the service decide when there is no time to wait', async () => {
    const { client, clock } = clientOf({ ratelimit: '"default";r=0;t=30' })
    await client.notes.get('n1')
    await client.notes.get('n1', { totalTimeoutMs: 20_000 })
    expect(clock.pauses).toEqual([])
  })

  it('can be aborted while it waits', async () => {
    const { client } = clientOf({ ratelimit: '"default";r=0;t=30' }, { sleep: neverEnding })
    await client.notes.get('n1')
    const controller = new AbortController()
    const call = errorOf(client.notes.get('n1', { signal: controller.signal }))
    controller.abort()
    expect(await call).toBe(controller.signal.reason)
  })

  it('never runs into a 429 of any window, one request after the other', async () => {
    const limits = fc.record({ quota: fc.integer({ min: 1, max: 5 }), windowSeconds: fc.integer({ min: 1, max: 60 }) })
    await fc.assert(
      fc.asyncProperty(limits, fc.boolean(), async ({ quota, windowSeconds }, older) => {
        const clock = skippingClock()
        const statuses: number[] = []
        const fetch = limitedService({ clock, quota, windowMs: windowSeconds * 1000, older, statuses })
        const client = new NotesClient({ baseUrl: 'https://notes.example', apiKey: API_KEY, fetch, clock })
        for (let call = 0; call < 3 * quota; call += 1) await client.notes.get('n1')
        expect(new Set(statuses)).toEqual(new Set([200]))
      }),
    )
  })
})

interface Limits {
  readonly clock: SkippingClock
  readonly quota: number
  readonly windowMs: number
  /** Whether it announces them in the older headers. */
  readonly older: boolean
  readonly statuses: number[]
}

/** A service that takes so many requests in each window of time. */
function limitedService({ clock, quota, windowMs, older, statuses }: Limits) {
  let began = Number.NEGATIVE_INFINITY
  let left = 0
  return async () => {
    const now = clock.now()
    if (now >= began + windowMs) {
      began = now
      left = quota
    }
    const status = left > 0 ? 200 : 429
    left = Math.max(0, left - 1)
    statuses.push(status)
    const seconds = Math.ceil((began + windowMs - now) / 1000)
    const headers: Record<string, string> = older
      ? { 'ratelimit-remaining': `${left}`, 'ratelimit-reset': `${seconds}` }
      : { ratelimit: `"default";r=${left};t=${seconds}` }
    return Response.json({ note_id: 'n1', revision: 1 }, { status, headers })
  }
}

function clientOf(headers: Record<string, string>, changes: Partial<SkippingClock> = {}) {
  const clock = { ...skippingClock(), ...changes }
  const fetch = async () => Response.json({ note_id: 'n1', revision: 1 }, { headers })
  return { clock, client: new NotesClient({ baseUrl: 'https://notes.example', apiKey: API_KEY, fetch, clock }) }
}

function neverEnding(_ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((_resolve, reject) => signal?.addEventListener('abort', () => reject(signal.reason)))
}
