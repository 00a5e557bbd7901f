import { describe, expect, it } from 'vitest'
import { errorOf } from '../../fixtures/error-of.ts'
import { API_KEY, CONTENT, shownBy } from '../../fixtures/secrets.ts'
import { serve } from '../../fixtures/wire-server.ts'
import { ApiError, ForbiddenError, NotFoundError, RateLimitedError } from '../errors/api-error.ts'
import { NotesClient } from '../notes-client.ts'

describe('a 404', () => {
  const answer = { status: 404, body: { error: { code: 'not_found', message: 'nothing here' } } }
  const emptyList = { status: 200, body: { notes: [], has_more: false, next_cursor: null } }
  it.each<[string, (client: NotesClient) => Promise<unknown>]>([
    ['notes.get', ({ notes }) => notes.get('n9')],
    ['webhookEndpoints.get', ({ webhookEndpoints }) => webhookEndpoints.get('e9')],
    ['webhookEndpoints.update', ({ webhookEndpoints }) => webhookEndpoints.update('e9', { status: 'active' })],
    ['webhookEndpoints.delete', ({ webhookEndpoints }) => webhookEndpoints.delete('e9')],
    ['webhookEndpoints.sendTest', ({ webhookEndpoints }) => webhookEndpoints.sendTest('e9')],
    ['webhookEndpoints.rotateSecret', ({ webhookEndpoints }) => webhookEndpoints.rotateSecret('e9')],
  ])('about one note or endpoint is a NotFoundError: %s', async (_, call) => {
    await using server = await serve(({ url }) => (url.startsWith('/v1/notes?') ? emptyList : answer))
    const error = await errorOf(call(new NotesClient({ baseUrl: server.baseUrl, apiKey: API_KEY })))
    expect(error).toBeInstanceOf(NotFoundError)
    expect(error).toBeInstanceOf(ApiError)
    expect(error).toMatchObject({ code: 'not_found', status: 404 })
  })

  it('about a list or content is not a NotFoundError', async () => {
    await using server = await serve(() => answer)
    const { notes } = new NotesClient({ baseUrl: server.baseUrl, apiKey: API_KEY })
    for (const call of [notes.transcript('n9'), notes.summary('n9'), firstNote(notes.list())]) {
      const error = await errorOf(call)
      expect(error).toBeInstanceOf(ApiError)
      expect(error).not.toBeInstanceOf(NotFoundError)
    }
  })
})

describe('an error response', () => {
  it.each([
    [400, 'invalid_request'],
    [401, 'unauthorized'],
    [402, 'unexpected_status'],
    [403, 'forbidden'],
    [404, 'not_found'],
    [405, 'not_supported'],
    [408, 'unexpected_status'],
    [409, 'unexpected_status'],
    [413, 'unexpected_status'],
    [418, 'unexpected_status'],
    [422, 'invalid_request'],
    [425, 'server_error'],
    [429, 'rate_limited'],
    [500, 'server_error'],
    [501, 'not_supported'],
    [503, 'server_error'],
    [520, 'server_error'],
    [530, 'server_error'],
    [599, 'server_error'],
    [300, 'unexpected_status'],
    [304, 'unexpected_status'],
    [301, 'redirect_refused'],
    [307, 'redirect_refused'],
  ])('with the status %i throws %s', async (status, code) => {
    const error = await refusal({
      status,
      headers: { 'x-request-id': 'req-1' },
      body: { error: { code: 'some_code', message: CONTENT } },
    })
    expect(error).toBeInstanceOf(ApiError)
    expect(error).toMatchObject({ code, status, operation: 'GET /v1/notes', requestId: 'req-1' })
    expect(String(error)).toMatch(new RegExp(`^NotewireError \\[${code}\\]: GET /v1/notes answered ${status}\\b.*\\.$`))
  })

  it.each([
    ['HTML', `<h1>${CONTENT}</h1>`],
    ['nothing', ''],
    ['half a JSON', '{"error":{"code":"rate'],
    ['a JSON of another shape', { error: CONTENT }],
    ['a code that is no token', { error: { code: CONTENT, message: CONTENT } }],
    ['a code that is no text', { error: { code: 7, message: CONTENT } }],
    ['a code without end', { error: { code: 'x'.repeat(65), message: CONTENT } }],
    ['null', 'null'],
  ])('has no server code if its body is %s, and is not quoted', async (_, body) => {
    const error = await refusal({ status: 500, body })
    expect(error).toMatchObject({ code: 'server_error', serverCode: undefined, requestId: undefined })
    expect(shownBy(error)).not.toContain(CONTENT)
  })

  it('keeps the server code, also if the content type is not JSON', async () => {
    const error = await refusal({ status: 422, body: '{"error":{"code":"limit_too_large"}}' })
    expect(error).toMatchObject({ code: 'invalid_request', serverCode: 'limit_too_large' })
    expect(String(error)).toContain('answered 422 (limit_too_large)')
  })

  it('has what the service says, also in its message', async () => {
    const says = `"events[0]" has a wrong value, for ${API_KEY}`
    const error = await refusal({ status: 422, body: { error: { code: 'invalid_body', message: says } } })
    expect(error).toMatchObject({ serverMessage: '"events[0]" has a wrong value, for [removed]' })
    expect(String(error)).toMatch(
      /Correct the arguments of the call\. The service says: "events\[0\]" has a wrong value, for \[removed\]\.$/,
    )
    expect(shownBy(error)).not.toContain(API_KEY)
  })

  it('drops a request id of several words', async () => {
    expect(await refusal({ status: 500, headers: { 'x-request-id': CONTENT } })).toMatchObject({ requestId: undefined })
  })
})

