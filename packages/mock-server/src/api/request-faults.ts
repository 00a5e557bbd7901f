import type { MiddlewareHandler } from 'hono'
import type { ContentfulStatusCode } from 'hono/utils/http-status'
import { durationMs } from '../clock/duration.ts'
import type { Timeline } from '../clock/timeline.ts'
import type { RequestFault } from '../faults/fault-rule.ts'
import type { ApiContext, ApiEnv } from './authorisation.ts'
import { Problem } from './problem.ts'
import type { ServiceParts } from './service-parts.ts'

/** A fault rule broke the connection. Each transport reports this in its own way: a `TypeError`, or a closed socket. */
export class ConnectionDropped extends Error {}

export function applyRequestFaults({ faults, timeline }: ServiceParts): MiddlewareHandler<ApiEnv> {
  return async (context, next) => {
    const active = faults.faultsOfRequest(context.req.method, context.req.path, context.get('world'))
    for (const fault of active) await applyBefore(fault, context, timeline)
    await next()
    for (const fault of active) await applyAfter(fault, context)
  }
}

async function applyBefore(fault: RequestFault, context: ApiContext, timeline: Timeline): Promise<void> {
  switch (fault.kind) {
    case 'latency':
      await timeline.sleepAndAdvance(durationMs(fault.by))
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

async function applyAfter(fault: RequestFault, context: ApiContext): Promise<void> {
  if (fault.kind === 'dropped') throw new ConnectionDropped()
  if (fault.kind !== 'truncated' && fault.kind !== 'malformed') return
  const text = await context.res.text()
  const broken = fault.kind === 'truncated' ? text.slice(0, text.length / 2) : `${text.replace(':', ' =')},`
  const { status, headers } = context.res
  // Reset first, because Hono merges the headers of the old response into the new one.
  context.res = undefined
  context.res = new Response(broken, { status, headers })
}
