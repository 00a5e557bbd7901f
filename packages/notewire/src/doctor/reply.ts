import type { Delivery } from './delivery.ts'

/** What became of a request. */
export type Reply =
  | {
      readonly kind: 'answered'
      readonly status: number
      /** Where a redirect points to. */
      readonly location: string | undefined
      /** The receiver's own time by its `Date` header, in milliseconds since the Unix epoch. */
      readonly dateMs: number | undefined
      /** The first bytes of the body. Never shown: it may hold anything. */
      readonly bodyStart: string
    }
  /** No answer, or no whole one, within the deadline. */
  | { readonly kind: 'timed-out'; readonly afterMs: number }
  /** The connection was there, and ended without an answer. */
  | { readonly kind: 'closed'; readonly code: string }
  /** There was no connection. */
  | { readonly kind: 'unreachable'; readonly code: string }

/** A request and what became of it. */
export interface Exchange {
  readonly delivery: Delivery
  readonly reply: Reply
  /** From the first byte of the connection to the end of the answer, in milliseconds. */
  readonly tookMs: number
}

/** The service counts a 2xx as delivered, and nothing else (contract §3). */
export function isAcknowledged(reply: Reply): boolean {
  return reply.kind === 'answered' && reply.status >= 200 && reply.status < 300
}

/** What is refused gets a 4xx (contract §5, receiver rule 6). */
export function isRefusal(reply: Reply): boolean {
  return reply.kind === 'answered' && reply.status >= 400 && reply.status < 500
}

/** Redirects are not followed (contract §3). */
export function isRedirect(reply: Reply): reply is Extract<Reply, { kind: 'answered' }> {
  return reply.kind === 'answered' && reply.status >= 300 && reply.status < 400
}

/** What was seen, in a few words. */
export function describeExchange({ reply, tookMs }: Exchange): string {
  switch (reply.kind) {
    case 'answered':
      return `answered ${reply.status} in ${Math.round(tookMs)} ms`
    case 'timed-out':
      return `gave no answer within ${seconds(reply.afterMs)}`
    case 'closed':
      if (reply.code.startsWith('HPE_')) return `answered with something that is not HTTP (${reply.code})`
      return `closed the connection without an answer (${reply.code})`
    case 'unreachable':
      return `could not be reached (${reply.code})`
  }
}

/** Milliseconds as seconds, for a person. */
export function seconds(ms: number): string {
  return `${Number((ms / 1000).toFixed(1))} s`
}
