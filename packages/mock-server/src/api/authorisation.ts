import type { Context, MiddlewareHandler } from 'hono'
import type { RequestFault } from '../faults/fault-rule.ts'
import type { ApiKey, Integration } from '../world/integration.ts'
import type { Owners } from '../world/owners.ts'
import type { World } from '../world/world.ts'
import { Problem } from './problem.ts'
import type { ReceivedRequest } from './request-log.ts'

export interface ApiEnv {
  Variables: {
    /** `undefined` without a valid key. */
    apiKey: ApiKey | undefined
    /** The owner of the key; without a valid key, the first owner, whose random streams are then used. */
    world: World
    /** The integration of the key, after the key was authorised. */
    integration: Integration
    /** The body as text; `undefined` for a GET. */
    body: string | undefined
    pageFault: Extract<RequestFault, { readonly kind: 'empty_page' | 'short_page' }> | undefined
  }
}

export type ApiContext = Context<ApiEnv>

const BEARER = /^Bearer +(?<key>\S+)$/i

export function identify(context: ApiContext, owners: Owners): Identity {
  const { key } = BEARER.exec(context.req.header('authorization') ?? '')?.groups ?? {}
  const known = key === undefined ? undefined : owners.keyFor(key)
  const world = known?.world ?? owners.first
  context.set('apiKey', known?.apiKey)
  context.set('world', world)
  if (known === undefined)
    return { world, authentication: key === undefined ? 'missing' : 'rejected', key_id: undefined }
  return { world, authentication: 'accepted', key_id: known.apiKey.key_id }
}

interface Identity extends Pick<ReceivedRequest, 'authentication' | 'key_id'> {
  readonly world: World
}

/** Requires a valid key with the scope (contract §5; open points 22 and 23). */
export function requireScope(scope: string): MiddlewareHandler<ApiEnv> {
  return async (context, next) => {
    const apiKey = context.get('apiKey')
    if (apiKey === undefined) {
      const message =
        'The API key is missing, unknown or revoked. Send a valid key in the header Authorization, after the word Bearer.'
      throw new Problem(401, { code: 'unauthorized', message })
    }
    if (!apiKey.scopes.includes(scope)) {
      const message = `The API key lacks the scope "${scope}". Use a key that has this scope.`
      throw new Problem(403, { code: 'insufficient_scope', message, scope })
    }
    context.set('integration', apiKey.integration)
    await next()
  }
}
