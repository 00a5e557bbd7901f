import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import * as z from 'zod/mini'
import { ConnectionDropped } from '../api/request-faults.ts'
import type { AnswerConsole } from '../console/console.ts'
import { fields, name } from '../errors/checked.ts'
import { MockServerError } from '../errors/mock-server-error.ts'
import { requireWebClasses, URL } from '../runtime/web-classes.ts'
import { requestOf } from './incoming-request.ts'
import { writeAnswer, writeFailure } from './outgoing-answer.ts'

/** Options of `service.listen`. */
export interface ListenOptions {
  /** @default a free port */
  readonly port?: number | undefined
  /** @default '127.0.0.1' */
  readonly host?: string | undefined
  /**
   * Host names, such as `notes.internal`, under which the console at `/console` can be opened, in addition to the names of this
   * machine. With at least one name, the console also answers other machines.
   *
   * @default none
   */
  readonly consoleHosts?: readonly string[] | undefined
}

export const listenOptionsSchema = fields({
  port: z._default(z.int().check(z.minimum(0), z.maximum(65_535)), 0),
  host: z._default(name, '127.0.0.1'),
  consoleHosts: z._default(z.array(name), []),
})

interface ServicePortParts {
  readonly fetch: (request: Request) => Promise<Response>
  /** Called when the port opens, so that a service that never listens does not load the console. */
  readonly makeConsole: () => Promise<AnswerConsole>
}

type ListenAddress = Readonly<z.output<typeof listenOptionsSchema>>

export class ServicePort {
  readonly #parts: ServicePortParts
  #server: Promise<Server> | undefined
  #url: string | undefined

  constructor(parts: ServicePortParts) {
    this.#parts = parts
  }

  get url(): string | undefined {
    return this.#url
  }

  /**
   * Starts to listen.
   *
   * @returns the URL of the port
   * @throws {@link MockServerError} `listen_failed` when the port is taken or forbidden, `already_listening` the second time
   */
  async open(address: ListenAddress): Promise<string> {
    if (this.#server !== undefined) {
      throw new MockServerError('already_listening', 'the service already listens on a port', 'Use its baseUrl.')
    }
    requireWebClasses()
    this.#server = startServer(this.#parts, address)
    try {
      this.#url = urlOf((await this.#server).address() as AddressInfo)
      return this.#url
    } catch (error) {
      this.#server = undefined
      throw error
    }
  }

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
  { port, host, consoleHosts }: ListenAddress,
): Promise<Server> {
  // Not an import of this file, which would break browsers.
  const [{ createServer }, answerConsole] = await Promise.all([import('node:http'), makeConsole()])
  const answer = async (incoming: IncomingMessage, outgoing: ServerResponse) => {
    const request = await requestOf(incoming)
    const response = isForConsole(request)
      ? await answerConsole(request, { address: incoming.socket.remoteAddress, consoleHosts })
      : await fetch(request)
    await writeAnswer(response, outgoing)
    // What is left of a body that was too large.
    incoming.resume()
  }
  const server = createServer((incoming, outgoing) => {
    answer(incoming, outgoing).catch((error: unknown) => {
      if (error instanceof ConnectionDropped) outgoing.destroy()
      else writeFailure(error, outgoing)
    })
  })
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => reject(listenFailed(host, port, error)))
    server.listen(port, host, resolve)
  })
  return server
}

function isForConsole({ url }: Request): boolean {
  return /^\/(console|control)(\/|$)/.test(new URL(url).pathname)
}

function listenFailed(host: string, port: number, { code }: NodeJS.ErrnoException): MockServerError {
  const problem = `cannot listen on ${host}, port ${port} (${code})`
  const remedy =
    code === 'EADDRNOTAVAIL' ? 'Choose an address of this machine.' : 'Choose another port, or port 0 for a free one.'
  return new MockServerError('listen_failed', problem, remedy)
}

/** A server that listens on every address is reached from this machine by the loopback address. */
function urlOf({ address, port }: AddressInfo): string {
  if (address === '0.0.0.0') return `http://127.0.0.1:${port}`
  if (address === '::') return `http://[::1]:${port}`
  return address.includes(':') ? `http://[${address}]:${port}` : `http://${address}:${port}`
}
