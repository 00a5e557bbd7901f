import { AsyncLocalStorage } from 'node:async_hooks'
import { NotesClient } from '@notewire/client'
import { clientTelemetry } from '@notewire/client/opentelemetry'
import { createNotesService } from '@notewire/mock-server'
import { createReceiver } from '@notewire/webhooks'
import { receiverTelemetry } from '@notewire/webhooks/opentelemetry'
import { anEvent, signAttempt } from '@notewire/webhooks/testing'
import { type Context, type ContextManager, context, metrics, ROOT_CONTEXT, trace } from '@opentelemetry/api'
import {
  AggregationTemporality,
  InMemoryMetricExporter,
  MeterProvider,
  PeriodicExportingMetricReader,
} from '@opentelemetry/sdk-metrics'
import { BasicTracerProvider, InMemorySpanExporter, SimpleSpanProcessor } from '@opentelemetry/sdk-trace-base'
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import { manyCustomers } from '../fixtures/many-customers.ts'
import { mirroredService } from '../fixtures/mirrored-service.ts'
import { mirrorTelemetry, observeMirror, observeMirrors } from './opentelemetry.ts'

const BUDGET = { budgetMs: 60_000 }
const TITLE = 'Salaries 2026'
const SECRET = 'whsec_MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY'

beforeAll(() => void context.setGlobalContextManager(contextManager()))
afterAll(() => context.disable())

let telemetry: ReturnType<typeof exporting>
beforeEach(() => {
  telemetry = exporting()
})

describe('a delivery of the service', () => {
  it('is a span, below which are the requests of its handler, and is counted', async () => {
    await using service = await createNotesService()
    const { baseUrl, apiKey } = service
    const client = new NotesClient({ baseUrl, apiKey, fetch: service.fetch, hooks: clientTelemetry() })
    const hooks = receiverTelemetry()
    await service.connect((secret) => {
      const on = {
        'note.ended': async ({ data }: { data: { note_id: string } }) => void (await client.notes.get(data.note_id)),
      }
      return createReceiver({ secret, on, hooks, clock: service.clock }).fetch
    })
    service.owner.record({ title: TITLE }).end({ summary: false })
    await service.settled()
    const spans = telemetry.spans().filter(({ name }) => !name.includes('endpoint'))
    expect(spans).toEqual([
      { name: 'GET /v1/notes/{note_id}', parent: 'process note.ended', error: undefined },
      { name: 'process note.ended', parent: undefined, error: undefined },
    ])
    expect(await telemetry.measured()).toMatchObject({
      'notewire.webhook.events': expect.arrayContaining([
        [{ 'notewire.event_type': 'note.ended', 'notewire.outcome': 'applied' }, 1],
      ]),
      'notewire.webhook.event.lag': [[{ 'notewire.event_type': 'note.ended' }, 1]],
      'notewire.client.request.duration': [
        [{ 'http.request.method': 'GET', 'url.template': '/v1/notes/{note_id}', 'http.response.status_code': 200 }, 1],
      ],
    })
  })
})

