import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { errorOf } from '../../fixtures/error-of.ts'
import { API_KEY, CONTENT, shownBy } from '../../fixtures/secrets.ts'
import { NotesClient } from '../notes-client.ts'
import type { NotesClientHooks } from './hooks.ts'

const NOTE = { note_id: 'n1', revision: 1, title: CONTENT }

beforeEach(() => {
  vi.useFakeTimers()
  vi.setTimerTickMode('nextTimerAsync')
})
afterEach(() => {
  vi.useRealTimers()
  vi.restoreAllMocks()
})

describe('hooks', () => {
  it('receive each request, its result, and the delay before the next request', async () => {
    vi.spyOn(Math, 'random').mockReturnValue(0.5)
    const ends = [
      () => Promise.reject(Object.assign(new Error(API_KEY), { code: 'ECONNRESET' })),
      () => new Response(CONTENT, { status: 503, headers: { 'x-request-id': 'req-1', 'retry-after': '4' } }),
      () => Response.json(NOTE, { headers: { 'x-request-id': 'req-2' } }),
    ]
    const { client, notices } = listened(() => ends.shift()?.())
    await client.notes.get('n1')

    const call = { callId: notices[0]?.[1]['callId'], operation: 'GET /v1/notes/{note_id}' }
    const silence = { status: undefined, failure: undefined, networkCode: undefined, requestId: undefined }
    const reset = {
      ...call,
      ...silence,
      attempt: 1,
      failure: 'network_error',
      networkCode: 'ECONNRESET',
      durationMs: 0,
    }
    const notNow = { ...call, ...silence, attempt: 2, status: 503, requestId: 'req-1', durationMs: 0 }
    expect(notices).toEqual([
      ['onRequest', { ...call, attempt: 1 }],
      ['onResponse', reset],
      ['onRetry', { ...reset, delayMs: 150 }],
      ['onRequest', { ...call, attempt: 2 }],
      ['onResponse', notNow],
      ['onRetry', { ...notNow, delayMs: 4000 }],
      ['onRequest', { ...call, attempt: 3 }],
      ['onResponse', { ...call, ...silence, attempt: 3, status: 200, requestId: 'req-2', durationMs: 0 }],
    ])
    expect(shownBy(notices)).not.toContain(CONTENT)
    expect(shownBy(notices)).not.toContain(API_KEY)
  })

  it('receive a different callId for each call, also of another client', async () => {
    const { client, notices } = listened(() => Response.json(NOTE))
    await Promise.all([client.notes.get('n1'), client.notes.get('n2')])
    const other = listened(() => Response.json(NOTE))
    await other.client.notes.get('n1')
    expect(new Set([...notices, ...other.notices].map(([, notice]) => notice['callId'])).size).toBe(3)
  })

  it.each([
    ['timeout', (client: NotesClient) => client.notes.get('n1', { totalTimeoutMs: 50 })],
    ['aborted', (client: NotesClient) => client.notes.get('n1', { signal: abortedAfter(100) })],
  ])('receive the end of a request without a response: %s', async (failure, call) => {
    const { client, notices } = listened(() => new Promise<Response>(() => {}))
    await errorOf(call(client))
    expect(notices.map(([hook]) => hook)).toEqual(['onRequest', 'onResponse'])
    expect(notices[1]?.[1]).toMatchObject({ failure, status: undefined })
  })

  it('receive the duration of a request', async () => {
    const { client, notices } = listened(async () => {
      await new Promise((resolve) => setTimeout(resolve, 70))
      return Response.json(NOTE)
    })
    await client.notes.get('n1')
    expect(notices[1]?.[1]).toMatchObject({ durationMs: 70 })
  })

  it.each<[string, () => unknown]>([
    ['throw', () => throwing()],
    ['reject', async () => throwing()],
  ])('that %s have no effect on the call', async (_, hook) => {
    const ends = [new Response(null, { status: 503 }), Response.json({ ...NOTE, mood: 'bright' })]
    const hooks: NotesClientHooks = { onRequest: hook, onResponse: hook, onRetry: hook, onDrift: hook }
    const fetch = async () => ends.shift() ?? new Response(null, { status: 418 })
    const client = new NotesClient({ ...SERVICE, fetch, hooks })
    expect(await client.notes.get('n1')).toMatchObject(NOTE)
  })
})

const SERVICE = { baseUrl: 'https://notes.example', apiKey: API_KEY }

/** Like `AbortSignal.timeout`, which ignores fake timers. */
function abortedAfter(ms: number): AbortSignal {
  const controller = new AbortController()
  setTimeout(() => controller.abort(), ms)
  return controller.signal
}

function throwing(): never {
  throw new Error('the hook failed')
}

/** A client that records the calls of its hooks in order. */
function listened(answer: () => Response | Promise<Response> | undefined) {
  const notices: [string, Readonly<Record<string, unknown>>][] = []
  const hear = (hook: string) => (notice: object) => void notices.push([hook, { ...notice }])
  const hooks = { onRequest: hear('onRequest'), onResponse: hear('onResponse'), onRetry: hear('onRetry') }
  const fetch = async () => (await answer()) ?? new Response(null, { status: 418 })
  return { notices, client: new NotesClient({ ...SERVICE, fetch, hooks }) }
}
