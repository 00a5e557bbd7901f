import type { ServerResponse } from 'node:http'
import { MockServerError } from '../errors/mock-server-error.ts'
import { missingWebClass } from '../runtime/web-classes.ts'

/** Writes an answer of Hono to `node:http`, without timers and classes that test environments replace. */
export async function writeAnswer(response: Response, outgoing: ServerResponse): Promise<void> {
  outgoing.statusCode = response.status
  for (const [name, value] of response.headers) outgoing.appendHeader(name, value)
  const reader = response.body?.getReader()
  outgoing.once('close', () => reader?.cancel().catch(() => undefined))
  const isLive = response.headers.get('content-type')?.startsWith('text/event-stream') ?? false
  const chunks: Uint8Array[] = []
  for (;;) {
    const value = (await reader?.read())?.value
    if (value === undefined) break
    // The other answers are short, and get a length.
    if (isLive) outgoing.write(value)
    else chunks.push(value)
  }
  if (chunks.length > 0) outgoing.end(Buffer.concat(chunks))
  else outgoing.end()
}

/** Answers 500, and says what is missing if a test has removed a class that the answer needed. */
export function writeFailure(error: unknown, outgoing: ServerResponse): void {
  if (outgoing.headersSent || outgoing.destroyed) {
    outgoing.destroy()
    return
  }
  const { message } =
    missingWebClass() ??
    new MockServerError('listen_failed', 'the mock server failed to answer', `Report this as a bug: ${String(error)}`)
  outgoing.writeHead(500, { 'content-type': 'text/plain; charset=utf-8' }).end(`${message}\n`)
}
