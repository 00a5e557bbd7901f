import { NotewireError } from '@notewire/protocol'
import { requireNodeRequest } from '../delivering/not-a-request.ts'
import { attemptOf, responseOf } from '../delivering/web-attempt.ts'
import type { RespondingReceivers } from '../receiver/receiver-interface.ts'
import { requireReceiver, routeParameter } from './mounting.ts'
import { hostValue } from './node-body.ts'
import { answerNodeRequest } from './node-request.ts'
import type { NodeRequest, NodeResponse } from './node-types.ts'

/**
 * Mounts the receivers of many integrations in the app router of Next, in a file below a folder `[integration]`. A receiver of one
 * integration needs no adapter: export `receiver.fetch`.
 *
 * @example
 * ```ts
 * // app/webhooks/notes/[integration]/route.ts
 * import { createReceivers } from '@notewire/webhooks'
 * import { routeHandler } from '@notewire/webhooks/next'
 *
 * const secrets = new Map([['acme', process.env['ACME_SIGNING_SECRET']]])
 * export const POST = routeHandler(createReceivers({ secretOf: (integration) => secrets.get(integration), on: {} }))
 * ```
 */
export function routeHandler(
  receivers: RespondingReceivers,
): (request: Request, context: { params: Promise<{ integration: string }> }) => Promise<Response> {
  requireReceiver('routeHandler', receivers)
  return async (request, context) => {
    const attempt = attemptOf(request)
    const integration = routeParameter(await context?.params)
    return responseOf(await receivers.respond({ ...attempt, integration }))
  }
}

/**
 * Mounts a receiver in the pages router of Next. The file of the route must disable Next's body parser with exactly this line, because
 * Next reads the line without running the file: `export const config = { api: { bodyParser: false } }`.
 *
 * For the receivers of many integrations it reads the integration from the path of the file: `pages/api/webhooks/notes/[integration].ts`.
 *
 * The app router, and API routes of the edge runtime, need no adapter for a receiver of one integration: export `receiver.fetch`.
 *
 * @throws NotewireError `body_already_parsed` if the body parser is enabled. Next logs it and answers 500
 * @example
 * ```ts
 * // pages/api/webhooks/notes.ts
 * import { createReceiver } from '@notewire/webhooks'
 * import { pagesHandler } from '@notewire/webhooks/next'
 *
 * export const config = { api: { bodyParser: false } }
 * export default pagesHandler(createReceiver({ secret: () => process.env['NOTES_SIGNING_SECRET'], on: {} }))
 * ```
 */
export function pagesHandler(
  receiver: RespondingReceivers,
): (request: NodeRequest, response: NodeResponse) => Promise<void> {
  requireReceiver('pagesHandler', receiver)
  return async (request, response) => {
    requireNodeRequest('pagesHandler', request, response)
    if (wasParsedByNext(request)) {
      throw new NotewireError(
        'body_already_parsed',
        'the body parser of Next has consumed the request body, so the signature cannot be verified. Add ' +
          '"export const config = { api: { bodyParser: false } }" to the file of this API route.',
      )
    }
    const integration = 'query' in request ? routeParameter(request.query) : undefined
    await answerNodeRequest(receiver, request, response, { url: request.url, integration })
  }
}

// A custom server that runs Next may have kept the raw bytes.
function wasParsedByNext(request: NodeRequest): boolean {
  return hostValue(request, 'body') !== undefined && !('rawBody' in request)
}
