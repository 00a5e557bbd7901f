import type { Scope } from '@notewire/protocol'
import type { Context, MiddlewareHandler } from 'hono'
import type { Integration, Integrations } from '../world/integration.ts'
import { insufficientScope, unauthorized } from './problem.ts'

/** What the operations of the API know of a request that was let in. */
export interface ApiEnv {
  Variables: { integration: Integration }
}

export type ApiContext = Context<ApiEnv>

const BEARER = /^Bearer +(?<key>\S+)$/i

/** Lets a request in whose key is in force and has the scope (contract §5; open points 22 and 23). */
export function allow(integrations: Integrations): (scope: Scope) => MiddlewareHandler<ApiEnv> {
  return (scope) => async (context, next) => {
    const { key } = BEARER.exec(context.req.header('authorization') ?? '')?.groups ?? {}
    const apiKey = key === undefined ? undefined : integrations.keyFor(key)
    if (apiKey === undefined) throw unauthorized()
    if (!apiKey.scopes.includes(scope)) throw insufficientScope(scope)
    context.set('integration', apiKey.integration)
    await next()
  }
}
