import { isKnownEvent, NotewireError, parseTime, type WebhookEvent } from '@notewire/protocol'
import { type Attributes, metrics, type Span, SpanKind, SpanStatusCode, trace } from '@opentelemetry/api'
import { answerTo } from './delivering/answer.ts'
import type { ReceiverHooks } from './observing/receiver-hooks.ts'
import type { ProcessOutcome } from './processing/outcome.ts'

/** The hooks that `receiverTelemetry` returns. */
export type ReceiverTelemetry = {
  readonly [Hook in Exclude<keyof ReceiverHooks, 'onDrift'>]: NonNullable<ReceiverHooks[Hook]>
}

/**
 * Creates hooks that measure deliveries and create a span for the processing of each event, around its handler. The metrics contain no id.
 * The spans contain the ids of the event and of its integration. Neither contains a secret, the id of a note, or note content.
 *
 * The hooks use the meter provider and the tracer provider that are registered when this function is called: start the SDK first.
 *
 * @example
 * ```ts
 * import { createReceiver } from '@notewire/webhooks'
 * import { receiverTelemetry } from '@notewire/webhooks/opentelemetry'
 *
 * const receiver = createReceiver({ secret: () => process.env['NOTES_SIGNING_SECRET'], on: {}, hooks: receiverTelemetry() })
 * ```
 */
export function receiverTelemetry(): ReceiverTelemetry {
  const meter = metrics.getMeter('@notewire/webhooks')
  const tracer = trace.getTracer('@notewire/webhooks')
  const counter = (name: string, unit: string, description: string) =>
    meter.createCounter(`notewire.webhook.${name}`, { unit, description })
  const histogram = (name: string, description: string, explicitBucketBoundaries: number[]) =>
    meter.createHistogram(`notewire.webhook.${name}`, { unit: 's', description, advice: { explicitBucketBoundaries } })

  const deliveries = counter('deliveries', '{delivery}', 'Attempts whose signature was checked.')
  const errorAnswers = counter('error_answers', '{delivery}', 'Attempts that were answered with 4xx or 5xx.')
  const events = counter('events', '{event}', 'Events by outcome.')
  const queued = counter('queued', '{event}', 'Events that the queue has confirmed.')
  const overdue = counter('overdue', '{event}', 'Events that took longer than the service waits.')
  const lag = histogram('event.lag', 'Time from occurred_at until an event was applied.', LAGS)
  const wait = histogram('claim.wait', 'Time that an event waited for its note.', WAITS)
  const duration = histogram('handler.duration', 'Time that the handler or the sink ran.', DURATIONS)
  const secretUse = meter.createGauge('notewire.webhook.secret.last_use', {
    unit: 's',
    description: 'Unix time of the last delivery that a secret verified.',
  })

  return {
    onVerified({ secretIndex, timestamp }) {
      deliveries.add(1, { 'notewire.verification': 'verified' })
      secretUse.record(timestamp, { 'notewire.secret_index': secretIndex })
    },
    onRefused(reason) {
      deliveries.add(1, { 'notewire.verification': reason })
    },
    onErrorAnswer({ status, code }) {
      errorAnswers.add(1, { 'http.response.status_code': status, 'error.type': code })
    },
    onQueued(event) {
      queued.add(1, kindOf(event))
    },
    onOutcome({ status, event }, { waitedMs, handlerMs }) {
      const attributes = { ...kindOf(event), 'notewire.outcome': status }
      events.add(1, attributes)
      wait.record(waitedMs / 1_000, attributes)
      if (handlerMs !== undefined) duration.record(handlerMs / 1_000, attributes)
      const occurredAt = parseTime(event.occurred_at)
      // Only for applied events: for a duplicate, the lag would measure how long the service has been retrying.
      if (status === 'applied' && occurredAt !== undefined) {
        lag.record(Math.max(0, Date.now() - occurredAt) / 1_000, kindOf(event))
      }
    },
    onOverdue(event) {
      overdue.add(1, kindOf(event))
    },
    async aroundEvent(event, process, { integration }) {
      const attributes = {
        'messaging.system': 'notewire',
        'messaging.operation.name': 'process',
        'messaging.operation.type': 'process',
        'messaging.message.id': event.event_id,
        'notewire.integration': integration,
        ...kindOf(event),
      }
      const name = `process ${attributes['notewire.event_type']}`
      await tracer.startActiveSpan(name, { kind: SpanKind.CONSUMER, attributes }, async (span) => {
        endWith(await process(), span)
      })
    },
  }
}

const LAGS = [1, 5, 30, 60, 300, 1_800, 7_200, 43_200, 86_400]
const WAITS = [0.001, 0.01, 0.05, 0.1, 0.25, 0.5, 1, 2]
const DURATIONS = [0.01, 0.05, 0.1, 0.5, 1, 2, 4, 8, 30]

/** The kind of a known event, else `_OTHER`: each value of an attribute creates a series. */
function kindOf(event: WebhookEvent) {
  return { 'notewire.event_type': isKnownEvent(event) ? event.event_type : '_OTHER' } satisfies Attributes
}

function endWith(outcome: ProcessOutcome, span: Span): void {
  span.setAttribute('notewire.outcome', outcome.status)
  if (answerTo(outcome).error !== undefined) {
    const error = 'error' in outcome ? outcome.error : undefined
    span.setAttribute('error.type', error instanceof NotewireError ? error.code : outcome.status)
    span.setStatus({ code: SpanStatusCode.ERROR })
  }
  span.end()
}
