import type { Context, MiddlewareHandler } from 'hono'
import type { Integration } from '../world/integration.ts'
import type { Owners } from '../world/owners.ts'
import type { World } from '../world/world.ts'
import type { PageFault } from './note-page.ts'
import { insufficientScope, unauthorized } from './problem.ts'

/** The variables of an authorised request. */
export interface ApiEnv {
  Variables: {
    /** The owner whose key it is. */
    world: World
    integration: Integration
    /** The identifier of the key, for the log. */
    keyId: string | undefined
    /** The body as text; `undefined` for a GET. */
    body: string | undefined
    pageFault: PageFault | undefined
  }
}

export type ApiContext = Context<ApiEnv>

const BEARER = /^Bearer +(?<key>\S+)$/i

/** Requires a valid key with the scope (contract §5; open points 22 and 23). */
export function allow(owners: Owners): (scope: string) => MiddlewareHandler<ApiEnv> {
  return (scope) => async (context, next) => {
    const { key } = BEARER.exec(context.req.header('authorization') ?? '')?.groups ?? {}
    const known = key === undefined ? undefined : owners.keyFor(key)
    if (known === undefined) throw unauthorized()
    const { world, apiKey } = known
    context.set('keyId', apiKey.key_id)
    if (!apiKey.scopes.includes(scope)) throw insufficientScope(scope)
    context.set('world', world)
    context.set('integration', apiKey.integration)
    await next()
  }
}
