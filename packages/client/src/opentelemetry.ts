import { metrics, type Span, SpanKind, SpanStatusCode, trace } from '@opentelemetry/api'
import type { NotesClientHooks, RequestNotice, ResponseNotice } from './options/hooks.ts'

/** The hooks that `clientTelemetry` returns. */
export type ClientTelemetry = {
  readonly [Hook in 'onRequest' | 'onResponse' | 'onDrift']: NonNullable<NotesClientHooks[Hook]>
}

/**
 * Creates hooks that measure each request and create a span for it, as a child of the span that is active when the client is called. Any
 * number of clients can share the hooks. Metrics and spans contain neither the API key, nor an id, nor note content.
 *
 * The hooks use the meter provider and the tracer provider that are registered when this function is called: start the SDK first.
 *
 * @example
 * ```ts
 * import { NotesClient } from '@notewire/client'
 * import { clientTelemetry } from '@notewire/client/opentelemetry'
 *
 * const client = new NotesClient({
 *   baseUrl: 'https://notes.example',
 *   apiKey: 'ntw_live_k7.s3cret',
 *   hooks: clientTelemetry(),
 * })
 * ```
 */
export function clientTelemetry(): ClientTelemetry {
  const meter = metrics.getMeter('@notewire/client')
  const tracer = trace.getTracer('@notewire/client')
  const duration = meter.createHistogram('notewire.client.request.duration', {
    description: 'Duration of requests to the REST API, from the request to the last byte of the answer.',
    unit: 's',
    advice: { explicitBucketBoundaries: [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30] },
  })
  const drift = meter.createCounter('notewire.client.drift', {
    description: 'Fields and values of the service that this version does not know.',
    unit: '{field}',
  })
  const spans = new Map<number, Span>()
  return {
    onRequest(request) {
      const { attempt } = request
      const attributes = {
        ...operationOf(request),
        ...(attempt > 1 && { 'http.request.resend_count': attempt - 1 }),
      }
      spans.set(request.callId, tracer.startSpan(request.operation, { kind: SpanKind.CLIENT, attributes }))
    },
    onResponse(response) {
      const { callId, requestId, durationMs } = response
      const end = endOf(response)
      duration.record(durationMs / 1_000, { ...operationOf(response), ...end })
      const span = spans.get(callId)
      spans.delete(callId)
      span?.setAttributes({ ...end, ...(requestId !== undefined && { 'notewire.request_id': requestId }) })
      if ('error.type' in end) span?.setStatus({ code: SpanStatusCode.ERROR })
      span?.end()
    },
    onDrift({ resource, field }) {
      drift.add(1, { 'notewire.resource': resource, 'notewire.field': field })
    },
  }
}

function operationOf({ operation }: RequestNotice) {
  const [method = '', template = ''] = operation.split(' ')
  return { 'http.request.method': method, 'url.template': template }
}

function endOf({ status, failure, networkCode }: ResponseNotice) {
  if (status === undefined) return { 'error.type': networkCode ?? failure ?? '_OTHER' }
  return { 'http.response.status_code': status, ...(status >= 400 && { 'error.type': `${status}` }) }
}
