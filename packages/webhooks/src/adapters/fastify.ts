import type { Readable } from 'node:stream'
import { OptionError } from '@notewire/protocol'
import type { FastifyPluginAsync, FastifyReply, FastifyRequest } from 'fastify'
import type { RespondingReceivers } from '../receiver/receiver-interface.ts'
import { requireReceiver, routeParameter } from './mounting.ts'
import { answerNodeRequest, reportAnswered } from './node-request.ts'

/** The options of {@link fastifyPlugin}. */
export interface FastifyReceiverOptions {
  readonly receiver: RespondingReceivers
  /**
   * The path of the route, below the `prefix` that the plugin is registered with, if any. For the receivers of many integrations it must
   * contain the parameter `integration`: `/webhooks/notes/:integration`.
   */
  readonly url: string
}

/**
 * Mounts a receiver in Fastify 5. The plugin is encapsulated: on its own route it reads the raw bytes of any media type, up to the
 * receiver's `maxBodyBytes`; parsers and `bodyLimit` of other routes do not change. If a `preParsing` hook returns another stream, the plugin
 * reads that one. It writes the response itself, so `onRequest` and `onResponse` hooks run, and `onSend` hooks cannot change the answer. If a
 * hook has sent a response with a status below 300, the receiver logs that it did not get the delivery.
 *
 * @throws OptionError if it is registered without a receiver
 * @example
 * ```ts
 * import { createReceiver } from '@notewire/webhooks'
 * import { fastifyPlugin } from '@notewire/webhooks/fastify'
 * import { fastify } from 'fastify'
 *
 * const receiver = createReceiver({ secret: () => process.env['NOTES_SIGNING_SECRET'], on: {} })
 * await fastify().register(fastifyPlugin, { receiver, url: '/webhooks/notes' }).listen({ port: 3000 })
 * ```
 */
export const fastifyPlugin: FastifyPluginAsync<FastifyReceiverOptions> = async (scope, options) => {
  const { receiver, url } = options ?? {}
  requireReceiver('fastifyPlugin', receiver)
  if (typeof url !== 'string') {
    throw new OptionError(
      'url',
      'fastifyPlugin needs the option url. Register it with { receiver, url: "/webhooks/notes" }.',
    )
  }
  scope.removeAllContentTypeParsers()
  const payloads = new WeakMap<FastifyRequest, Readable>()
  scope.addContentTypeParser('*', (request, payload, done) => {
    leaveUnread(payload)
    payloads.set(request, payload)
    done(null)
  })
  const reached = new WeakSet<FastifyRequest>()
  // Fastify calls no handler after a hook has sent a response, and if it says that the delivery succeeded, the event is lost.
  const onResponse = async (request: FastifyRequest, reply: FastifyReply) => {
    if (reached.has(request) || !reply.raw.headersSent || reply.statusCode >= 300) return
    await reportAnswered(receiver, request.raw, placeOf(request))
  }
  scope.post(url, { onRequest: hideContentType, onResponse }, async (request, reply) => {
    reached.add(request)
    reply.hijack()
    const details = {
      ...placeOf(request),
      payload: payloads.get(request),
      keptByPlugin: () => ('rawBody' in request ? request.rawBody : undefined),
    }
    await answerNodeRequest(receiver, request.raw, reply.raw, details).catch((error) => {
      reply.raw.destroy(error)
    })
  })
}

function placeOf({ originalUrl: url, params }: FastifyRequest) {
  return { url, integration: routeParameter(params) }
}

/** Keeps the bytes in the stream, also if a plugin such as `fastify-raw-body` listens to it, until the receiver has checked the headers. */
function leaveUnread(payload: Readable): void {
  // The stream of a hook may fail before that. Without a listener, the error would end the process.
  payload.pause().on('error', () => undefined)
}

// Fastify would reject a malformed Content-Type, but the receiver accepts any media type, because only the signature counts.
function hideContentType(request: FastifyRequest, _reply: FastifyReply, done: () => void): void {
  request.headers = { 'content-type': undefined }
  done()
}
