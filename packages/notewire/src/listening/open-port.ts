import { once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'

/** A port that is listened on. */
export interface OpenPort extends AsyncDisposable {
  readonly port: number
}

/**
 * Listens on a port of this machine.
 *
 * @throws the system's error when the port is taken or forbidden
 */
export async function openPort(
  place: { readonly port: number; readonly host: string },
  answer: RequestListener,
): Promise<OpenPort> {
  const server = createServer(answer)
  server.listen(place.port, place.host)
  await once(server, 'listening')
  return {
    port: (server.address() as AddressInfo).port,
    async [Symbol.asyncDispose]() {
      const closed = once(server, 'close')
      server.close()
      server.closeAllConnections()
      await closed
    },
  }
}

/** An address as it stands in a URL, and one that leads there: everybody's address leads to this machine. */
export function inUrl(host: string): string {
  if (host === '0.0.0.0' || host === '::') return '127.0.0.1'
  return host.includes(':') ? `[${host}]` : host
}
