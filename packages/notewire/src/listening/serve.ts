import { once } from 'node:events'
import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Clock } from '@notewire/protocol'
import type { Forward } from './forward.ts'
import { type Arrival, type Forwarding, type Judgement, MOST_BYTES, type Received } from './judge.ts'

export interface ServeParts {
  readonly judge: (arrival: Arrival) => Promise<Judgement>
  readonly forward: Forward | undefined
  readonly tell: (received: Received) => void
  readonly clock: Clock
}

/**
 * Receives deliveries on a port of this machine.
 *
 * @throws the error of the operating system if the port is taken or forbidden
 */
export async function serve(
  place: { readonly port: number; readonly host: string },
  parts: ServeParts,
): Promise<OpenPort> {
  return await openPort(place, (request, response) => {
    receive(request, response, parts).catch(() => response.destroy())
  })
}

async function receive(
  request: IncomingMessage,
  response: ServerResponse,
  { judge, forward, tell, clock }: ServeParts,
): Promise<void> {
  const at = clock.now()
  const [path = '/'] = (request.url ?? '/').split('?')
  const { method = '', headers } = request
  const arrival = { method, path, headers, body: await bodyOf(request) }
  const judgement = await judge(arrival)
  const forwarding = await forward?.(arrival, judgement)
  const answered = forwarding === undefined ? judgement.answer.status : statusOf(forwarding)
  const { headers: answerHeaders, body } = judgement.answer
  if (forwarding === undefined) response.writeHead(answered, answerHeaders).end(body)
  else response.writeHead(answered).end()
  tell({ at, tookMs: clock.now() - at, arrival, judgement, forwarding, answered })
}

/** The service gets the status of the other receiver, so that it retries as it would with that receiver. */
function statusOf(forwarding: Forwarding): number {
  return 'status' in forwarding ? forwarding.status : 502
}

/** Reads a body up to the limit and one chunk more, from which the receiver sees that it is too large. */
async function bodyOf(request: IncomingMessage): Promise<Uint8Array> {
  const chunks: Buffer[] = []
  let length = 0
  for await (const chunk of request) {
    length += chunk.length
    if (length <= MOST_BYTES + chunk.length) chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}

export interface OpenPort extends AsyncDisposable {
  readonly port: number
}

/**
 * Opens an HTTP server on a port of this machine.
 *
 * @throws the error of the operating system if the port is taken or forbidden
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

/** A host for a URL: IPv6 in brackets, and this machine for the address that means every network interface. */
export function inUrl(host: string): string {
  if (host === '0.0.0.0' || host === '::') return '127.0.0.1'
  return host.includes(':') ? `[${host}]` : host
}
