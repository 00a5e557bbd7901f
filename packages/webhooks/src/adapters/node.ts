import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Receiver } from '../receiver/receiver.ts'
import { answerNodeRequest } from './node-request.ts'
import { requireReceiver } from './required-receiver.ts'

/**
 * Mounts a receiver in a server of `node:http`. Every request that reaches it is answered: give the receiver a `path`
 * when it is the server's only handler.
 *
 * @example
 * ```ts
 * import { createServer } from 'node:http'
 * import { createReceiver } from '@notewire/webhooks'
 * import { nodeHandler } from '@notewire/webhooks/node'
 *
 * const receiver = createReceiver({
 *   secret: () => process.env['NOTES_SIGNING_SECRET'],
 *   path: '/webhooks/notes',
 *   on: { 'note.updated': async ({ data }) => console.log(data.note_id, 'is at revision', data.revision) },
 * })
 *
 * createServer(nodeHandler(receiver)).listen(3000)
 * ```
 */
export function nodeHandler(receiver: Receiver): (request: IncomingMessage, response: ServerResponse) => void {
  requireReceiver('nodeHandler', receiver)
  return (request, response) => {
    answerNodeRequest(receiver, request, response, request.url).catch((error) => response.destroy(error))
  }
}
