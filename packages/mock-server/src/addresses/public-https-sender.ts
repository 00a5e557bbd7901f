import type { IncomingMessage } from 'node:http'
import type { RequestOptions } from 'node:https'
import { isNeverPublic } from './public-address.ts'

/** Finds the IP addresses of a host name. An address, with or without brackets, resolves to itself. */
export type Resolve = (hostname: string) => Promise<readonly string[]>

/** Uses the system's resolver, which also reads the hosts file, so that it finds the addresses to which Node.js would connect. */
export const resolveByDns: Resolve = async (hostname) => {
  if (hostname.startsWith('[')) return [hostname.slice(1, -1)]
  // Imported here, because not every runtime has this module.
  const { lookup } = await import('node:dns/promises')
  const found = await lookup(hostname, { all: true, verbatim: true })
  return found.map(({ address }) => address)
}

/** How much of an answer's body is read, in bytes. Less of it is logged. */
const MAX_RESPONSE_BYTES = 16 * 1024

/** The URL policy refuses the address of a request. */
class AddressRefusedError extends Error {
  readonly code = 'address_not_public'
}

interface SenderParts {
  readonly resolve: Resolve
  readonly isAllowed: (address: string) => boolean
  /** Certificates to trust in addition to those of the runtime. */
  readonly ca?: string | undefined
}

/**
 * Sends requests over https, and only to allowed addresses. A host name is resolved once, and the connection goes to one of these
 * addresses, so that a DNS server that later answers with another address (DNS rebinding) has no effect.
 */
export function publicHttpsSender({ resolve, isAllowed, ca }: SenderParts): (request: Request) => Promise<Response> {
  return async (request) => {
    const { protocol, hostname, host, port, pathname, search } = new URL(request.url)
    const addresses = protocol === 'https:' && !isNeverPublic(hostname) ? await resolve(hostname) : []
    const [address] = addresses
    if (address === undefined || !addresses.every(isAllowed)) throw new AddressRefusedError()
    return await send(
      {
        host: address,
        port: port === '' ? 443 : Number(port),
        path: pathname + search,
        method: request.method,
        headers: { ...Object.fromEntries(request.headers), host },
        // The certificate must be valid for the host name. TLS does not allow an IP address as a server name.
        ...(address === hostname.replace(/^\[|\]$/g, '') ? {} : { servername: hostname }),
        ...(ca === undefined ? {} : { ca }),
        agent: false,
        signal: request.signal,
      },
      await request.text(),
    )
  }
}

async function send(options: RequestOptions, body: string): Promise<Response> {
  const { request } = await import('node:https')
  const answer = await new Promise<IncomingMessage>((resolve, reject) => {
    const sent = request(options, resolve)
    sent.on('error', reject)
    sent.end(body)
  })
  const chunks: Uint8Array[] = []
  let bytes = 0
  for await (const chunk of answer) {
    chunks.push(chunk)
    bytes += chunk.length
    // Leaving the loop closes the connection.
    if (bytes > MAX_RESPONSE_BYTES) break
  }
  const { statusCode: status = 0 } = answer
  const headers = Object.entries(answer.headersDistinct).flatMap(([name, values = []]) =>
    values.map((value): [string, string] => [name, value]),
  )
  // `Response` accepts no body with these statuses.
  const content = [204, 205, 304].includes(status) ? null : new Blob(chunks as BlobPart[])
  return new Response(content, { status, headers })
}
