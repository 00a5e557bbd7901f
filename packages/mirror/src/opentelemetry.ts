import { NotewireError } from '@notewire/protocol'
import {
  type Attributes,
  type BatchObservableCallback,
  type BatchObservableResult,
  metrics,
  type Observable,
  type ObservableGauge,
  SpanStatusCode,
  trace,
} from '@opentelemetry/api'
import type { MirrorHooks } from './hooks.ts'
import type { Mirrors } from './mirrors.ts'
import type { MirrorReader } from './reader/mirror-reader.ts'

/** The hooks that `mirrorTelemetry` returns. */
export type MirrorTelemetry = {
  readonly [Hook in 'onProblem' | 'onRemovalsHeld' | 'onContradiction' | 'aroundWork']: NonNullable<MirrorHooks[Hook]>
}

const NAME = '@notewire/mirror'

/**
 * Makes hooks for `createMirror` and `createMirrors` that measure their work and make a span of each part of it. The metrics contain no ids.
 * The spans contain the id of the integration. Neither contains a key, the id of a note, or note content.
 *
 * The hooks use the meter provider and the tracer provider that are registered when this function is called: start the SDK first.
 *
 * @example
 * ```ts
 * import { createMirrors } from '@notewire/mirror'
 * import { mirrorTelemetry, observeMirrors } from '@notewire/mirror/opentelemetry'
 * import { sqliteMirror } from '@notewire/mirror/sqlite'
 *
 * const connect = () => ({ baseUrl: 'https://notes.example', apiKey: 'ntw_live_k7.s3cret' })
 * const mirrors = createMirrors({ store: sqliteMirror('notes.db'), connect, hooks: mirrorTelemetry() })
 * const stop = observeMirrors(mirrors)
 * ```
 */
export function mirrorTelemetry(): MirrorTelemetry {
  const meter = metrics.getMeter(NAME)
  const tracer = trace.getTracer(NAME)
  const duration = meter.createHistogram('notewire.mirror.work.duration', {
    description: 'Duration of a part of the work: a sync, the reading of due notes, or a slice.',
    unit: 's',
    advice: { explicitBucketBoundaries: [0.01, 0.05, 0.1, 0.5, 1, 5, 10, 30, 60, 300, 1_800] },
  })
  const counter = (name: string, unit: string, description: string) =>
    meter.createCounter(`notewire.mirror.${name}`, { unit, description })
  const problems = counter('problems', '{problem}', 'Errors after which the mirror retries later.')
  const held = counter('removals.held', '{note}', 'Missing notes whose removal full listings hold back.')
  const contradictions = counter('contradictions', '{read}', 'Reads that contradict earlier reads or events of a note.')
  // Prometheus detects an increase only in a series that already exists.
  held.add(0)
  contradictions.add(0)
  return {
    onProblem({ error }) {
      problems.add(1, { 'error.type': typeOf(error) })
    },
    onRemovalsHeld({ missing }) {
      held.add(missing)
    },
    onContradiction() {
      contradictions.add(1)
    },
    async aroundWork(work, { integration }) {
      const began = performance.now()
      await tracer.startActiveSpan(
        'mirror work',
        { attributes: { 'notewire.integration': integration } },
        async (span) => {
          const { error } = await work()
          const attributes: Attributes = error === undefined ? {} : { 'error.type': typeOf(error) }
          duration.record((performance.now() - began) / 1_000, attributes)
          span.setAttributes(attributes)
          if (error !== undefined) span.setStatus({ code: SpanStatusCode.ERROR })
          span.end()
        },
      )
    },
  }
}

/**
 * Measures the number of integrations in each state, the numbers of those that are not brought up to date and of endpoints that are not active, and how
 * overdue work is. Each export reads one small table. All processes that observe report the same numbers, except for paused services, which each
 * process counts for itself.
 *
 * @returns a function that stops the measurement
 */