describe('a successful response', () => {
  it('is not an error, even if its body contains one', async () => {
    await using server = await serve(() => ({
      status: 200,
      body: { notes: [], has_more: false, error: { code: 'invalid_cursor' } },
    }))
    const client = new NotesClient({ baseUrl: server.baseUrl, apiKey: API_KEY })
    expect(await client.notes.list()[Symbol.asyncIterator]().next()).toMatchObject({ done: true })
  })
})

describe('a 403', () => {
  it('names the scope that the service names', async () => {
    const error = await refusal({ status: 403, body: { error: { code: 'forbidden', scope: 'channels:read' } } })
    expect(error).toBeInstanceOf(ForbiddenError)
    expect(error).toMatchObject({ scope: 'channels:read' })
    expect(String(error)).toContain('lacks the scope "channels:read"')
  })

  it('names the scope of the contract if the service names none', async () => {
    const error = await refusal({ status: 403, body: '<h1>Forbidden</h1>' })
    expect(error).toMatchObject({ scope: undefined })
    expect(String(error)).toContain('needs the scope "notes:read"')
  })
})

describe('a failure of a gateway', () => {
  it.each([425, 502, 504, 520, 521, 522, 523, 524, 525, 526, 527, 528, 530])('is named: %i', async (status) => {
    const error = await refusal({ status, body: `<html><title>${CONTENT} | 522: Connection timed out</title></html>` })
    expect(error).toMatchObject({ code: 'server_error', status, serverCode: undefined, serverMessage: undefined })
    expect(String(error)).toContain('a gateway in front of the service')
    expect(shownBy(error)).not.toContain(CONTENT)
  })

  it.each([500, 503, 529])('is not a failure of the service itself: %i', async (status) => {
    expect(String(await refusal({ status }))).toContain('the service failed')
  })
})

describe('a 429', () => {
  it('has the delay of Retry-After', async () => {
    const error = await refusal({ status: 429, headers: { 'retry-after': '30' } })
    expect(error).toBeInstanceOf(RateLimitedError)
    expect(error).toMatchObject({ retryAfterMs: 30_000 })
    expect(String(error)).toContain('Wait 30 s')
  })

  it('has the delay until the reset of the rate limit', async () => {
    const reset = `${Math.floor(Date.now() / 1000) + 3_600}`
    const error = await refusal({ status: 429, headers: { 'x-ratelimit-reset': reset } })
    expect((error as RateLimitedError).retryAfterMs).toBeGreaterThan(3_590_000)
    expect((error as RateLimitedError).retryAfterMs).toBeLessThan(3_610_000)
  })

  it('may have no Retry-After', async () => {
    expect(await refusal({ status: 429 })).toMatchObject({ retryAfterMs: undefined })
  })
})

async function refusal(answer: { status: number; headers?: Record<string, string>; body?: unknown }): Promise<unknown> {
  await using server = await serve(() => answer)
  const client = new NotesClient({ baseUrl: server.baseUrl, apiKey: API_KEY, maxRetries: 0 })
  return await errorOf(client.notes.list()[Symbol.asyncIterator]().next())
}

async function firstNote(list: AsyncIterable<unknown>): Promise<unknown> {
  for await (const note of list) return note
  return undefined
}
