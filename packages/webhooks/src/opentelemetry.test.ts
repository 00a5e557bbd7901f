import { AsyncLocalStorage } from 'node:async_hooks'
import { NotewireError } from '@notewire/protocol'
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
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { heldHandler } from '../fixtures/held-handler.ts'
import { OTHER_TEST_SECRET, TEST_SECRET } from '../fixtures/secrets.ts'
import { setUpReceiver } from '../fixtures/set-up-receiver.ts'
import { receiverTelemetry } from './opentelemetry.ts'
import type { ReceiverOptions } from './options/receiver-options.ts'
import { anEvent, anUnknownEvent } from './testing/an-event.ts'

const UPDATED = { 'notewire.event_type': 'note.updated' }

describe('the metrics of a receiver', () => {
  it('counts events by outcome and kind', async () => {
    const { deliver, measured } = metered({ on: { 'note.updated': () => undefined, 'note.deleted': fail } })
    const event = anEvent({ kind: 'note.updated', revision: 7 })
    await deliver(event)
    await deliver(event)
    await deliver(anEvent({ kind: 'note.updated', revision: 6 }))
    await deliver(anEvent({ kind: 'note.deleted', revision: 8 }))
    await deliver(anUnknownEvent())
    expect(await measured('notewire.webhook.events')).toEqual([
      [{ 'notewire.event_type': 'note.updated', 'notewire.outcome': 'applied' }, 1],
      [{ 'notewire.event_type': 'note.updated', 'notewire.outcome': 'duplicate' }, 1],
      [{ 'notewire.event_type': 'note.updated', 'notewire.outcome': 'stale' }, 1],
      [{ 'notewire.event_type': 'note.deleted', 'notewire.outcome': 'failed' }, 1],
      [{ 'notewire.event_type': '_OTHER', 'notewire.outcome': 'unhandled' }, 1],
    ])
  })

  it('counts verified deliveries, and refused ones by reason', async () => {
    const { clock, deliver, measured } = metered()
    await deliver(anEvent({ kind: 'note.updated' }))
    await deliver(anEvent({ kind: 'note.updated' }), OTHER_TEST_SECRET)
    await clock.advance(1_000)
    await deliver('not an event')
    expect(await measured('notewire.webhook.deliveries')).toEqual([
      [{ 'notewire.verification': 'verified' }, 2],
      [{ 'notewire.verification': 'no-matching-signature' }, 1],
    ])
  })

  it('counts answers that are not 2xx by status and code', async () => {
    const { deliver, measured } = metered()
    await deliver(anEvent({ kind: 'note.updated' }))
    await deliver(anEvent({ kind: 'note.updated' }), OTHER_TEST_SECRET)
    await deliver('not an event')
    expect(await measured('notewire.webhook.error_answers')).toEqual([
      [{ 'http.response.status_code': 401, 'error.type': 'unverified' }, 1],
      [{ 'http.response.status_code': 400, 'error.type': 'event_malformed' }, 1],
    ])
  })

  it('counts events that were queued, and events that workers applied', async () => {
    const queue = async () => undefined
    const { deliver, receiver, measured } = metered({ queue, on: { 'note.updated': () => undefined } })
    const event = anEvent({ kind: 'note.updated' })
    await deliver(event)
    await deliver(event)
    await receiver.process(event)
    expect(await measured('notewire.webhook.queued', 'notewire.webhook.events')).toEqual([
      [{ ...UPDATED, 'notewire.outcome': 'applied' }, 1],
      [UPDATED, 2],
    ])
  })

  it('measures the age of events when they are applied', async () => {
    const { deliver, measured } = metered({ on: { 'note.updated': () => undefined } })
    const occurredAgo = (ms: number, revision: number) => {
      const occurred_at = new Date(Date.now() - ms).toISOString()
      return { ...anEvent({ kind: 'note.updated', revision }), occurred_at }
    }
    await deliver(occurredAgo(90_000, 1))
    // A clock of the service that is ahead, and an invalid time.
    await deliver(occurredAgo(-90_000, 2))
    await deliver({ ...anEvent({ kind: 'note.updated', revision: 3 }), occurred_at: 'yesterday' })
    // The lag of an event that is not applied would measure how long the service has been retrying.
    await deliver(anEvent({ kind: 'note.updated', revision: 1 }))
    expect(await measured('notewire.webhook.event.lag')).toEqual([
      [UPDATED, { count: 2, sum: expect.closeTo(90, -1), min: 0, max: expect.closeTo(90, -1) }],
    ])
  })

  it('measures how long events waited for their note, and how long their handlers ran', async () => {
    const { clock, deliver, measured } = metered({
      on: { 'note.updated': ({ data }) => data.revision === 7 && clock.sleep(300) },
    })
    const first = deliver(anEvent({ kind: 'note.updated', revision: 7 }))
    const second = deliver(anEvent({ kind: 'note.updated', revision: 8 }))
    await clock.advance(300)
    await Promise.all([first, second])
    const both = { count: 2, sum: 0.3, min: 0, max: 0.3 }
    const applied = { ...UPDATED, 'notewire.outcome': 'applied' }
    expect(await measured('notewire.webhook.claim.wait')).toEqual([[applied, both]])
    expect(await measured('notewire.webhook.handler.duration')).toEqual([[applied, both]])
  })

  it('counts events that take longer than the service waits', async () => {
    const { handle, begun, end } = heldHandler()
    const { clock, deliver, measured } = metered({ on: { 'note.updated': handle } })
    const delivery = deliver(anEvent({ kind: 'note.updated' }))
    await begun
    await clock.advance(8_000)
    await delivery
    end()
    expect(await measured('notewire.webhook.overdue')).toEqual([[UPDATED, 1]])
  })

  it('measures when each secret was last used', async () => {
    const { clock, deliver, measured } = metered({ secret: [OTHER_TEST_SECRET, TEST_SECRET] })
    const lastOfOld = clock.now() / 1_000
    await deliver(anEvent({ kind: 'note.updated' }))
    await clock.advance(60_000)
    await deliver(anEvent({ kind: 'note.updated' }), OTHER_TEST_SECRET)
    expect(await measured('notewire.webhook.secret.last_use')).toEqual([
      [{ 'notewire.secret_index': 1 }, lastOfOld],
      [{ 'notewire.secret_index': 0 }, lastOfOld + 60],
    ])
  })

  it('shows no id of a note, and no secret', async () => {
    const { deliver, exported } = metered({ on: { 'note.updated': fail } })
    await deliver(anEvent({ kind: 'note.updated', noteId: 'note-of-mine' }))
    await deliver(anEvent({ kind: 'note.updated', noteId: 'note-of-mine' }), OTHER_TEST_SECRET)
    const exportedText = JSON.stringify(await exported())
    expect(exportedText).toContain('no-matching-signature')
    for (const secret of ['note-of-mine', TEST_SECRET, 'Salaries']) expect(exportedText).not.toContain(secret)
  })
})