export function observeMirrors(mirrors: Pick<Mirrors, 'status'>): () => void {
  const integrations = gauge('integrations', '{integration}', 'Integrations by state; parked ones by reason.')
  const due = gauge('integrations.due', '{integration}', 'Integrations that have work and that no worker has taken.')
  const backingOff = gauge('integrations.backing_off', '{integration}', 'Active integrations whose last slice failed.')
  const held = gauge('integrations.held', '{integration}', 'Integrations in which a full listing holds removals back.')
  const failing = gauge(
    'integrations.problems',
    '{integration}',
    'Integrations that are not brought up to date, by code.',
  )
  const endpoints = gauge('endpoints', '{endpoint}', 'Endpoints that are not active, by status.')
  const unsynced = gauge('longest_without_sync', 's', 'The longest time since a listing of an integration succeeded.')
  const paused = gauge('services.paused', '{service}', 'Services whose integrations this process has paused.')
  const overdue = gauge('overdue', 's', 'How long the most overdue integration has been due.')
  const observeProblems = observerBy('error.type')
  const observeEndpoints = observerBy('notewire.endpoint_status')
  const gauges = [integrations, due, backingOff, held, failing, endpoints, unsynced, paused, overdue]
  return observe(gauges, async (result) => {
    const status = await mirrors.status()
    result.observe(integrations, status.active, { 'notewire.state': 'active' })
    result.observe(integrations, status.removing, { 'notewire.state': 'removing' })
    for (const [because, count] of Object.entries(status.parked)) {
      result.observe(integrations, count, { 'notewire.state': 'parked', 'notewire.parked_because': because })
    }
    result.observe(due, status.due)
    result.observe(backingOff, status.backingOff)
    result.observe(held, status.heldRemovals)
    observeProblems(result, failing, Object.entries(status.problems))
    observeEndpoints(result, endpoints, Object.entries(status.endpoints))
    if (status.longestWithoutSyncMs !== null) result.observe(unsynced, status.longestWithoutSyncMs / 1_000)
    result.observe(paused, status.pausedServices.length)
    result.observe(overdue, status.overdueMs / 1_000)
  })
}

/**
 * Measures the age of the watermark of one mirror, how long its copy has not been brought up to date, and whether its events have stopped, with
 * `mirror.status()` at each export. Use it for one mirror only, because several mirrors would report the same series.
 *
 * @returns a function that stops the measurement
 */
export function observeMirror(mirror: Pick<MirrorReader, 'status'>): () => void {
  const lag = gauge('lag', 's', 'Time since the watermark, up to which all changes have been listed.')
  const age = gauge('problem.age', 's', 'How long the copy has not been brought up to date; 0 if it is.')
  const silent = gauge('silent', '{mirror}', '1 if polls find changes that no event announced.')
  const observeAge = observerBy('error.type')
  return observe([lag, age, silent], async (result) => {
    const { watermark, problem, silence } = await mirror.status()
    if (watermark !== null) result.observe(lag, secondsSince(watermark))
    result.observe(age, 0)
    observeAge(result, age, problem === null ? [] : [[problem.code, secondsSince(problem.since)]])
    result.observe(silent, silence === null ? 0 : 1)
  })
}

/**
 * Makes a function that observes a value for each value of an attribute, and 0 for those of earlier calls: the SDK continues to export a series that is
 * no longer observed.
 */
function observerBy(attribute: string) {
  const known = new Set<string>()
  return (result: BatchObservableResult, gauge: ObservableGauge, entries: readonly (readonly [string, number])[]) => {
    const values = new Map(entries)
    for (const name of values.keys()) known.add(name)
    for (const name of known) result.observe(gauge, values.get(name) ?? 0, { [attribute]: name })
  }
}

function secondsSince(time: Date): number {
  return Math.max(0, Date.now() - time.getTime()) / 1_000
}

function gauge(name: string, unit: string, description: string): ObservableGauge {
  return metrics.getMeter(NAME).createObservableGauge(`notewire.mirror.${name}`, { unit, description })
}

function observe(gauges: Observable[], callback: BatchObservableCallback): () => void {
  const meter = metrics.getMeter(NAME)
  meter.addBatchObservableCallback(callback, gauges)
  return () => meter.removeBatchObservableCallback(callback, gauges)
}

/** The code of our own errors. The name of another error could quote a note. */
function typeOf(error: unknown): string {
  return error instanceof NotewireError ? error.code : '_OTHER'
}
