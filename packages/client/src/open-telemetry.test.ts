import { AsyncLocalStorage } from 'node:async_hooks'
import { readFileSync } from 'node:fs'
import { type Context, type ContextManager, context, ROOT_CONTEXT, SpanKind, SpanStatusCode } from '@opentelemetry/api'
import { BasicTracerProvider, InMemorySpanExporter, SimpleSpanProcessor } from '@opentelemetry/sdk-trace-base'
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest'
import { errorOf } from './fixtures/error-of.ts'
import { inSpan, tracingHooks } from './fixtures/open-telemetry.ts'
import { API_KEY, CONTENT, shownBy } from './fixtures/secrets.ts'
import { NotesClient } from './notes-client.ts'

const OPERATION = 'GET /v1/notes/{note_id}'
const REQUEST = { 'http.request.method': 'GET', 'url.template': '/v1/notes/{note_id}' }
const NOTE = { note_id: 'n1', revision: 1, title: CONTENT }
const UNSET = { code: SpanStatusCode.UNSET }
const ERROR = { code: SpanStatusCode.ERROR }

beforeAll(() => void context.setGlobalContextManager(contextManager()))
afterAll(() => context.disable())

describe('the recipe for OpenTelemetry', () => {
  it('is in the guide as it is tested here', () => {
    const recipe = readFileSync(new URL('./fixtures/open-telemetry.ts', import.meta.url), 'utf8')
    expect(readFileSync(new URL('../../../docs/reading.md', import.meta.url), 'utf8')).toContain(recipe)
  })

  it('makes one span for a call, and below it one for each of its requests', async () => {
    const { client, tracer, spans } = traced(
      () => Promise.reject(Object.assign(new Error(API_KEY), { code: 'ECONNRESET' })),
      () => new Response(CONTENT, { status: 503, headers: { 'x-request-id': 'req-1' } }),
      () => Response.json(NOTE),
    )
    await inSpan(tracer, 'read a note', () => client.notes.get('n1'))

    const below = { name: OPERATION, kind: SpanKind.CLIENT, parent: 'read a note', ended: true }
    expect(spans()).toEqual([
      { ...below, attributes: { ...REQUEST, 'error.type': 'ECONNRESET' }, status: ERROR },
      {
        ...below,
        attributes: {
          ...REQUEST,
          'http.request.resend_count': 1,
          'http.response.status_code': 503,
          'notes.request_id': 'req-1',
          'error.type': '503',
        },
        status: ERROR,
      },
      {
        ...below,
        attributes: { ...REQUEST, 'http.request.resend_count': 2, 'http.response.status_code': 200 },
        status: UNSET,
      },
      {
        name: 'read a note',
        kind: SpanKind.INTERNAL,
        parent: undefined,
        attributes: {},
        status: UNSET,
        ended: true,
      },
    ])
  })

  it('ends the span of a call that failed with why', async () => {
    const { client, tracer, spans } = traced(() => new Response(CONTENT))
    const error = await errorOf(inSpan(tracer, 'read a note', () => client.notes.get('n1')))
    expect(error).toMatchObject({ code: 'invalid_response' })
    expect(spans().map(({ name, attributes, status }) => [name, attributes['error.type'], status])).toEqual([
      [OPERATION, undefined, UNSET],
      ['read a note', 'invalid_response', ERROR],
    ])
  })

  it('gives every request to its own call, and ends it when it times out or is aborted', async () => {
    vi.useFakeTimers().setTimerTickMode('nextTimerAsync')
    onTestFinished(() => void vi.useRealTimers())
    const leaving = new AbortController()
    const { tracer, spans } = traced()
    const client = new NotesClient({
      baseUrl: 'https://notes.example',
      apiKey: API_KEY,
      maxRetries: 0,
      fetch: ({ url }) => {
        if (url.endsWith('/n2')) queueMicrotask(() => leaving.abort())
        return new Promise<Response>(() => {})
      },
      hooks: tracingHooks(tracer),
    })
    await Promise.all([
      errorOf(inSpan(tracer, 'late', () => client.notes.get('n1', { totalTimeoutMs: 2_000 }))),
      errorOf(inSpan(tracer, 'left', () => client.notes.get('n2', { signal: leaving.signal }))),
    ])
    const ends = spans().map(({ name, parent, attributes }) => [name, parent, attributes['error.type']])
    expect(ends.sort()).toEqual([
      [OPERATION, 'late', 'timeout'],
      [OPERATION, 'left', 'aborted'],
      ['late', undefined, 'timeout'],
      ['left', undefined, '_OTHER'],
    ])
  })

  it('makes one span of a listing, and below it one for each page', async () => {
    const { client, tracer, spans } = traced(
      () => Response.json({ notes: [NOTE], has_more: true, next_cursor: 'c1' }),
      () => Response.json({ notes: [], has_more: false, next_cursor: null }),
    )
    await inSpan(tracer, 'read the notes', async () => {
      for await (const _ of client.notes.list()) await Promise.resolve()
    })
    expect(spans().map(({ name, parent }) => [name, parent])).toEqual([
      ['GET /v1/notes', 'read the notes'],
      ['GET /v1/notes', 'read the notes'],
      ['read the notes', undefined],
    ])
  })

  it('tells what is new in the service', async () => {
    const { client, spans } = traced(() => Response.json({ ...NOTE, status: 'archived' }))
    await client.notes.get('n1')
    expect(spans()[1]).toMatchObject({
      name: 'notes drift',
      attributes: { 'notes.resource': 'note', 'notes.field': 'status', 'notes.value': 'archived' },
      ended: true,
    })
  })

  it('shows neither the key, nor an id, nor what a note says', async () => {
    const { client, tracer, exporter } = traced(
      () => Promise.reject(new Error(`${API_KEY} ${CONTENT}`)),
      () => new Response(CONTENT, { status: 503 }),
      () => Response.json({ error: { code: 'forbidden', message: CONTENT } }, { status: 403 }),
      () => Response.json({ ...NOTE, note_id: 'note-of-mine', mood: CONTENT, status: CONTENT }),
    )
    await errorOf(inSpan(tracer, 'read a note', () => client.notes.get('note-of-mine')))
    await inSpan(tracer, 'read a note', () => client.notes.get('note-of-mine'))
    const told = exporter.getFinishedSpans().map(({ name, attributes, status, events, links }) => {
      return { name, attributes, status, events, links }
    })
    expect(told.map(({ name }) => name)).toContain('notes drift')
    for (const secret of [API_KEY, CONTENT, 'note-of-mine']) expect(shownBy(told)).not.toContain(secret)
  })
})

