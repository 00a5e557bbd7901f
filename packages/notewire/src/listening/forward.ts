import { RECEIVER_DEADLINE_MS } from '@notewire/protocol'
import { signAttempt } from '@notewire/webhooks/testing'
import { isSystemError, systemReason } from '../errors/system-error.ts'
import type { Arrival, Forward, Forwarding } from './receive.ts'

/** Headers that belong to one connection, and are not forwarded. */
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
    const cause = error instanceof Error ? error.cause : undefined
    return { problem: isSystemError(cause) ? systemReason(cause) : 'the connection failed' }
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
