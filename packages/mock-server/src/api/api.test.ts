import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { call, refusal } from '../../fixtures/call.ts'
import { createNotesService } from '../service/create-notes-service.ts'

describe('every answer', () => {
  it.each(['GET /v1/notes', 'GET /v1/nothing', 'GET /', 'DELETE /v1/notes', 'POST /v1/webhook-endpoints'])(
    'has its own request id, and the time of the service (%s) (row 22)',
    async (operation) => {
      await using service = await createNotesService()
      await service.clock.advance('1h')
      const [one, two] = [await call(service, operation), await call(service, operation)]
      expect(one.headers.get('date')).toBe('Thu, 01 Jan 2026 01:00:00 GMT')
      expect(one.headers.get('x-request-id')).toMatch(/^req_\w+$/)
      expect(one.headers.get('x-request-id')).not.toBe(two.headers.get('x-request-id'))
    },
  )

  it.each(['GET /v1/nothing', 'GET /v2/notes', 'PUT /v1/notes', 'POST /v1/webhook-endpoints/a/replay'])(
    'to %s is 404 with an error body',
    async (operation) => {
      await using service = await createNotesService()
      expect(await refusal(call(service, operation))).toEqual([404, 'unknown_operation'])
    },
  )
})

describe('a request body', () => {
  it.each(['{', '', 'url=https://a.test', '"\\ud800'])('that is not JSON is answered 400: %s (§4)', async (body) => {
    await using service = await createNotesService()
    const refused = refusal(call(service, 'POST /v1/webhook-endpoints', { body }))
    expect(await refused).toEqual([400, 'invalid_json'])
  })

  it('that is too large is answered 413, with and without a Content-Length', async () => {
    await using service = await createNotesService()
    const large = JSON.stringify({ url: `https://a.test/${'a'.repeat(70_000)}`, events: ['note.ended'] })
    expect(await refusal(call(service, 'POST /v1/webhook-endpoints', { body: large }))).toEqual([413, 'body_too_large'])
    const response = await service.fetch(
      new Request(`${service.baseUrl}/v1/webhook-endpoints`, {
        method: 'POST',
        headers: { authorization: `Bearer ${service.apiKey}` },
        body: new Blob([large]).stream(),
        duplex: 'half',
      } as RequestInit),
    )
    expect(response.status).toBe(413)
  })

  it('with any content is answered 4xx, never 5xx', async () => {
    await using service = await createNotesService()
    const bodies = fc.oneof(
      fc.string(),
      fc.json(),
      fc
        .record({ url: fc.webUrl(), events: fc.jsonValue(), status: fc.jsonValue() }, { requiredKeys: [] })
        .map((body) => JSON.stringify(body)),
    )
    await fc.assert(
      fc.asyncProperty(bodies, fc.constantFrom('POST', 'PATCH'), async (body, method) => {
        const { status } = await call(service, `${method} /v1/webhook-endpoints`, { body })
        expect(status).toBeGreaterThanOrEqual(400)
        expect(status).toBeLessThan(500)
      }),
      { numRuns: 300 },
    )
  })
})
