import { AsyncLocalStorage } from 'node:async_hooks'
import {
  type Context,
  type ContextManager,
  context,
  metrics,
  ROOT_CONTEXT,
  SpanKind,
  SpanStatusCode,
  trace,
} from '@opentelemetry/api'
import {
  AggregationTemporality,
  InMemoryMetricExporter,
  MeterProvider,
  PeriodicExportingMetricReader,
} from '@opentelemetry/sdk-metrics'
import { BasicTracerProvider, InMemorySpanExporter, SimpleSpanProcessor } from '@opentelemetry/sdk-trace-base'
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest'
import { errorOf } from '../fixtures/error-of.ts'
import { API_KEY, CONTENT, shownBy } from '../fixtures/secrets.ts'
import { NotesClient } from './notes-client.ts'
import { clientTelemetry } from './opentelemetry.ts'

const OPERATION = 'GET /v1/notes/{note_id}'
const REQUEST = { 'http.request.method': 'GET', 'url.template': '/v1/notes/{note_id}' }
const NOTE = { note_id: 'n1', revision: 1, title: CONTENT }
const UNSET = { code: SpanStatusCode.UNSET }
const ERROR = { code: SpanStatusCode.ERROR }

beforeAll(() => void context.setGlobalContextManager(contextManager()))
afterAll(() => context.disable())

