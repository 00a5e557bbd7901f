import { once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'

export interface Place {
  /** 0 is a free port. */
  readonly port: number
  readonly host: string
  readonly path?: string | undefined
}

export interface OpenPort extends AsyncDisposable {
  readonly url: string
}

/** @throws the error of the operating system if the port is taken or forbidden */
export async function openPort(
  { port, host, path = '/webhooks/notes' }: Place,
  listener: RequestListener,
): Promise<OpenPort> {
  const server = createServer(listener)
  server.listen(port, host)
  await once(server, 'listening')
  return {
    url: `http://${inUrl(host)}:${(server.address() as AddressInfo).port}${path}`,
    async [Symbol.asyncDispose]() {
      const closed = once(server, 'close')
      server.close()
      server.closeAllConnections()
      await closed
    },
  }
}

/** A host for a URL: IPv6 in brackets, and this machine for the address that means every network interface. */
function inUrl(host: string): string {
  if (host === '0.0.0.0' || host === '::') return '127.0.0.1'
  return host.includes(':') ? `[${host}]` : host
}
