import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import { type Clock, ENDPOINT_EVENT_KINDS, NOTE_EVENT_KINDS } from '@notewire/protocol'
import { type Answer, createReceiver, memoryStore, type ProcessOutcome, type ReceiverHooks } from '@notewire/webhooks'

export interface Arrival {
  readonly method: string
  readonly path: string
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>
  readonly body: Uint8Array
}

/** What the receiver of `@notewire/webhooks` says about a delivery. */
interface Judgement {
  readonly answer: Answer
  /** Why the signature or the timestamp was rejected. */
  readonly refusal: { readonly reason: string; readonly detail: string } | undefined
  /** The outcome of the event, if the body is one. */
  readonly outcome: ProcessOutcome | undefined
  readonly isVerified: boolean
}

/** The status of the other receiver, or why there is none. */
export type Forwarding = { readonly status: number } | { readonly problem: string }

/** Forwards a delivery to another receiver. */
export type Forward = (arrival: Arrival, judgement: Judgement) => Promise<Forwarding | undefined>

/** A delivery, its result, and the response to it. */
export interface Received {
  /** The time of arrival, in milliseconds since the Unix epoch. */
  readonly at: number
  readonly tookMs: number
  readonly arrival: Arrival
  readonly judgement: Judgement
  readonly forwarding: Forwarding | undefined
  /** The status of the response to the service. */
  readonly answered: number
}

export interface ReceiveOptions {
  readonly clock: Clock
  /** Called for each delivery, which waits for the result: an endpoint that is being registered has no secret yet. */
  readonly secret: () => Promise<string>
  readonly path: string | undefined
  readonly forward: Forward | undefined
  readonly tell: (received: Received) => void
}

/** Verifies, processes, forwards and answers deliveries. */
export function receiveDeliveries(options: ReceiveOptions): RequestListener {
  const judge = createJudge(options)
  return (request, response) => {
    receive(request, response, judge, options).catch(() => response.destroy())
  }
}

async function receive(
  request: IncomingMessage,
  response: ServerResponse,
  judge: (arrival: Arrival) => Promise<Judgement>,
  { clock, forward, tell }: ReceiveOptions,
): Promise<void> {
  const at = clock.now()
  const { method = '', headers } = request
  const [path = '/'] = (request.url ?? '/').split('?')
  const arrival = { method, path, headers, body: await bodyOf(request) }
  const judgement = await judge(arrival)
  const forwarding = await forward?.(arrival, judgement)
  // The service gets the status of the other receiver, so that it retries as it would with that receiver.
  const forwarded = forwarding && { status: 'status' in forwarding ? forwarding.status : 502, headers: {}, body: '' }
  const { status: answered, headers: answerHeaders, body } = forwarded ?? judgement.answer
  response.writeHead(answered, { ...answerHeaders }).end(body)
  tell({ at, tookMs: clock.now() - at, arrival, judgement, forwarding, answered })
}

/** The receiver rejects larger bodies (open point 25). */
const MOST_BYTES = 262_144

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

function createJudge({ clock, secret, path }: ReceiveOptions): (arrival: Arrival) => Promise<Judgement> {
  const store = memoryStore({ clock })
  return async (arrival) => {
    let refusal: Judgement['refusal']
    let outcome: ProcessOutcome | undefined
    let isVerified = false
    const hooks: ReceiverHooks = {
      onRefused: (reason, detail) => {
        refusal = { reason, detail }
      },
      onVerified: () => {
        isVerified = true
      },
      onOutcome: (found) => {
        outcome = found
      },
    }
    const { body } = arrival
    // The hooks do not name the delivery, so each delivery has its own receiver, over one store.
    const receiver = createReceiver({ secret, clock, store, path, on: HANDLE_ALL, onUnknown, logger: SILENT, hooks })
    const answer = await receiver.respond({
      ...arrival,
      readBody: async (maxBytes) =>
        body.length > maxBytes ? { status: 'too-large' } : { status: 'read', bytes: body },
    })
    return { answer, refusal, outcome, isVerified }
  }
}

const onUnknown = () => undefined
export const SILENT = { info: () => undefined, warn: () => undefined, error: () => undefined }

/** Handles every kind, because the receiver does not report stale events of kinds that are not handled. */
const HANDLE_ALL = Object.fromEntries([...NOTE_EVENT_KINDS, ...ENDPOINT_EVENT_KINDS].map((kind) => [kind, onUnknown]))
