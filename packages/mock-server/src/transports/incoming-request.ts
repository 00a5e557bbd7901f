import type { IncomingMessage } from 'node:http'
import { joined, readStream } from '../runtime/read-stream.ts'
import { TextDecoder } from '../runtime/web-classes.ts'

/** More than the API and the console accept: they answer 413. */
const MAX_READ_BYTES = 256 * 1024

type PlainRequest = Pick<
  Request,
  'url' | 'method' | 'headers' | 'body' | 'bodyUsed' | 'text' | 'json' | 'arrayBuffer' | 'formData'
>

/** @returns a request of `node:http` for Hono */
export async function requestOf(incoming: IncomingMessage): Promise<Request> {
  const headers = new Headers()
  for (const [name, value] of Object.entries(incoming.headers)) {
    for (const each of [value ?? []].flat()) headers.append(name, each)
  }
  const { url = '/', method = 'GET', headers: sent } = incoming
  // A proxy may send a whole URL as the target of the request.
  const whole = /^https?:/i.test(url) ? url : `http://${sent.host ?? 'localhost'}${url}`
  return plainRequest(whole, method, headers, await readBytes(incoming))
}

/** @returns the same request with another URL, and a body that Hono can read in every environment */
export async function requestAt(url: string, request: Request): Promise<Request> {
  // Its signature is that of a `Request`, but test environments have classes of their own.
  const body: Partial<ReadableStream<Uint8Array>> | null | undefined = request.body
  if (body === null && url === request.url) return request
  const bytes =
    typeof body?.getReader === 'function'
      ? await readStream(body.getReader(), MAX_READ_BYTES)
      : new Uint8Array(await request.arrayBuffer())
  return plainRequest(url, request.method, new Headers([...request.headers]), bytes)
}

/**
 * A request that is not made with the global `Request`, because test environments replace that: the one of happy-dom rejects headers of other
 * classes, removes `Host` and `Origin`, and reads a stream that Hono has read.
 */
function plainRequest(url: string, method: string, headers: Headers, bytes: Uint8Array): Request {
  // Without a length, Hono would copy the request to count its bytes.
  headers.delete('transfer-encoding')
  if (bytes.length > 0) headers.set('content-length', String(bytes.length))
  const text = async () => new TextDecoder().decode(bytes)
  const request: PlainRequest = {
    url,
    method,
    headers,
    // Hono compares it with null, and reads the length.
    body: bytes.length === 0 ? null : ({} as ReadableStream),
    bodyUsed: false,
    text,
    json: async () => JSON.parse(await text()),
    arrayBuffer: async () => new Uint8Array(bytes).buffer,
    formData: () => new Response(new Uint8Array(bytes), { headers }).formData(),
  }
  return request as Request
}

/** The body, up to the first byte that is too many. */
async function readBytes(incoming: IncomingMessage): Promise<Uint8Array> {
  const chunks: Buffer[] = []
  let length = 0
  return await new Promise((resolve, reject) => {
    const end = () => {
      incoming.off('data', add)
      resolve(joined(chunks, length))
    }
    const add = (chunk: Buffer) => {
      chunks.push(chunk)
      length += chunk.length
      if (length > MAX_READ_BYTES) end()
    }
    incoming.on('data', add).once('end', end).once('error', reject).once('close', end)
  })
}
