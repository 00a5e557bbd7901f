import type { IncomingMessage } from 'node:http'

/** More than the API and the console accept: they answer 413. */
const MAX_READ_BYTES = 256 * 1024

type IncomingRequest = Pick<
  Request,
  'url' | 'method' | 'headers' | 'body' | 'bodyUsed' | 'text' | 'json' | 'arrayBuffer' | 'formData'
>

/**
 * A request of `node:http` for Hono. It is not made with the global `Request`, because test environments replace that: the one of happy-dom
 * rejects headers of other classes, and removes `Host` and `Origin`.
 */
export async function requestOf({ url, method }: Request, incoming: IncomingMessage): Promise<Request> {
  const bytes = await readBytes(incoming)
  const headers = new Headers()
  for (const [name, value] of Object.entries(incoming.headers)) {
    for (const each of [value ?? []].flat()) if (!name.startsWith(':')) headers.append(name, each)
  }
  // Without a length, Hono would copy the request to count its bytes.
  headers.delete('transfer-encoding')
  if (bytes.length > 0) headers.set('content-length', String(bytes.length))
  const text = async () => bytes.toString()
  const request: IncomingRequest = {
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
async function readBytes(incoming: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = []
  let length = 0
  return await new Promise((resolve, reject) => {
    const end = () => {
      incoming.off('data', add)
      resolve(Buffer.concat(chunks))
    }
    const add = (chunk: Buffer) => {
      chunks.push(chunk)
      length += chunk.length
      if (length > MAX_READ_BYTES) end()
    }
    incoming.on('data', add).once('end', end).once('error', reject)
  })
}
