import type { IncomingMessage } from 'node:http'
import type { Readable } from 'node:stream'
import { isBytes } from '@notewire/protocol'
import type { BodyDeadline, BodyReading } from '../delivering/attempt.ts'

interface NodeBody {
  readonly request: IncomingMessage
  /** The stream with the body: the request itself, or one that a hook of the framework returned. */
  readonly payload: Readable
  /** Returns the bytes that a plugin of the framework has kept, if it has. */
  readonly keptByPlugin: (() => unknown) | undefined
}

/** Reads the raw body of a request of Node.js: from its stream, or from where a body parser kept the bytes. */
export function readNodeBody(body: NodeBody, maxBytes: number, deadline: BodyDeadline): Promise<BodyReading> {
  const kept = keptBytes(body)
  if (kept !== undefined) {
    return Promise.resolve(kept.length > maxBytes ? { status: 'too-large' } : { status: 'read', bytes: kept })
  }
  if (isConsumed(body)) return Promise.resolve({ status: 'already-parsed' })
  return readStream(body, maxBytes, deadline)
}

// Uses listeners, because iterating over the stream takes several times as much processor time as the rest of a delivery.
function readStream({ request, payload }: NodeBody, maxBytes: number, deadline: BodyDeadline): Promise<BodyReading> {
  return new Promise((resolve) => {
    const chunks: Uint8Array[] = []
    let length = 0
    const onData = (chunk: unknown) => {
      // A hook may have made its stream from a text.
      const bytes = typeof chunk === 'string' ? Buffer.from(chunk, payload.readableEncoding ?? 'utf8') : chunk
      if (!isBytes(bytes)) return finish({ status: 'already-parsed' })
      length += bytes.length
      if (length > maxBytes) finish({ status: 'too-large' })
      else chunks.push(bytes)
    }
    const finish = (reading: BodyReading) => {
      payload.off('data', onData)
      resolve(reading)
    }
    const onEnd = () => {
      // The host has read the body, and hands over a stream that has ended.
      if (length === 0 && payload === request && Number(request.headers['content-length']) > 0) {
        return finish({ status: 'already-parsed' })
      }
      const [first] = chunks
      // Most bodies come in one chunk.
      const bytes = chunks.length === 1 && first !== undefined ? first : Buffer.concat(chunks, length)
      finish({ status: 'read', bytes })
    }
    const onGone = () => payload.readableEnded || finish({ status: 'incomplete' })
    // Node.js emits `close` after an error. Without a listener for `error`, the error would end the process.
    payload.on('data', onData).on('end', onEnd).on('close', onGone).on('error', onGone)
    // A payload that is piped does not end if the connection breaks.
    if (payload !== request) request.on('close', () => request.complete || onGone())
    void deadline.passed.then(() => finish({ status: 'too-slow' }))
    // A body parser may have read an empty body, which leaves no other trace.
    if (payload.readableEnded) onEnd()
    else if (payload.destroyed) onGone()
    // A middleware may have paused the request.
    payload.resume()
  })
}

/**
 * The raw bytes, if a body parser or the host kept them: in `req.rawBody` by convention, or in `req.body` after `express.raw()`. Those of a
 * plugin count only if they cannot be read from the stream, because it may set them later.
 */
function keptBytes(body: NodeBody): Uint8Array | undefined {
  const { request, payload, keptByPlugin } = body
  const known =
    payload === request
      ? (rawBytesOf(hostValue(request, 'rawBody')) ?? [hostValue(request, 'body')].find(isBytes))
      : undefined
  if (known !== undefined || keptByPlugin === undefined || !isConsumed(body)) return known
  return rawBytesOf(keptByPlugin())
}

/** The bytes of a body that a program has kept: as bytes, as an `ArrayBuffer` or as text. */
function rawBytesOf(kept: unknown): Uint8Array | undefined {
  if (isBytes(kept)) return kept
  if (typeof kept === 'string' && kept !== '') return Buffer.from(kept)
  return Object.prototype.toString.call(kept) === '[object ArrayBuffer]'
    ? new Uint8Array(kept as ArrayBuffer)
    : undefined
}

// A request with an encoding emits text, not the bytes that were signed. If a stream has a listener for 'readable', that listener consumes
// the bytes with `read`, and the stream emits no 'data' event until then.
function isConsumed({ request, payload }: NodeBody): boolean {
  if (payload.readableDidRead || payload.listenerCount('readable') > 0) return true
  return payload === request && (payload.readableEncoding !== null || wasParsed(hostValue(request, 'body')))
}

// Express 4 sets an empty object on requests that no parser has read.
function wasParsed(body: unknown): boolean {
  return typeof body === 'string' ? body !== '' : typeof body === 'object' && Object.keys(body ?? {}).length > 0
}

/** A property that the host may compute when it is read: on Vercel, `body` throws if the body is not JSON. */
export function hostValue(request: object, name: 'body' | 'rawBody'): unknown {
  try {
    return (request as { readonly body?: unknown; readonly rawBody?: unknown })[name]
  } catch {
    return undefined
  }
}
