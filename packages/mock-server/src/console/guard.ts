/** Where a request to the console came from. */
export interface Visitor {
  /** The address of the other end of the connection. */
  readonly address: string | undefined
  /** Host names under which the console also answers, and to other machines. */
  readonly consoleHosts: readonly string[]
}

/**
 * Decides whether a request may reach the console: from this machine, under a name that is its own, from its own pages.
 *
 * @returns why not, and what to do, or nothing
 */
export function refusalOf(request: Request, { address, consoleHosts }: Visitor): string | undefined {
  const host = request.headers.get('host') ?? ''
  const name = hostNameOf(host)
  if (!isLoopbackAddress(address) && consoleHosts.length === 0) {
    return 'The console answers this machine alone. Start the service with --console-host and the name under which others reach it.'
  }
  // A page elsewhere can have its own name resolve to this machine, and its scripts then read what is here (DNS rebinding).
  if (name === undefined || !(isLoopbackName(name) || consoleHosts.some((known) => known.toLowerCase() === name))) {
    return 'The console does not answer under this host name. Use the URL that was printed, or start with --console-host and this name.'
  }
  const origin = request.headers.get('origin')
  const isReading = request.method === 'GET' || request.method === 'HEAD'
  // Browsers send their origin with every form. Who sends none may be anything, but not one of our pages.
  if (origin === null ? !isReading : hostOf(origin) !== host) {
    return 'Only the pages of this console may ask for that: send its own address as Origin.'
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

/** Keeps a browser from running, framing, sharing or keeping what the console answers. */
export function consoleHeaders(answer: Response): Response {
  const headers = new Headers(answer.headers)
  headers.set('content-security-policy', POLICY)
  headers.set('cross-origin-resource-policy', 'same-origin')
  headers.set('cross-origin-opener-policy', 'same-origin')
  headers.set('x-content-type-options', 'nosniff')
  // Without any referrer, Chromium sends forms with "Origin: null".
  headers.set('referrer-policy', 'same-origin')
  headers.set('cache-control', 'no-store')
  return new Response(answer.body, { status: answer.status, headers })
}

function isLoopbackAddress(address = ''): boolean {
  return address === '::1' || /^(::ffff:)?127\./.test(address)
}

function isLoopbackName(name: string): boolean {
  return name === 'localhost' || name === '[::1]' || /^127\.\d+\.\d+\.\d+$/.test(name)
}

function hostNameOf(host: string): string | undefined {
  return URL.parse(`http://${host}`)?.hostname
}

function hostOf(origin: string): string | undefined {
  return URL.parse(origin)?.host
}
