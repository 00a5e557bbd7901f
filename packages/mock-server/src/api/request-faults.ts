import type { MiddlewareHandler } from 'hono'
import type { ContentfulStatusCode } from 'hono/utils/http-status'
import { durationMs } from '../clock/duration.ts'
import type { Timeline } from '../clock/timeline.ts'
import type { RequestFault } from '../faults/fault-rule.ts'
import type { ApiContext, ApiEnv } from './authorisation.ts'
import { Problem } from './problem.ts'
import type { ServiceParts } from './service-parts.ts'

/** The connection breaks without an answer. Each transport reports it as it reports a broken connection. */
export class ConnectionDropped extends Error {}

export function strikeRequests({ faults, timeline }: ServiceParts): MiddlewareHandler<ApiEnv> {
  return async (context, next) => {
    const struck = faults.strikeRequest(context.req.method, context.req.path, context.get('world'))
    for (const fault of struck) await strikeBefore(fault, context, timeline)
    await next()
    for (const fault of struck) await strikeAfter(fault, context)
  }
}

async function strikeBefore(fault: RequestFault, context: ApiContext, timeline: Timeline): Promise<void> {
  switch (fault.kind) {
    case 'latency':
      await timeline.pass(durationMs(fault.by))
      break
    case 'status': {
      const code = fault.status === 429 ? 'rate_limited' : 'injected_fault'
      const message = 'A fault rule of this service caused this response. Try again.'
      const headers = fault.retryAfter === undefined ? {} : { 'retry-after': String(fault.retryAfter) }
      throw new Problem(fault.status as ContentfulStatusCode, { code, message }, headers)
    }
    case 'dropped':
      if (fault.lost !== 'answer') throw new ConnectionDropped()
      break
    case 'empty_page':
    case 'short_page':
      context.set('pageFault', fault)
  }
}

async function strikeAfter(fault: RequestFault, context: ApiContext): Promise<void> {
  if (fault.kind === 'dropped') throw new ConnectionDropped()
  if (fault.kind !== 'truncated' && fault.kind !== 'malformed') return
  const text = await context.res.text()
  const broken = fault.kind === 'truncated' ? text.slice(0, text.length / 2) : `${text.replace(':', ' =')},`
  const { status, headers } = context.res
  // Reset first, because Hono merges the headers of the old answer into the new one.
  context.res = undefined
  context.res = new Response(broken, { status, headers })
}
