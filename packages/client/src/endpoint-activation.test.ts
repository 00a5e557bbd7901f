import type { Clock } from '@notewire/protocol'
import { describe, expect, it } from 'vitest'
import { EndpointNotActiveError } from './errors/endpoint-not-active-error.ts'
import { errorOf } from './fixtures/error-of.ts'
import { API_KEY } from './fixtures/secrets.ts'
import { NotesClient } from './notes-client.ts'

describe('waiting for an endpoint to become active', () => {
  it('ends at once when it already is', async () => {
    const { client, clock } = serviceWith(() => 'active')
    expect(await client.webhookEndpoints.waitUntilActive('e1')).toMatchObject({ status: 'active' })
    expect(clock.now()).toBe(0)
  })

  it('asks every second of the clock, through the retry of the verification after 30 s', async () => {
    const { client, clock, requests } = serviceWith((now) => (now < 30_500 ? 'pending_verification' : 'active'))
    await client.webhookEndpoints.waitUntilActive('e1')
    expect(clock.now()).toBe(31_000)
    expect(requests).toHaveLength(32)
  })

  it('gives up after two minutes, with the status that it saw last', async () => {
    const { client, clock } = serviceWith(() => 'pending_verification')
    const error = await errorOf(client.webhookEndpoints.waitUntilActive('e1'))
    expect(error).toBeInstanceOf(EndpointNotActiveError)
    expect(error).toMatchObject({ code: 'endpoint_not_active', lastStatus: 'pending_verification' })
    expect(clock.now()).toBe(120_000)
  })

  it('gives up when it is told to, and asks a last time then', async () => {
    const { client, clock, requests } = serviceWith(() => 'disabled')
    const error = await errorOf(client.webhookEndpoints.waitUntilActive('e1', { timeoutMs: 2500 }))
    expect(String(error)).toContain('within 2.5 s: its status was last disabled')
    expect(clock.now()).toBe(2500)
    expect(requests).toHaveLength(4)
  })

  it.each(['verifying', undefined, null])('goes on at the status %s, which nobody knows', async (status) => {
    const { client } = serviceWith((now) => (now < 3000 ? status : 'active'))
    expect(await client.webhookEndpoints.waitUntilActive('e1')).toMatchObject({ status: 'active' })
  })

  it('ends with the reason of its signal, also between two questions', async () => {
    const controller = new AbortController()
    const { client, requests } = serviceWith((now) => {
      if (now >= 2000) controller.abort(new Error('enough'))
      return 'pending_verification'
    })
    await expect(client.webhookEndpoints.waitUntilActive('e1', { signal: controller.signal })).rejects.toThrow('enough')
    expect(requests).toHaveLength(3)
  })

  it.each([
    ['timeoutMs', { timeoutMs: -1 }],
    ['timeoutMs', { timeoutMs: Number.NaN }],
    ['timeout', { timeout: 1000 }],
  ])('refuses a wrong %s', async (option, options) => {
    const { client } = serviceWith(() => 'active')
    expect(await errorOf(client.webhookEndpoints.waitUntilActive('e1', options as object))).toMatchObject({ option })
  })
})

/** A service in the same process whose one endpoint has a status that depends on the time, and a clock that jumps. */
function serviceWith(statusAt: (now: number) => string | null | undefined) {
  let now = 0
  const clock: Clock = {
    now: () => now,
    sleep: async (ms, signal) => {
      signal?.throwIfAborted()
      now += ms
    },
  }
  const requests: Request[] = []
  const client = new NotesClient({
    baseUrl: 'https://notes.example',
    apiKey: API_KEY,
    clock,
    async fetch(request) {
      requests.push(request)
      return Response.json({ endpoint_id: 'e1', status: statusAt(now) })
    },
  })
  return { client, clock, requests }
}
