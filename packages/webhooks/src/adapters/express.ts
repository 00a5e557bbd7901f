import { refuseSurplusOptions } from '@notewire/protocol'
import { requireNodeRequest } from '../delivering/not-a-request.ts'
import type { RespondingReceivers } from '../receiver/receiver-interface.ts'
import { requireReceiver, routeParameter } from './mounting.ts'
import { answerNodeRequest } from './node-request.ts'
import type { NodeRequest, NodeResponse } from './node-types.ts'

type ExpressHandler = (request: NodeRequest, response: NodeResponse, next: (error?: unknown) => void) => void

/**
 * Mounts a receiver in Express 4 or 5. It reads the raw bytes on its own route and needs no body parser: mount it
 * before a global `express.json()`, or configure `express.json()` to keep the bytes in `req.rawBody`.
 *
 * For the receivers of many integrations it reads the route parameter `integration`: mount them at `/webhooks/notes/:integration`.
 *
 * @example
 * ```ts
 * import { createReceiver } from '@notewire/webhooks'
 * import { expressHandler } from '@notewire/webhooks/express'
 * import express from 'express'
 *
 * const receiver = createReceiver({ secret: () => process.env['NOTES_SIGNING_SECRET'], on: {} })
 * express().post('/webhooks/notes', expressHandler(receiver)).listen(3000)
 * ```
 */
export function expressHandler(receiver: RespondingReceivers): ExpressHandler
export function expressHandler(receiver: RespondingReceivers, ...surplus: readonly unknown[]): ExpressHandler {
  refuseSurplusOptions('expressHandler', surplus)
  requireReceiver('expressHandler', receiver)
  return (request, response, next) => {
    requireNodeRequest('expressHandler', request, response)
    // Express removes the mount point from `url`; `originalUrl` has the path that the service requested.
    const url = 'originalUrl' in request ? String(request.originalUrl) : request.url
    const integration = 'params' in request ? routeParameter(request.params) : undefined
    answerNodeRequest(receiver, request, response, { url, integration }).catch((error) => {
      // A server without Express calls the handler without `next`.
      if (typeof next === 'function') next(error)
      else response.destroy(error)
    })
  }
}