describe('the span of an event', () => {
  beforeAll(() => void context.setGlobalContextManager(contextManager()))
  afterAll(() => context.disable())

  it('is a child of the span of the request, and the parent of the spans of the handler', async () => {
    const { tracer, spans, deliver } = traced({
      on: { 'note.updated': async () => trace.getTracer('app').startSpan('GET /v1/notes/{note_id}').end() },
    })
    const event = anEvent({ kind: 'note.updated' })
    await tracer.startActiveSpan('POST /webhooks', async (span) => {
      expect((await deliver(event)).status).toBe(204)
      span.end()
    })
    const [request, process, http] = spans()
    expect(process).toMatchObject({
      name: 'process note.updated',
      kind: SpanKind.CONSUMER,
      attributes: {
        'messaging.system': 'notewire',
        'messaging.operation.name': 'process',
        'messaging.operation.type': 'process',
        'messaging.message.id': event.event_id,
        'notewire.integration': 'default',
        'notewire.event_type': 'note.updated',
        'notewire.outcome': 'applied',
      },
      status: { code: SpanStatusCode.UNSET },
    })
    expect(request?.parentSpanContext?.spanId).toBe(process?.spanContext().spanId)
    expect(process?.parentSpanContext?.spanId).toBe(http?.spanContext().spanId)
  })

  it('has the code of a NotewireError, the outcome for another error, and no error for an acknowledged event', async () => {
    const { spans, deliver } = traced({
      on: {
        'note.updated': () => Promise.reject(new NotewireError('claim_lost', 'the claim was lost')),
        'note.deleted': fail,
      },
    })
    await deliver(anEvent({ kind: 'note.updated' }))
    await deliver(anEvent({ kind: 'note.deleted' }))
    await deliver(anUnknownEvent())
    expect(spans().map(({ name, attributes, status }) => [name, attributes['error.type'], status.code])).toEqual([
      ['process note.updated', 'claim_lost', SpanStatusCode.ERROR],
      ['process note.deleted', 'failed', SpanStatusCode.ERROR],
      ['process _OTHER', undefined, SpanStatusCode.UNSET],
    ])
    expect(JSON.stringify(spans().map(({ attributes, status, events }) => [attributes, status, events]))).not.toContain(
      'Salaries',
    )
  })

  it('is created when a worker processes an event, not when the event is queued', async () => {
    const queue = async () => undefined
    const { spans, deliver, receiver } = traced({ queue, on: { 'note.updated': () => undefined } })
    const event = anEvent({ kind: 'note.updated' })
    await deliver(event)
    expect(spans()).toEqual([])
    await receiver.process(event)
    expect(spans().map(({ name }) => name)).toEqual(['process note.updated'])
  })
})

function fail(): never {
  throw new Error('Salaries 2026')
}

/** A receiver with the OpenTelemetry SDK. Metrics are read from the exporter. */
function metered(options: Omit<Partial<ReceiverOptions>, 'clock'> = {}) {
  const exporter = new InMemoryMetricExporter(AggregationTemporality.CUMULATIVE)
  const provider = new MeterProvider({ readers: [new PeriodicExportingMetricReader({ exporter })] })
  metrics.setGlobalMeterProvider(provider)
  onTestFinished(() => metrics.disable())
  const receiver = setUpReceiver({ hooks: receiverTelemetry(), ...options })
  const exported = async () => {
    await provider.forceFlush()
    const metrics = exporter
      .getMetrics()
      .at(-1)
      ?.scopeMetrics.flatMap((scope) => scope.metrics)
    await provider.shutdown()
    return metrics ?? []
  }
  const measured = async (...names: string[]) => {
    const metrics = (await exported()).filter(({ descriptor }) => names.includes(descriptor.name))
    return metrics.flatMap(({ dataPoints }) => {
      return dataPoints.map(({ attributes, value }) => [attributes, withoutBuckets(value)])
    })
  }
  return { ...receiver, exported, measured }
}

function withoutBuckets(value: number | object): unknown {
  if (typeof value === 'number') return value
  const { buckets: _, ...summary } = value as { readonly buckets?: unknown }
  return summary
}

function traced(options: Omit<Partial<ReceiverOptions>, 'clock'>) {
  const exporter = new InMemorySpanExporter()
  const provider = new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] })
  trace.setGlobalTracerProvider(provider)
  onTestFinished(() => trace.disable())
  const receiver = setUpReceiver({ hooks: receiverTelemetry(), ...options })
  return { ...receiver, tracer: provider.getTracer('http'), spans: () => exporter.getFinishedSpans() }
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
