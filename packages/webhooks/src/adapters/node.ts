import { refuseUnknownOptions } from '@notewire/protocol'
import { requireNodeRequest } from '../delivering/not-a-request.ts'
import type { RespondingReceiver, RespondingReceivers } from '../receiver/receiver-interface.ts'
import { findIntegration, requireReceiver } from './mounting.ts'
import { answerNodeRequest } from './node-request.ts'
import type { NodeRequest, NodeResponse } from './node-types.ts'

/** The options of `nodeHandler`, for the receivers of many integrations. */
export interface NodeHandlerOptions {
  /** Finds the id of the integration in a request, such as the last segment of its path. If it throws, the answer is 404. */
  // A method, so that it may also be a function of an `IncomingMessage`.
  integrationOf(request: NodeRequest): string | undefined
}

type NodeHandler = (request: NodeRequest, response: NodeResponse) => void

/**
 * Mounts a receiver in a server of `node:http`. It answers every request that it gets: set the receiver's option `path` if it is
 * the server's only handler.
 *
 * @example
 * ```ts
 * import { createServer } from 'node:http'
 * import { createReceiver } from '@notewire/webhooks'
 * import { nodeHandler } from '@notewire/webhooks/node'
 *
 * const receiver = createReceiver({ secret: () => process.env['NOTES_SIGNING_SECRET'], on: {} })
 * createServer(nodeHandler(receiver)).listen(3000)
 * ```
 */
export function nodeHandler(receiver: RespondingReceiver): NodeHandler
export function nodeHandler(receivers: RespondingReceivers, options: NodeHandlerOptions): NodeHandler
export function nodeHandler(receiver: RespondingReceivers, options: Partial<NodeHandlerOptions> = {}): NodeHandler {
  requireReceiver('nodeHandler', receiver)
  refuseUnknownOptions('nodeHandler', options, { integrationOf: true })
  const { integrationOf } = options
  return (request, response) => {
    requireNodeRequest('nodeHandler', request, response)
    const integration = integrationOf && findIntegration(integrationOf, request)
    answerNodeRequest(receiver, request, response, { url: request.url, integration }).catch((error) =>
      response.destroy(error),
    )
  }
}
