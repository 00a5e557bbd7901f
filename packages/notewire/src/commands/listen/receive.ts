import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import { type Clock, ENDPOINT_EVENT_KINDS, NOTE_EVENT_KINDS, RECEIVER_DEADLINE_MS } from '@notewire/protocol'
import { type Answer, createReceiver, memoryStore, type ProcessOutcome, type ReceiverHooks } from '@notewire/webhooks'
import { signAttempt } from '@notewire/webhooks/testing'
import { describeProxyFailure, fetchFailureReason } from '../../errors/system-error.ts'

interface Arrival {
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
  readonly outcome: ProcessOutcome | undefined
  readonly isVerified: boolean
}

/** The status of the other receiver, or why there is none. */
type Forwarding = { readonly status: number } | { readonly problem: string; readonly isOfProxy?: boolean }

export type Forward = (arrival: Arrival, judgement: Judgement) => Promise<Forwarding | undefined>

export interface Received {
  readonly at: number
  readonly tookMs: number
  readonly arrival: Arrival
  readonly judgement: Judgement
  readonly forwarding: Forwarding | undefined
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
const MAX_BYTES = 262_144

/** Reads a body up to the limit and one chunk more, from which the receiver sees that it is too large. */
async function bodyOf(request: IncomingMessage): Promise<Uint8Array> {
  const chunks: Buffer[] = []
  let length = 0
  for await (const chunk of request) {
    length += chunk.length
    if (length <= MAX_BYTES + chunk.length) chunks.push(chunk)
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
const SILENT = { info: () => undefined, warn: () => undefined, error: () => undefined }

/** Handles every kind, because the receiver does not report stale events of kinds that are not handled. */
const HANDLE_ALL = Object.fromEntries([...NOTE_EVENT_KINDS, ...ENDPOINT_EVENT_KINDS].map((kind) => [kind, onUnknown]))

const NOT_FORWARDED = /^(?:connection|content-length|expect|host|keep-alive|te|trailer|transfer-encoding|upgrade)$/

/** Forwards every delivery unchanged, including those whose signature was rejected here. */
export function forwardRaw(url: string, signal: AbortSignal): Forward {
  return ({ headers, body }) => send(url, headersOf(headers), body, signal)
}

/** Forwards verified deliveries, signed with the secret of the other receiver. The message id stays the same. */
export function forwardResigned(url: string, secretOf: () => Promise<string>, signal: AbortSignal): Forward {
  return async ({ headers, body }, { isVerified }) => {
    if (!isVerified) return undefined
    const secret = await secretOf()
    const webhookId = [headers['webhook-id']].flat()[0]
    const signed = await signAttempt(secret, new TextDecoder().decode(body), { webhookId })
    return await send(url, new Headers(signed.headers), new TextEncoder().encode(signed.body), signal)
  }
}

async function send(url: string, headers: Headers, body: Uint8Array, signal: AbortSignal): Promise<Forwarding> {
  const timeUp = AbortSignal.timeout(RECEIVER_DEADLINE_MS)
  try {
    const answer = await fetch(url, {
      method: 'POST',
      headers,
      body: new Uint8Array(body),
      // The service does not follow redirects either (contract §8).
      redirect: 'manual',
      signal: AbortSignal.any([signal, timeUp]),
    })
    await answer.body?.cancel()
    return { status: answer.status }
  } catch (error) {
    if (signal.aborted) return { problem: 'interrupted' }
    if (timeUp.aborted) return { problem: 'no answer within 10 s' }
    const place = new URL(url)
    const isOfProxy = describeProxyFailure(error, place) !== undefined
    return { problem: error instanceof Error ? fetchFailureReason(error, place) : 'the connection failed', isOfProxy }
  }
}

function headersOf(arrived: Arrival['headers']): Headers {
  const headers = new Headers()
  for (const [name, values] of Object.entries(arrived)) {
    if (NOT_FORWARDED.test(name)) continue
    for (const value of [values ?? []].flat()) headers.append(name, value)
  }
  return headers
}
