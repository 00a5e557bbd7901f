import { type ClientRequest, type IncomingMessage, request as requestByHttp } from 'node:http'
import { request as requestByHttps } from 'node:https'
import { Readable } from 'node:stream'
import { setTimeout as pause } from 'node:timers/promises'
import type { Delivery } from './delivery.ts'

/** A body is sent in pieces of this size, so that an early answer is seen; of an answer, no more is read. */
const PIECE_BYTES = 65_536

/** How long to wait between the two parts of a body. */
const SPLIT_MS = 100

const UNREACHABLE =
  /^(?:ECONNREFUSED|ENOTFOUND|EAI_|EHOSTUNREACH|ENETUNREACH|ETIMEDOUT|EADDRNOTAVAIL|ERR_TLS|CERT_|UNABLE_TO|DEPTH_|SELF_SIGNED|ERR_SSL|EPROTO)/

/**
 * Sends a request on a new connection. Does not follow redirects.
 *
 * @param deadlineMs  how long to wait for the complete answer, in milliseconds
 * @throws only the reason of the signal; every other failure is a {@link Reply}
 */
export async function send(delivery: Delivery, deadlineMs: number, signal: AbortSignal): Promise<Exchange> {
  signal.throwIfAborted()
  const startedAt = performance.now()
  const late = AbortSignal.timeout(deadlineMs)
  const request = open(delivery, AbortSignal.any([signal, late]))
  const reply = await answerTo(request, delivery).catch((error: unknown): Reply => {
    signal.throwIfAborted()
    if (late.aborted) return { kind: 'timed-out', afterMs: deadlineMs }
    const code = error instanceof Error && 'code' in error ? String(error.code) : 'unknown error'
    return { kind: UNREACHABLE.test(code) ? 'unreachable' : 'closed', code }
  })
  request.destroy()
  return { delivery, reply, tookMs: performance.now() - startedAt }
}

function open({ method, url, headers, body }: Delivery, signal: AbortSignal): ClientRequest {
  const withLength = method === 'GET' ? headers : { ...headers, 'content-length': String(body.length) }
  const byProtocol = url.protocol === 'https:' ? requestByHttps : requestByHttp
  // The other side may close a reused connection at any moment, which would look like a fault of the receiver.
  return byProtocol(url, { method, headers: { ...withLength, connection: 'close' }, agent: false, signal })
}

async function answerTo(request: ClientRequest, delivery: Delivery): Promise<Reply> {
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>()
  request.once('response', resolve)
  // Stays: an error after the answer, such as a cut upload, must not crash the process.
  request.on('error', reject)
  Readable.from(piecesOf(delivery)).pipe(request)
  const answer = await promise
  const { statusCode = 0, headers } = answer
  const time = Date.parse(headers.date ?? '')
  return {
    kind: 'answered',
    status: statusCode,
    location: headers.location,
    dateMs: Number.isNaN(time) ? undefined : time,
    retryAfterMs: readRetryAfter(headers['retry-after']),
    shown: `${answer.rawHeaders.join('\n')}\n${await readStart(answer)}`,
  }
}

/** Reads the header `Retry-After`: seconds, or a date. */
export function readRetryAfter(header: string | null | undefined): number | undefined {
  if (header === undefined || header === null || header === '') return undefined
  const ms = /^\d{1,9}$/.test(header) ? Number(header) * 1000 : Date.parse(header) - Date.now()
  return Number.isNaN(ms) ? undefined : Math.max(ms, 0)
}

async function* piecesOf({ body, splitAt }: Delivery): AsyncGenerator<Buffer> {
  if (splitAt !== undefined) {
    yield body.subarray(0, splitAt)
    // Otherwise both parts may arrive together.
    await pause(SPLIT_MS)
    return yield body.subarray(splitAt)
  }
  for (let start = 0; start < body.length; start += PIECE_BYTES) yield body.subarray(start, start + PIECE_BYTES)
}

async function readStart(answer: IncomingMessage): Promise<string> {
  const pieces: Buffer[] = []
  let length = 0
  try {
    for await (const piece of answer) {
      pieces.push(piece)
      length += piece.length
      if (length >= PIECE_BYTES) break
    }
  } catch (error) {
    // The status counts: a receiver that rejects a large body may cut the connection after its answer.
    if (error instanceof Error && error.name === 'AbortError') throw error
  }
  return Buffer.concat(pieces).subarray(0, PIECE_BYTES).toString()
}

export type Reply =
  | {
      readonly kind: 'answered'
      readonly status: number
      readonly location: string | undefined
      /** The time of the `Date` header, in milliseconds since the Unix epoch. */
      readonly dateMs: number | undefined
      /** What the header `Retry-After` asks for, in milliseconds. */
      readonly retryAfterMs: number | undefined
      /** The headers and the first bytes of the body. Never printed, because they may contain anything. */
      readonly shown: string
    }
  | { readonly kind: 'timed-out'; readonly afterMs: number }
  /** The connection was open and closed without an answer. */
  | { readonly kind: 'closed'; readonly code: string }
  | { readonly kind: 'unreachable'; readonly code: string }

export interface Exchange {
  readonly delivery: Delivery
  readonly reply: Reply
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