/** A client and the real thing: what its spans are is read from what would be exported. */
function traced(...answers: (() => Response | Promise<Response>)[]) {
  const exporter = new InMemorySpanExporter()
  const provider = new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] })
  const tracer = provider.getTracer('notes')
  const client = new NotesClient({
    baseUrl: 'https://notes.example',
    apiKey: API_KEY,
    fetch: async () => (await answers.shift()?.()) ?? new Response(null, { status: 418 }),
    hooks: tracingHooks(tracer),
  })
  const spans = () => {
    const finished = exporter.getFinishedSpans()
    const names = new Map(finished.map((span) => [span.spanContext().spanId, span.name]))
    return finished.map(({ name, kind, attributes, status, ended, parentSpanContext }) => {
      return { name, kind, parent: names.get(parentSpanContext?.spanId ?? ''), attributes, status, ended }
    })
  }
  return { client, tracer, exporter, spans }
}

/** Carries the active span across `await`, as the context manager that every SDK for Node.js registers. */
function contextManager(): ContextManager {
  const storage = new AsyncLocalStorage<Context>()
  return {
    active: () => storage.getStore() ?? ROOT_CONTEXT,
    with: (active, work, receiver, ...given) => storage.run(active, () => work.apply(receiver, given)),
    bind: (_, target) => target,
    enable() {
      return this
    },
    disable() {
      storage.disable()
      return this
    },
  }
}
