import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { TransportError } from './transport-error.ts'

/** Where a service listens. */
export interface ListenOptions {
  /** @default a free port */
  readonly port?: number | undefined
  /** @default '127.0.0.1' */
  readonly host?: string | undefined
}

/** The port of a service, once it listens on one. */
export class ServicePort {
  readonly #fetch: (request: Request) => Promise<Response>
  #server: Promise<Server> | undefined
  #url: string | undefined

  constructor(fetch: (request: Request) => Promise<Response>) {
    this.#fetch = fetch
  }

  /** Where the service listens, if it does. */
  get url(): string | undefined {
    return this.#url
  }

  /**
   * Begins to listen.
   *
   * @returns the URL of the port
   * @throws {@link TransportError} `listen_failed` when the port is taken or forbidden, `already_listening` the second time
   */
  async open({ port = 0, host = '127.0.0.1' }: ListenOptions): Promise<string> {
    if (this.#server !== undefined) throw alreadyListening()
    this.#server = startServer(this.#fetch, port, host)
    try {
      this.#url = urlOf((await this.#server).address() as AddressInfo)
      return this.#url
    } catch (error) {
      this.#server = undefined
      throw error
    }
  }

  /** Stops listening and breaks off every connection. */
  async close(): Promise<void> {
    const server = await this.#server?.catch(() => undefined)
    if (server?.listening !== true) return
    await new Promise<void>((resolve) => {
      server.close(() => resolve())
      server.closeAllConnections()
    })
  }
}

async function startServer(
  fetch: (request: Request) => Promise<Response>,
  port: number,
  host: string,
): Promise<Server> {
  const { createAdaptorServer } = await import('@hono/node-server')
  // The globals of the process under test are not ours to replace.
  const server = createAdaptorServer({ fetch, overrideGlobalObjects: false }) as Server
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => reject(listenFailed(host, port, error)))
    server.listen(port, host, resolve)
  })
  return server
}

function alreadyListening(): TransportError {
  return new TransportError('already_listening', 'the service listens on a port already. Use its baseUrl.')
}

function listenFailed(host: string, port: number, { code }: NodeJS.ErrnoException): TransportError {
  return new TransportError(
    'listen_failed',
    `cannot listen on ${host}, port ${port} (${code}). Choose another one, or leave the port out for a free one.`,
  )
}

/** Whoever listens on every address is reached on this machine by the loopback one. */
function urlOf({ address, port }: AddressInfo): string {
  if (address === '0.0.0.0') return `http://127.0.0.1:${port}`
  if (address === '::') return `http://[::1]:${port}`
  return address.includes(':') ? `http://[${address}]:${port}` : `http://${address}:${port}`
}
