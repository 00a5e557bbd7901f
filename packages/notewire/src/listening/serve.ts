import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Clock } from '@notewire/protocol'
import type { Forward } from './forward.ts'
import { MOST_BYTES } from './judge.ts'
import { type OpenPort, openPort } from './open-port.ts'
import type { Arrival, Forwarding, Judgement, Received } from './received.ts'

/** What is done with deliveries. */
export interface ServeParts {
  readonly judge: (arrival: Arrival) => Promise<Judgement>
  readonly forward: Forward | undefined
  readonly tell: (received: Received) => void
  readonly clock: Clock
}

/**
 * Listens for deliveries.
 *
 * @throws the system's error when the port is taken or forbidden
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

/** What the other receiver says is said to the service, so that it tries again where it would have. */
function statusOf(forwarding: Forwarding): number {
  return 'status' in forwarding ? forwarding.status : 502
}

/** Reads a body as far as it may go and one byte more, by which the receiver sees that it is too large. */
async function bodyOf(request: IncomingMessage): Promise<Uint8Array> {
  const chunks: Buffer[] = []
  let length = 0
  for await (const chunk of request) {
    length += chunk.length
    if (length <= MOST_BYTES + chunk.length) chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}
