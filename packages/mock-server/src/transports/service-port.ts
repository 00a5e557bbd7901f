import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Http2Bindings, HttpBindings } from '@hono/node-server'
import { ConnectionDropped } from '../api/request-faults.ts'
import type { AnswerConsole } from '../console/console.ts'
import { TransportError } from './transport-error.ts'

/** Where a service listens. */
export interface ListenOptions {
  /** @default a free port */
  readonly port?: number | undefined
  /** @default '127.0.0.1' */
  readonly host?: string | undefined
  /**
   * Host names under which the console at `/console` answers besides those of this machine, such as `notes.internal`. With any,
   * it also answers other machines.
   *
   * @default none
   */
  readonly consoleHosts?: readonly string[] | undefined
}

interface ServicePortParts {
  readonly fetch: (request: Request) => Promise<Response>
  /** Made when the port opens: a service that never listens loads no console. */
  readonly makeConsole: () => Promise<AnswerConsole>
}

/** Where to listen, with everything decided. */
type Place = { readonly [Field in keyof ListenOptions]-?: NonNullable<ListenOptions[Field]> }

/** The port of a service, once it listens on one. */
export class ServicePort {
  readonly #parts: ServicePortParts
  #server: Promise<Server> | undefined
  #url: string | undefined

  constructor(parts: ServicePortParts) {
    this.#parts = parts
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
  async open({ port = 0, host = '127.0.0.1', consoleHosts = [] }: ListenOptions): Promise<string> {
    if (this.#server !== undefined) throw alreadyListening()
    this.#server = startServer(this.#parts, { port, host, consoleHosts })
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
  { fetch, makeConsole }: ServicePortParts,
  { port, host, consoleHosts }: Place,
): Promise<Server> {
  const [{ createAdaptorServer }, answerConsole] = await Promise.all([import('@hono/node-server'), makeConsole()])
  const server = createAdaptorServer({
    fetch: (request, { incoming, outgoing }) =>
      isForConsole(request)
        ? answerConsole(request, { address: addressOf(incoming), consoleHosts })
        : fetch(globalRequest(request)).catch((error: unknown) => breakOff(outgoing, error)),
    // The globals of the process under test are not ours to replace.
    overrideGlobalObjects: false,
  }) as Server
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => reject(listenFailed(host, port, error)))
    server.listen(port, host, resolve)
  })
  return server
}

/** hono limits a body by making a `Request` of the one at hand, and that takes none but the runtime's own. */
function globalRequest(request: Request): Request {
  const { url, method, headers, body, signal } = request
  if (method === 'GET' || method === 'HEAD') return request
  // The types of Node.js's `RequestInit` do not know `duplex`, without which it takes no stream.
  const init: RequestInit & { readonly duplex: 'half' } = { method, headers, body, signal, duplex: 'half' }
  return new Request(url, init)
}

/** Breaks the connection where a fault rule says so. */
function breakOff(outgoing: HttpBindings['outgoing'] | Http2Bindings['outgoing'], error: unknown): Response {
  if (!(error instanceof ConnectionDropped)) throw error
  outgoing.destroy()
  // Tells the adaptor that nothing is left to answer.
  return new Response(null, { headers: { 'x-hono-already-sent': 'true' } })
}

function isForConsole({ url }: Request): boolean {
  return /^\/console(\/|$)/.test(new URL(url).pathname)
}

function addressOf(incoming: HttpBindings['incoming'] | Http2Bindings['incoming']): string | undefined {
  return incoming.socket.remoteAddress
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
