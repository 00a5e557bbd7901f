import { setTimeout as pause } from 'node:timers/promises'
import type { Exchange } from './send.ts'

/** The status of a receiver that limits the rate of requests. */
export const TOO_MANY_REQUESTS = 429

/** After so many deliveries that the receiver answers with 429 although it accepts others, 429 counts as an answer like any other. */
const OWN_ANSWERS = 3

/** The receiver went on answering 429. */
export class RateLimitError extends Error {}

/** How a delivery is sent again if the receiver limits the rate. */
export interface Attempts {
  /** @param waitedMs  how long the delivery waited, in milliseconds */
  readonly send: (waitedMs: number) => Promise<Exchange>
  /** Whether the receiver accepts another valid delivery now. */
  readonly acceptsAnother: () => Promise<boolean>
}

/**
 * Waits and sends a delivery again while the receiver answers 429, as the service does. If the receiver accepts another delivery in the
 * meantime, twice, then 429 is its answer to this one.
 */
export class RateLimit {
  readonly #patienceMs: number
  readonly #signal: AbortSignal
  #ownAnswers = 0
  #isExhausted = false

  constructor(patienceMs: number, signal: AbortSignal) {
    this.#patienceMs = patienceMs
    this.#signal = signal
  }

  /** Whether the patience was exhausted once. */
  get isExhausted(): boolean {
    return this.#isExhausted
  }

  /** @throws RateLimitError if the receiver answers 429 to everything for longer than the patience */
  async send({ send, acceptsAnother }: Attempts): Promise<Exchange> {
    let exchange = await send(0)
    let othersAccepted = 0
    let waitedMs = 0
    for (let pauseMs = 250; isLimited(exchange) && this.#ownAnswers < OWN_ANSWERS; pauseMs *= 2) {
      const nextMs = retryAfterMs(exchange) ?? pauseMs
      if (waitedMs + nextMs > this.#patienceMs) {
        this.#isExhausted = true
        throw new RateLimitError()
      }
      await pause(nextMs, undefined, { signal: this.#signal })
      waitedMs += nextMs
      exchange = await send(waitedMs)
      if (!isLimited(exchange) || !(await acceptsAnother())) continue
      othersAccepted += 1
      if (othersAccepted < 2) continue
      this.#ownAnswers += 1
      return exchange
    }
    return exchange
  }
}

function isLimited({ reply }: Exchange): boolean {
  return reply.kind === 'answered' && reply.status === TOO_MANY_REQUESTS
}

function retryAfterMs({ reply }: Exchange): number | undefined {
  return reply.kind === 'answered' ? reply.retryAfterMs : undefined
}
