import { once } from 'node:events'
import { type ClientRequest, type IncomingMessage, request as requestByHttp } from 'node:http'
import { request as requestByHttps } from 'node:https'
import { bytesOf, type Delivery } from './delivery.ts'
import type { Exchange, Reply } from './reply.ts'

/** How a request is sent. */
export interface SendOptions {
  /** How long to wait for the whole answer, in milliseconds. */
  readonly deadlineMs: number
  readonly signal: AbortSignal
}

/** Of an answer's body no more than this is read. */
const MAX_BODY_BYTES = 65_536

/** Larger bodies are written in pieces of this size, so that a receiver which has heard enough can say so. */
const PIECE_BYTES = 65_536

/** The connection was never there. */
const UNREACHABLE =
  /^(?:ECONNREFUSED|ENOTFOUND|EAI_|EHOSTUNREACH|ENETUNREACH|ETIMEDOUT|EADDRNOTAVAIL|ERR_TLS|CERT_|UNABLE_TO|DEPTH_|SELF_SIGNED|ERR_SSL|EPROTO)/

/**
 * Sends a request on a connection of its own, follows no redirect, and tells what became of it.
 *
 * @throws the reason of the signal, once that has fired; anything else is a {@link Reply}
 */
export async function send(delivery: Delivery, { deadlineMs, signal }: SendOptions): Promise<Exchange> {
  signal.throwIfAborted()
  const startedAt = performance.now()
  const late = AbortSignal.timeout(deadlineMs)
  const request = open(delivery, AbortSignal.any([signal, late]))
  const reply = await converse(request, bytesOf(delivery.body)).catch((error: unknown): Reply => {
    signal.throwIfAborted()
    if (late.aborted) return { kind: 'timed-out', afterMs: deadlineMs }
    const code = codeOf(error)
    return { kind: UNREACHABLE.test(code) ? 'unreachable' : 'closed', code }
  })
  request.destroy()
  return { delivery, reply, tookMs: performance.now() - startedAt }
}

function open({ method, url, headers, body }: Delivery, signal: AbortSignal): ClientRequest {
  const length = body.bytes.length + body.trailingSpaces
  const withLength = method === 'GET' ? headers : { ...headers, 'content-length': String(length) }
  const byProtocol = url.protocol === 'https:' ? requestByHttps : requestByHttp
  // A connection that was used before may be closed by the other side at any moment, and look like a fault.
  return byProtocol(url, { method, headers: { ...withLength, connection: 'close' }, agent: false, signal })
}

async function converse(request: ClientRequest, body: Buffer): Promise<Reply> {
  const [answer] = await Promise.all([firstAnswer(request), write(request, body)])
  const { statusCode = 0, headers } = answer
  return {
    kind: 'answered',
    status: statusCode,
    location: headers.location,
    dateMs: timeOf(headers.date),
    bodyStart: await readStart(answer),
  }
}

/** The answer, or what went wrong instead; an error after the answer is none. */
function firstAnswer(request: ClientRequest): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    request.once('response', resolve)
    request.on('error', reject)
  })
}

async function write(request: ClientRequest, body: Buffer): Promise<void> {
  if (body.length <= PIECE_BYTES) {
    request.end(body.length === 0 ? undefined : body)
    return
  }
  const answered = new AbortController()
  request.once('response', () => answered.abort())
  request.once('close', () => answered.abort())
  for (let start = 0; start < body.length && !answered.signal.aborted; start += PIECE_BYTES) {
    const isTaken = request.write(body.subarray(start, start + PIECE_BYTES))
    if (!isTaken) await once(request, 'drain', { signal: answered.signal }).catch(() => undefined)
  }
  if (!answered.signal.aborted) request.end()
}

async function readStart(answer: IncomingMessage): Promise<string> {
  const pieces: Buffer[] = []
  let length = 0
  try {
    for await (const piece of answer) {
      pieces.push(piece)
      length += piece.length
      if (length >= MAX_BODY_BYTES) break
    }
  } catch (error) {
    // The status is what counts: a receiver that refuses a large body may cut the connection behind its answer.
    if (error instanceof Error && error.name === 'AbortError') throw error
  }
  return Buffer.concat(pieces).subarray(0, MAX_BODY_BYTES).toString()
}

function timeOf(date: string | undefined): number | undefined {
  const time = Date.parse(date ?? '')
  return Number.isNaN(time) ? undefined : time
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : 'unknown error'
}
