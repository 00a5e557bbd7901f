import type { IncomingMessage, ServerResponse } from 'node:http'
import { NotewireError } from '@notewire/protocol'
import type { Receiver } from '../receiver/receiver.ts'
import { answerNodeRequest } from './node-request.ts'
import { requireReceiver } from './required-receiver.ts'

/**
 * Mounts a receiver in the pages router of Next. The file of the route must switch Next's body parser off, in these very
 * words, because Next reads them without running the file: `export const config = { api: { bodyParser: false } }`.
 *
 * The app router, and API routes of the edge runtime, need no adapter: `receiver.fetch` is their handler.
 *
 * @throws NotewireError `body_already_parsed`, which Next logs and answers with 500, while the body parser is on
 * @example
 * ```ts
 * // pages/api/webhooks/notes.ts
 * import { createReceiver } from '@notewire/webhooks'
 * import { pagesHandler } from '@notewire/webhooks/next'
 *
 * const receiver = createReceiver({
 *   secret: () => process.env['NOTES_SIGNING_SECRET'],
 *   on: { 'note.ended': async ({ data }) => console.log('fetch the transcript of', data.note_id) },
 * })
 *
 * export const config = { api: { bodyParser: false } }
 * export default pagesHandler(receiver)
 * ```
 */
export function pagesHandler(
  receiver: Receiver,
): (request: IncomingMessage, response: ServerResponse) => Promise<void> {
  requireReceiver('pagesHandler', receiver)
  return async (request, response) => {
    if (wasParsedByNext(request)) {
      throw new NotewireError(
        'body_already_parsed',
        'the body parser of Next has consumed the request body, so the signature cannot be verified. Add ' +
          '"export const config = { api: { bodyParser: false } }" to the file of this API route.',
      )
    }
    await answerNodeRequest(receiver, request, response, request.url)
  }
}

// A server around Next may have kept the raw bytes.
function wasParsedByNext(request: IncomingMessage): boolean {
  return 'body' in request && request.body !== undefined && !('rawBody' in request)
}
