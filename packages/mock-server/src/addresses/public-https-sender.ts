import type { IncomingMessage } from 'node:http'
import type { RequestOptions } from 'node:https'
import type { Resolve } from './resolve.ts'

/** More of an answer than the log keeps. */
const MOST_ANSWER_BYTES = 16 * 1024

/** The URL policy refuses where a request would go. */
class AddressRefusedError extends Error {
  readonly code = 'address_not_public'
}

interface SenderParts {
  readonly resolve: Resolve
  readonly admits: (address: string) => boolean
  /** Certificates that are trusted beside those of the runtime. */
  readonly ca?: string | undefined
}

/**
 * Sends requests over https to admitted addresses alone. A name is resolved once, and the connection is made to an address that
 * it resolved to then: whoever answers another one a moment later (DNS rebinding) is not asked.
 */
export function publicHttpsSender({ resolve, admits, ca }: SenderParts): (request: Request) => Promise<Response> {
  return async (request) => {
    const { protocol, hostname, host, port, pathname, search } = new URL(request.url)
    const addresses = protocol === 'https:' ? await resolve(hostname) : []
    const [address] = addresses
    if (address === undefined || !addresses.every(admits)) throw new AddressRefusedError()
    return await answerTo(
      {
        host: address,
        port: port === '' ? 443 : Number(port),
        path: pathname + search,
        method: request.method,
        headers: { ...Object.fromEntries(request.headers), host },
        // The certificate is that of the name; addresses have none to ask for.
        ...(address === hostname.replace(/^\[|\]$/g, '') ? {} : { servername: hostname }),
        ...(ca === undefined ? {} : { ca }),
        agent: false,
        signal: request.signal,
      },
      await request.text(),
    )
  }
}

async function answerTo(options: RequestOptions, body: string): Promise<Response> {
  const { request } = await import('node:https')
  const answer = await new Promise<IncomingMessage>((resolve, reject) => {
    const sent = request(options, resolve)
    sent.on('error', reject)
    sent.end(body)
  })
  return await responseOf(answer)
}

async function responseOf(answer: IncomingMessage): Promise<Response> {
  const chunks: Uint8Array[] = []
  let bytes = 0
  for await (const chunk of answer) {
    chunks.push(chunk)
    bytes += chunk.length
    // Leaving the loop closes the connection.
    if (bytes > MOST_ANSWER_BYTES) break
  }
  const { statusCode: status = 0 } = answer
  const headers = Object.entries(answer.headersDistinct).flatMap(([name, values = []]) =>
    values.map((value): [string, string] => [name, value]),
  )
  return new Response(hasBody(status) ? new Blob(chunks as BlobPart[]) : null, { status, headers })
}

function hasBody(status: number): boolean {
  return ![204, 205, 304].includes(status)
}
