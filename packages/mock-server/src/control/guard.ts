import { isLoopback } from '@notewire/protocol'
import type { Refusal } from '../errors/mock-server-error.ts'
import { URL } from '../runtime/web-classes.ts'

export interface Visitor {
  readonly address: string | undefined
  /** Host names under which the console also answers other machines. */
  readonly consoleHosts: readonly string[]
}

/**
 * Decides whether a request may use the console and the control API. It must come from this machine, to one of the machine's host
 * names, and, if it changes something, with the `Origin` of the console.
 *
 * @returns why not, or `undefined` if it may
 */
export function refusalOf(request: Request, { address, consoleHosts }: Visitor): Refusal | undefined {
  const host = request.headers.get('host') ?? ''
  const name = URL.parse(`http://${host}`)?.hostname
  if (!isLoopback(address ?? '') && consoleHosts.length === 0) {
    return {
      problem: 'the console answers only requests from this machine',
      remedy: 'Start the mock server with --console-host and the host name under which other machines reach it.',
    }
  }
  // An attacker's host name may resolve to this machine. A page from there could otherwise read the answers (DNS rebinding).
  if (name === undefined || !(isLoopback(name) || consoleHosts.some((known) => known.toLowerCase() === name))) {
    return {
      problem: 'the console does not answer under this host name',
      remedy: 'Use the URL that the mock server printed, or start it with --console-host and this name.',
    }
  }
  const origin = request.headers.get('origin')
  const isReading = request.method === 'GET' || request.method === 'HEAD'
  // Browsers send `Origin` with every form. Without it, the request may come from any page.
  if (origin === null ? !isReading : URL.parse(origin)?.host !== host) {
    return {
      problem: 'only pages of this console may send this request',
      remedy: 'Send the URL of the mock server as the header Origin.',
    }
  }
  return undefined
}

const POLICY = [
  "default-src 'none'",
  "style-src 'self'",
  "script-src 'self'",
  "connect-src 'self'",
  'img-src data:',
  "form-action 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join('; ')

/** Adds the headers that stop a browser from running scripts of other origins, and from framing, sharing or storing the answer. */
export function consoleHeaders(answer: Response): Response {
  const headers = new Headers(answer.headers)
  headers.set('content-security-policy', POLICY)
  headers.set('cross-origin-resource-policy', 'same-origin')
  headers.set('cross-origin-opener-policy', 'same-origin')
  headers.set('x-content-type-options', 'nosniff')
  // With `no-referrer`, Chromium sends forms with "Origin: null".
  headers.set('referrer-policy', 'same-origin')
  headers.set('cache-control', 'no-store')
  return new Response(answer.body, { status: answer.status, headers })
}