describe('the telemetry of a mirror', () => {
  it('makes a span of a sync, with its requests below it, and none while nothing is due', async () => {
    await using world = await mirroredService({ notes: 1 }, { hooks: mirrorTelemetry() }, { hooks: clientTelemetry() })
    await world.mirror.sync()
    const spans = telemetry.spans()
    expect(spans.at(-1)).toEqual({ name: 'mirror work', parent: undefined, error: undefined })
    expect(spans.slice(0, -1).map(({ parent }) => parent)).toEqual(['mirror work', 'mirror work', 'mirror work'])
    await world.mirror.settle()
    await world.mirror.work()
    expect(telemetry.spans()).toHaveLength(spans.length)
    expect(await telemetry.measured()).toMatchObject({ 'notewire.mirror.work.duration': [[{}, 1]] })
  })

  it('counts problems by code, and ends the span with it', async () => {
    const faults = [{ request: 'GET /v1/notes', fault: { kind: 'status', status: 503 } } as const]
    await using world = await mirroredService({ faults }, { hooks: mirrorTelemetry() }, { maxRetries: 0 })
    await expect(world.mirror.sync()).rejects.toThrow()
    expect(telemetry.spans()).toEqual([{ name: 'mirror work', parent: undefined, error: 'server_error' }])
    expect(await telemetry.measured()).toMatchObject({
      'notewire.mirror.work.duration': [[{ 'error.type': 'server_error' }, 1]],
    })
  })

  it('counts removals that a full listing holds back', async () => {
    await using world = await mirroredService({ notes: 100 }, { hooks: mirrorTelemetry() })
    await world.mirror.sync()
    const channel = world.service.owner.createChannel('elsewhere')
    for (const note of world.service.owner.notes().slice(0, 60)) note.moveTo(channel)
    await world.mirror.sync({ fullListing: 'now' })
    expect(await telemetry.measured()).toMatchObject({ 'notewire.mirror.removals.held': [[{}, 60]] })
  })

  it('counts reads that contradict earlier ones', async () => {
    await using world = await mirroredService({ notes: 1 }, { hooks: mirrorTelemetry() })
    await world.mirror.sync()
    const [note] = world.service.owner.notes()
    const deletion = anEvent({ kind: 'note.deleted', noteId: note?.note_id ?? '', revision: 99 })
    const receiver = world.mirror.receiver({ secret: SECRET })
    const attempt = await signAttempt(SECRET, deletion, { signedAt: world.service.clock.now() })
    await receiver.fetch(new Request('https://receiver.test/', { method: 'POST', ...attempt }))
    // The service still returns the note.
    await world.mirror.settle()
    expect(await telemetry.measured()).toMatchObject({ 'notewire.mirror.contradictions': [[{}, 1]] })
  })

  it('measures the age of the watermark, and whether its events have stopped', async () => {
    await using world = await mirroredService({ notes: 1 }, { hooks: mirrorTelemetry() })
    onTestFinished(observeMirror(world.mirror))
    expect(await telemetry.measured()).toMatchObject({ 'notewire.mirror.silent': [[{}, 0]] })
    await world.mirror.sync()
    expect(await telemetry.measured()).toMatchObject({ 'notewire.mirror.lag': [[{}, expect.any(Number)]] })
  })

  it('measures how long the copy has not been brought up to date, with the code of its problem', async () => {
    await using world = await mirroredService({ notes: 1 }, {}, { maxRetries: 0 })
    onTestFinished(observeMirror(world.mirror))
    await world.mirror.sync()
    expect(await telemetry.measured()).toMatchObject({ 'notewire.mirror.problem.age': [[{}, 0]] })
    const outage = world.service.faults.inject({ request: '* /v1/**', fault: { kind: 'status', status: 401 } })
    await expect(world.mirror.sync()).rejects.toThrow()
    expect((await telemetry.measured())['notewire.mirror.problem.age']).toEqual([
      [{}, 0],
      [{ 'error.type': 'unauthorized' }, expect.any(Number)],
    ])
    outage.remove()
    await world.mirror.sync()
    expect((await telemetry.measured())['notewire.mirror.problem.age']).toEqual([
      [{}, 0],
      [{ 'error.type': 'unauthorized' }, 0],
    ])
  })

  it('contains neither a key, nor the id of a note, nor note content', async () => {
    const hooks = { ...mirrorTelemetry() }
    const requests = clientTelemetry()
    await using world = await mirroredService({}, { hooks }, { hooks: requests })
    const { note_id } = world.service.owner.record({ title: TITLE }).end()
    await world.service.settled()
    await world.mirror.sync()
    const told = JSON.stringify([telemetry.raw(), await telemetry.measured()])
    expect(told).toContain('mirror work')
    for (const secret of [note_id, TITLE, world.service.apiKey]) expect(told).not.toContain(secret)
  })
})

