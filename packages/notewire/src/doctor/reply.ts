import type { Delivery } from './delivery.ts'

export type Reply =
  | {
      readonly kind: 'answered'
      readonly status: number
      readonly location: string | undefined
      /** The time of the `Date` header, in milliseconds since the Unix epoch. */
      readonly dateMs: number | undefined
      /** The first bytes of the body. Never shown, because it may contain anything. */
      readonly bodyStart: string
    }
  | { readonly kind: 'timed-out'; readonly afterMs: number }
  /** The connection was open and closed without an answer. */
  | { readonly kind: 'closed'; readonly code: string }
  | { readonly kind: 'unreachable'; readonly code: string }

export interface Exchange {
  readonly delivery: Delivery
  readonly reply: Reply
  /** From opening the connection to the end of the answer, in milliseconds. */
  readonly tookMs: number
}

/** Whether the delivery succeeded: a 2xx (contract §3). */
export function isAccepted(reply: Reply): boolean {
  return reply.kind === 'answered' && reply.status >= 200 && reply.status < 300
}

/** Whether the receiver rejected the request: a 4xx (contract §5, receiver rule 6). */
export function isRejected(reply: Reply): boolean {
  return reply.kind === 'answered' && reply.status >= 400 && reply.status < 500
}

export function describeExchange({ reply, tookMs }: Exchange): string {
  switch (reply.kind) {
    case 'answered':
      return `answered ${reply.status} in ${Math.round(tookMs)} ms`
    case 'timed-out':
      return `no answer within ${seconds(reply.afterMs)}`
    case 'closed':
      if (reply.code.startsWith('HPE_')) return `the answer is not HTTP (${reply.code})`
      return `closed the connection without an answer (${reply.code})`
    case 'unreachable':
      return `could not be reached (${reply.code})`
  }
}

export function seconds(ms: number): string {
  return `${Number((ms / 1000).toFixed(1))} s`
}
