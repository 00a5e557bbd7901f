import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { errorOf } from '../fixtures/error-of.ts'
import { API_KEY } from '../fixtures/secrets.ts'
import { EndpointNotActiveError } from './errors/notes-client-error.ts'
import { NotesClient } from './notes-client.ts'

const START = Date.UTC(2026, 0, 1)

beforeEach(() => {
  vi.useFakeTimers({ now: START })
  vi.setTimerTickMode('nextTimerAsync')
})
afterEach(() => void vi.useRealTimers())

describe('waiting for an endpoint to become active', () => {
  it('ends at once if the endpoint is active', async () => {
    const { client } = serviceWith(() => 'active')
    expect(await client.webhookEndpoints.waitUntilActive('e1')).toMatchObject({ status: 'active' })
    expect(Date.now() - START).toBe(0)
  })

  it('reads the endpoint every second, through the retry of the verification after 30 s', async () => {
    const { client, requests } = serviceWith((time) => (time < 30_500 ? 'pending_verification' : 'active'))
    await client.webhookEndpoints.waitUntilActive('e1')
    expect(Date.now() - START).toBe(31_000)
    expect(requests).toHaveLength(32)
  })

  it('fails after two minutes, with the last status that it read', async () => {
    const { client } = serviceWith(() => 'pending_verification')
    const error = await errorOf(client.webhookEndpoints.waitUntilActive('e1'))
    expect(error).toBeInstanceOf(EndpointNotActiveError)
    expect(error).toMatchObject({ code: 'endpoint_not_active', lastStatus: 'pending_verification' })
    expect(Date.now() - START).toBe(120_000)
  })

  it('fails after timeoutMs, and reads the endpoint once more before', async () => {
    const { client, requests } = serviceWith(() => 'disabled')
    const error = await errorOf(client.webhookEndpoints.waitUntilActive('e1', { timeoutMs: 2500 }))
    expect(String(error)).toContain('within 2.5 s: the last status read was disabled')
    expect(Date.now() - START).toBe(2500)
    expect(requests).toHaveLength(4)
  })

  it.each(['verifying', undefined, null])('continues at the unknown status %s', async (status) => {
    const { client } = serviceWith((time) => (time < 3000 ? status : 'active'))
    expect(await client.webhookEndpoints.waitUntilActive('e1')).toMatchObject({ status: 'active' })
  })

  it('rejects with the reason of its signal', async () => {
    const controller = new AbortController()
    const { client, requests } = serviceWith((time) => {
      if (time >= 2000) controller.abort(new Error('enough'))
      return 'pending_verification'
    })
    const call = client.webhookEndpoints.waitUntilActive('e1', { signal: controller.signal })
    expect(await errorOf(call)).toBe(controller.signal.reason)
    expect(requests).toHaveLength(3)
  })
})

/** A client of a service in the same process. The status of its only endpoint depends on the time since the start, in milliseconds. */
function serviceWith(statusAt: (time: number) => string | null | undefined) {
  const requests: Request[] = []
  const client = new NotesClient({
    baseUrl: 'https://notes.example',
    apiKey: API_KEY,
    async fetch(request) {
      requests.push(request)
      return Response.json({ endpoint_id: 'e1', status: statusAt(Date.now() - START) })
    },
  })
  return { client, requests }
}
