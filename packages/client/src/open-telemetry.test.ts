import { readFileSync } from 'node:fs'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { errorOf } from './fixtures/error-of.ts'
import { tracingHooks } from './fixtures/open-telemetry.ts'
import { API_KEY } from './fixtures/secrets.ts'
import { skippingClock } from './fixtures/skipping-clock.ts'
import { NotesClient } from './notes-client.ts'

const OPERATION = 'GET /v1/notes/{note_id}'

afterEach(() => void vi.restoreAllMocks())

describe('the recipe for OpenTelemetry', () => {
  it('is in the guide as it is tested here', () => {
    const recipe = readFileSync(new URL('./fixtures/open-telemetry.ts', import.meta.url), 'utf8')
    expect(readFileSync(new URL('../../../docs/reading.md', import.meta.url), 'utf8')).toContain(recipe)
  })

  it('makes a span for each request, and ends it with what became of it', async () => {
    const ends = [
      () => Promise.reject(Object.assign(new Error('no'), { code: 'ECONNRESET' })),
      () => new Response(null, { status: 503, headers: { 'x-request-id': 'req-1' } }),
      () => Response.json({ note_id: 'n1', revision: 1 }),
    ]
    const { client, spans } = traced(async () => (await ends.shift()?.()) ?? new Response())
    await client.notes.get('n1')
    const request = { 'http.request.method': 'GET', 'url.template': '/v1/notes/{note_id}' }
    const failed = { code: 2 }
    expect(spans).toEqual([
      {
        name: OPERATION,
        kind: 2,
        attributes: { ...request, 'http.request.resend_count': 0, 'error.type': 'ECONNRESET' },
        status: failed,
        ended: 1,
      },
      {
        name: OPERATION,
        kind: 2,
        attributes: {
          ...request,
          'http.request.resend_count': 1,
          'http.response.status_code': 503,
          'notes.request_id': 'req-1',
          'error.type': '503',
        },
        status: failed,
        ended: 1,
      },
      {
        name: OPERATION,
        kind: 2,
        attributes: { ...request, 'http.request.resend_count': 2, 'http.response.status_code': 200 },
        status: undefined,
        ended: 1,
      },
    ])
  })

  it('ends the spans of calls that run side by side, time out or are aborted', async () => {
    const { client, spans } = traced(() => new Promise<Response>(() => {}))
    await Promise.all([
      errorOf(client.notes.get('n1', { totalTimeoutMs: 10 })),
      errorOf(client.notes.get('n2', { signal: AbortSignal.timeout(10) })),
    ])
    expect(spans.map(({ attributes, ended }) => [attributes['error.type'], ended]).sort()).toEqual([
      ['aborted', 1],
      ['timeout', 1],
    ])
  })

  it('tells what is new in the service', async () => {
    const { client, spans } = traced(async () => Response.json({ note_id: 'n1', revision: 1, status: 'archived' }))
    await client.notes.get('n1')
    expect(spans[1]).toMatchObject({
      name: 'notes drift',
      attributes: { 'notes.resource': 'note', 'notes.field': 'status', 'notes.value': 'archived' },
      ended: 1,
    })
  })
})

/** A client whose spans are kept. */
function traced(fetch: (request: Request) => Promise<Response>) {
  const spans: ReturnType<typeof aSpan>[] = []
  const tracer: Parameters<typeof tracingHooks>[0] = {
    startSpan(name, { kind, attributes }) {
      const span = aSpan(name, kind, { ...attributes })
      spans.push(span)
      return {
        setAttribute: (attribute, value) => Object.assign(span.attributes, { [attribute]: value }),
        setStatus: (status) => Object.assign(span, { status }),
        end: () => Object.assign(span, { ended: span.ended + 1 }),
      }
    },
  }
  const options = { baseUrl: 'https://notes.example', apiKey: API_KEY, fetch, clock: skippingClock() }
  return { spans, client: new NotesClient({ ...options, hooks: tracingHooks(tracer) }) }
}

function aSpan(name: string, kind: number | undefined, attributes: Record<string, string | number>) {
  return { name, kind, attributes, status: undefined as { code: number } | undefined, ended: 0 }
}
