import { RECEIVER_DEADLINE_MS } from '@notewire/protocol'
import { signAttempt } from '@notewire/webhooks/testing'
import { isSystemError, systemReason } from '../system-reason.ts'
import type { Arrival, Forwarding, Judgement } from './received.ts'

/** Passes a delivery on to another receiver. */
export type Forward = (arrival: Arrival, judgement: Judgement) => Promise<Forwarding | undefined>

/** Headers of one connection, which are no part of what is passed on. */
const NOT_PASSED_ON = [
  'connection',
  'content-length',
  'expect',
  'host',
  'keep-alive',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]

/** Forwards every delivery as it came: bytes and headers, also of those whose signature was refused here. */
export function forwardRaw(url: string, signal: AbortSignal): Forward {
  return ({ headers, body }) => send(url, headersOf(headers), body, signal)
}

/** Forwards deliveries that were verified, signed anew with the secret of the other receiver; the message id stays. */
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
      // The service follows none either (contract §8).
      redirect: 'manual',
      signal: AbortSignal.any([signal, timeUp]),
    })
    await answer.body?.cancel()
    return { status: answer.status }
  } catch (error) {
    if (signal.aborted) return { problem: 'interrupted' }
    if (timeUp.aborted) return { problem: 'no answer within 10 s' }
    const cause = error instanceof Error ? error.cause : undefined
    return { problem: isSystemError(cause) ? systemReason(cause) : 'the connection failed' }
  }
}

function headersOf(arrived: Arrival['headers']): Headers {
  const headers = new Headers()
  for (const [name, values] of Object.entries(arrived)) {
    if (NOT_PASSED_ON.includes(name)) continue
    for (const value of [values ?? []].flat()) headers.append(name, value)
  }
  return headers
}
