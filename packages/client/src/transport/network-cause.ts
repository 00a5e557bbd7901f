import { isLoopback, unreachedProxy } from '@notewire/protocol'

/** What happened to a connection, and the next step. */
interface NetworkCause {
  readonly text: string
  /** Whether the text says what to do, so that checking the base URL would mislead. */
  readonly isComplete: boolean
  /** Whether the service has not received the request. */
  readonly isUnsent: boolean
}

/** With these codes, the service has not received the request. */
export const UNSENT_CODES = ['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'UND_ERR_CONNECT_TIMEOUT']

const ISSUER =
  'This machine does not know who issued the certificate of the host. If your company did, set NODE_EXTRA_CA_CERTS to its PEM file before the program starts, not in .env.'
const DATES =
  'The certificate of the host has expired or is not valid yet. Check the clock of this machine, or renew the certificate.'
const NO_TLS =
  'The server does not speak TLS at this port, or accepts HTTP/2 without HTTP/1.1 only. Begin the base URL with http:// for a plain server on this machine, or name the port for https.'
const NO_HTTP = 'The server does not speak HTTP/1.1, perhaps HTTP/2 only. Enable HTTP/1.1, or name another port.'
const REFUSED =
  'The proxy refused the connection. Check HTTPS_PROXY, with its user name and password, or add the host to NO_PROXY.'
const BLOCKED = 'fetch sends no request to this port, which other protocols use. Let the service use another port.'

/** A text that ends with a space does not say what to do. The base URL is to be checked then. */
const CAUSES: readonly (readonly [codes: RegExp, text: string])[] = [
  [/^ECONNREFUSED$/, 'No program listens at this address. '],
  [/^ENOTFOUND$|^EAI_AGAIN$/, 'The name of the host was not found. '],
  [/^Z_BUF_ERROR$/, 'The response ended early. '],
  [/SELF_SIGNED|UNABLE_TO_|ISSUER/, ISSUER],
  [/EXPIRED|NOT_YET_VALID/, DATES],
  [/ALTNAME/, 'The certificate is for another host name. '],
  [/WRONG_VERSION|PACKET_LENGTH|^EPROTO$/, NO_TLS],
  [/APPLICATION_PROTOCOL|^HPE_/, NO_HTTP],
  [/ABORTED$|PROXY|PRX/, REFUSED],
  [/CERT/, 'The certificate of the host was not accepted. '],
  [/SSL|TLS/, 'The TLS handshake failed. '],
]

/**
 * Explains why a request got no response.
 *
 * @param code  the runtime's code, or `timeout`
 * @param thrown  what `fetch` threw
 */
export function networkCauseOf(code = '', thrown: unknown, baseUrl: string): NetworkCause {
  const url = new URL(baseUrl)
  const text = failedBefore(thrown, url) ?? CAUSES.find(([codes]) => codes.test(code))?.[1] ?? hintFor(code, url)
  const isComplete = !/^$| $/.test(text)
  const isUnsent = UNSENT_CODES.includes(code) || (isComplete && !code.startsWith('HPE'))
  const isFar = /^E.*(?:REFUSED|FOUND|AGAIN|UNREACH)$|time/i.test(code) && !isLoopback(url.hostname)
  return { text: isFar && !isComplete ? text + BEHIND_PROXY : text, isComplete, isUnsent }
}

const BEHIND_PROXY = 'Behind a proxy, set HTTPS_PROXY and NODE_USE_ENV_PROXY=1 before the program starts. '

function hintFor(code: string, { protocol }: URL): string {
  const isClosed = /SOCKET$|^ECONNRESET$/.test(code) && protocol === 'http:'
  return isClosed
    ? 'The server closed the connection. If it is a server for https, begin the base URL with https://. '
    : ''
}

const DEEPEST_CAUSE = 5

/** What failed before the service was reached: a port that `fetch` blocks, or a proxy that is down. */
function failedBefore(thrown: unknown, url: URL): string | undefined {
  if (isBlocked(thrown)) return BLOCKED
  const proxy = unreachedProxy(thrown, url)
  return proxy === undefined
    ? undefined
    : `${proxy} was not reached, which is not the service but a proxy. Check HTTPS_PROXY and HTTP_PROXY, or add the host of the service to NO_PROXY.`
}

function isBlocked(thrown: unknown): boolean {
  let error = thrown
  for (let depth = 0; depth < DEEPEST_CAUSE && error instanceof Error; depth += 1) {
    // The error of Node.js has no code.
    if (error.message === 'bad port') return true
    error = error.cause
  }
  return false
}