describe('the telemetry of mirrors of many integrations', () => {
  it('makes a span of each slice, with the integration and the requests below it', async () => {
    const requests = clientTelemetry()
    await using world = await manyCustomers(2)
    const { service, customers } = world
    const mirrors = world.another({
      hooks: mirrorTelemetry(),
      connect: (integration) => ({
        baseUrl: service.baseUrl,
        apiKey: customers.find((customer) => customer.integration === integration)?.apiKey ?? '',
        fetch: service.fetch,
        hooks: requests,
      }),
    })
    for (const { integration } of customers) await mirrors.add(integration)
    await mirrors.work(BUDGET)
    const slices = telemetry.raw().filter(({ name }) => name === 'mirror work')
    expect(new Set(slices.map(({ attributes }) => attributes['notewire.integration']))).toEqual(
      new Set(['customer-0', 'customer-1']),
    )
    const others = telemetry.spans().filter(({ name }) => name !== 'mirror work')
    expect(new Set(others.map(({ parent }) => parent))).toEqual(new Set(['mirror work']))
    expect(JSON.stringify(await telemetry.measured())).not.toContain('customer-')
  })

  it('counts integrations by state, and measures how overdue they are', async () => {
    await using world = await manyCustomers(3)
    const { mirrors, customers, service } = world
    onTestFinished(observeMirrors(mirrors))
    for (const { integration } of customers) await mirrors.add(integration)
    const [first, second] = customers
    if (first !== undefined && second !== undefined) second.apiKey = first.apiKey
    await mirrors.work(BUDGET)
    await service.clock.advance('10m')
    const integrations = (state: object, count: number) => [state, count]
    expect(await telemetry.measured()).toMatchObject({
      'notewire.mirror.integrations': [
        integrations({ 'notewire.state': 'active' }, 2),
        integrations({ 'notewire.state': 'removing' }, 0),
        integrations({ 'notewire.state': 'parked', 'notewire.parked_because': 'key_changed' }, 0),
        integrations({ 'notewire.state': 'parked', 'notewire.parked_because': 'key_shared' }, 1),
        integrations({ 'notewire.state': 'parked', 'notewire.parked_because': 'key_refused' }, 0),
      ],
      'notewire.mirror.integrations.due': [[{}, 2]],
      'notewire.mirror.integrations.backing_off': [[{}, 0]],
      'notewire.mirror.integrations.held': [[{}, 0]],
      'notewire.mirror.integrations.problems': [[{ 'error.type': 'key_shared' }, 1]],
      'notewire.mirror.longest_without_sync': [[{}, 600]],
      'notewire.mirror.services.paused': [[{}, 0]],
      'notewire.mirror.overdue': [[{}, expect.any(Number)]],
    })
  })

  it('counts endpoints that are not active, by status', async () => {
    await using world = await manyCustomers(1)
    onTestFinished(observeMirrors(world.mirrors))
    await world.mirrors.add('customer-0', { endpoint: 'https://app.example/webhooks', saveSecret: () => undefined })
    expect(await telemetry.measured()).toMatchObject({
      'notewire.mirror.endpoints': [[{ 'notewire.endpoint_status': 'pending_verification' }, 1]],
    })
  })

  it('stops when its stop function is called', async () => {
    await using world = await manyCustomers(0)
    observeMirrors(world.mirrors)()
    expect(await telemetry.measured()).toEqual({})
  })
})

/** The OpenTelemetry SDK with exporters in memory. */
function exporting() {
  const spanExporter = new InMemorySpanExporter()
  trace.setGlobalTracerProvider(new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(spanExporter)] }))
  const exporter = new InMemoryMetricExporter(AggregationTemporality.CUMULATIVE)
  const meters = new MeterProvider({ readers: [new PeriodicExportingMetricReader({ exporter })] })
  metrics.setGlobalMeterProvider(meters)
  onTestFinished(async () => {
    trace.disable()
    metrics.disable()
    await meters.shutdown()
  })
  const raw = () =>
    spanExporter.getFinishedSpans().map(({ name, attributes, events }) => ({ name, attributes, events }))
  const spans = () => {
    const finished = spanExporter.getFinishedSpans()
    const names = new Map(finished.map((span) => [span.spanContext().spanId, span.name]))
    return finished.map(({ name, parentSpanContext, attributes }) => {
      return { name, parent: names.get(parentSpanContext?.spanId ?? ''), error: attributes['error.type'] }
    })
  }
  /** The attributes and the value of each series, by metric. Of a histogram, the count. */
  const measured = async () => {
    await meters.forceFlush()
    const found =
      exporter
        .getMetrics()
        .at(-1)
        ?.scopeMetrics.flatMap((scope) => scope.metrics) ?? []
    return Object.fromEntries(
      found.map(({ descriptor, dataPoints }) => [
        descriptor.name,
        dataPoints.map(({ attributes, value }) => [attributes, countOf(value)]),
      ]),
    )
  }
  return { raw, spans, measured }
}

function countOf(value: unknown): unknown {
  return typeof value === 'object' && value !== null && 'count' in value ? value.count : value
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