describe('the telemetry of a client', () => {
  it('creates a span for each request of a call, below the active span', async () => {
    const { client, spans } = traced(
      () => Promise.reject(Object.assign(new Error(API_KEY), { code: 'ECONNRESET' })),
      () => new Response(CONTENT, { status: 503, headers: { 'x-request-id': 'req-1' } }),
      () => Response.json(NOTE),
    )
    await inSpan('read a note', () => client.notes.get('n1'))

    const below = { name: OPERATION, kind: SpanKind.CLIENT, parent: 'read a note', ended: true }
    expect(spans()).toEqual([
      { ...below, attributes: { ...REQUEST, 'error.type': 'ECONNRESET' }, status: ERROR },
      {
        ...below,
        attributes: {
          ...REQUEST,
          'http.request.resend_count': 1,
          'http.response.status_code': 503,
          'notewire.request_id': 'req-1',
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

  it('places every request below its own call, and ends the span after a timeout or an abort', async () => {
    vi.useFakeTimers().setTimerTickMode('nextTimerAsync')
    onTestFinished(() => void vi.useRealTimers())
    const leaving = new AbortController()
    const { spans } = traced()
    const client = new NotesClient({
      baseUrl: 'https://notes.example',
      apiKey: API_KEY,
      maxRetries: 0,
      fetch: ({ url }) => {
        if (url.endsWith('/n2')) queueMicrotask(() => leaving.abort())
        return new Promise<Response>(() => {})
      },
      hooks: clientTelemetry(),
    })
    await Promise.all([
      errorOf(inSpan('late', () => client.notes.get('n1', { totalTimeoutMs: 2_000 }))),
      errorOf(inSpan('left', () => client.notes.get('n2', { signal: leaving.signal }))),
    ])
    const ends = spans().map(({ name, parent, attributes }) => [name, parent, attributes['error.type']])
    expect(ends.sort()).toEqual([
      [OPERATION, 'late', 'timeout'],
      [OPERATION, 'left', 'aborted'],
      ['late', undefined, undefined],
      ['left', undefined, undefined],
    ])
  })

  it('creates a span for each page of a listing, below the active span', async () => {
    const { client, spans } = traced(
      () => Response.json({ notes: [NOTE], has_more: true, next_cursor: 'c1' }),
      () => Response.json({ notes: [], has_more: false, next_cursor: null }),
    )
    await inSpan('read the notes', async () => {
      for await (const _ of client.notes.list()) await Promise.resolve()
    })
    expect(spans().map(({ name, parent }) => [name, parent])).toEqual([
      ['GET /v1/notes', 'read the notes'],
      ['GET /v1/notes', 'read the notes'],
      ['read the notes', undefined],
    ])
  })

  it('places the requests of clients that share it below their own calls', async () => {
    const { client, another, spans } = traced(
      () => Response.json(NOTE),
      () => new Response(CONTENT, { status: 503 }),
    )
    const other = another({ maxRetries: 0 })
    await Promise.all([
      inSpan('one', () => client.notes.get('n1')),
      errorOf(inSpan('other', () => other.notes.get('n1'))),
    ])
    const ends = spans().filter(({ name }) => name === OPERATION)
    expect(ends.map(({ parent, attributes }) => [parent, attributes['http.response.status_code']]).sort()).toEqual([
      ['one', 200],
      ['other', 503],
    ])
  })

  it('measures the duration of requests by operation and result', async () => {
    const { client, measured } = traced(
      () => new Response(CONTENT, { status: 503, headers: { 'retry-after': '0' } }),
      () => Response.json(NOTE),
      () => Promise.reject(Object.assign(new Error(API_KEY), { code: 'ECONNRESET' })),
      () => Response.json(NOTE),
    )
    await client.notes.get('n1')
    await client.notes.get('n2')
    expect(await measured('notewire.client.request.duration')).toEqual([
      [{ ...REQUEST, 'http.response.status_code': 503, 'error.type': '503' }, 1],
      [{ ...REQUEST, 'http.response.status_code': 200 }, 2],
      [{ ...REQUEST, 'error.type': 'ECONNRESET' }, 1],
    ])
  })

  it('counts unknown fields and values', async () => {
    const { client, measured } = traced(() => Response.json({ ...NOTE, status: 'archived' }))
    await client.notes.get('n1')
    expect(await measured('notewire.client.drift')).toEqual([
      [{ 'notewire.resource': 'note', 'notewire.field': 'status' }, 1],
    ])
  })

  it('contains neither the API key, nor an id, nor note content', async () => {
    const { client, exported } = traced(
      () => Promise.reject(new Error(`${API_KEY} ${CONTENT}`)),
      () => new Response(CONTENT, { status: 503 }),
      () => Response.json({ error: { code: 'forbidden', message: CONTENT } }, { status: 403 }),
      () => Response.json({ ...NOTE, note_id: 'note-of-mine', mood: CONTENT, status: CONTENT }),
    )
    await errorOf(client.notes.get('note-of-mine'))
    await client.notes.get('note-of-mine')
    const exportedText = await exported()
    expect(shownBy(exportedText)).toContain('notewire.client.drift')
    for (const secret of [API_KEY, CONTENT, 'note-of-mine']) expect(shownBy(exportedText)).not.toContain(secret)
  })
})

/** A client with the OpenTelemetry SDK. Spans and metrics are read from the exporters. */
function traced(...answers: (() => Response | Promise<Response>)[]) {
  const spanExporter = new InMemorySpanExporter()
  trace.setGlobalTracerProvider(new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(spanExporter)] }))
  const metricExporter = new InMemoryMetricExporter(AggregationTemporality.CUMULATIVE)
  const meters = new MeterProvider({ readers: [new PeriodicExportingMetricReader({ exporter: metricExporter })] })
  metrics.setGlobalMeterProvider(meters)
  onTestFinished(() => {
    trace.disable()
    metrics.disable()
  })
  const hooks = clientTelemetry()
  const another = (options: { readonly maxRetries?: number } = {}) =>
    new NotesClient({
      baseUrl: 'https://notes.example',
      apiKey: API_KEY,
      fetch: async () => (await answers.shift()?.()) ?? new Response(null, { status: 418 }),
      hooks,
      ...options,
    })
  const spans = () => {
    const finished = spanExporter.getFinishedSpans()
    const names = new Map(finished.map((span) => [span.spanContext().spanId, span.name]))
    return finished.map(({ name, kind, attributes, status, ended, parentSpanContext }) => {
      return { name, kind, parent: names.get(parentSpanContext?.spanId ?? ''), attributes, status, ended }
    })
  }
  const exportedMetrics = async () => {
    await meters.forceFlush()
    const latest = metricExporter.getMetrics().at(-1)
    await meters.shutdown()
    return latest?.scopeMetrics.flatMap((scope) => scope.metrics) ?? []
  }
  const measured = async (name: string) => {
    const points = (await exportedMetrics()).filter(({ descriptor }) => descriptor.name === name)
    return points.flatMap(({ dataPoints }) =>
      dataPoints.map(({ attributes, value }) => [attributes, typeof value === 'number' ? value : countOf(value)]),
    )
  }
  const exported = async () => [
    ...spanExporter
      .getFinishedSpans()
      .map(({ name, attributes, status, events }) => ({ name, attributes, status, events })),
    ...(await exportedMetrics()),
  ]
  return { client: another(), another, spans, measured, exported }
}

function countOf(value: object): unknown {
  return 'count' in value ? value.count : undefined
}

/** A span of the application. */
function inSpan<Result>(name: string, work: () => Promise<Result>): Promise<Result> {
  return trace.getTracer('application').startActiveSpan(name, (span) => work().finally(() => span.end()))
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
