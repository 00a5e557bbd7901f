import { unreachedProxy } from '@notewire/protocol'

const UNKNOWN_ISSUER = [
  'this machine does not know who issued its certificate',
  'If your company did, set NODE_EXTRA_CA_CERTS to its PEM file in the environment, not in .env.',
] as const

const NO_ROUTE = 'Check the URL and the network. Behind a proxy, set HTTPS_PROXY and NODE_USE_ENV_PROXY=1.'

type Explained = readonly [reason: string, advice: string]

const FAILURES: Readonly<Record<string, Explained>> = {
  EACCES: ['permission denied', 'Check who owns it and its permissions.'],
  EADDRINUSE: ['the port is taken', 'Choose another with --port.'],
  EADDRNOTAVAIL: ['this machine has no such address', 'Choose another with --host.'],
  EAI_AGAIN: ['the host name could not be looked up', 'Check the network, then try again.'],
  EBUSY: ['another program has it open', 'Close that program, then run the command again.'],
  ECONNREFUSED: ['nothing listens there', 'Check the URL, and start what should listen there.'],
  ECONNRESET: ['the connection was broken off', 'Try again.'],
  EDQUOT: ['the disk quota is used up', 'Free some space, then run the command again.'],
  EEXIST: ['it exists already', 'Name another, or move it away.'],
  EFBIG: ['it is too large', 'Name another file.'],
  EHOSTUNREACH: ['the host cannot be reached', NO_ROUTE],
  EILSEQ: ['it is not text in UTF-8', 'Save it as UTF-8.'],
  EISDIR: ['it is a folder', 'Name a file.'],
  ELOOP: ['its symbolic links lead in a circle', 'Name another path.'],
  EMFILE: ['too many files are open', 'Close some programs, then run the command again.'],
  EMLINK: ['it is a symbolic link', 'Name the file itself.'],
  ENAMETOOLONG: ['the path is too long', 'Name a shorter one.'],
  ENETUNREACH: ['the network cannot be reached', NO_ROUTE],
  ENOENT: ['there is no such file or folder', 'Check the path.'],
  ENOSPC: ['the disk is full', 'Free some space, then run the command again.'],
  ENOTDIR: ['part of the path is not a folder', 'Check the path.'],
  ENOTFOUND: ['there is no host with that name', NO_ROUTE],
  ENXIO: ['it is not a file', 'Name a file.'],
  EPROTO: ['it does not speak https', 'If it is an http server, write http:// in the URL.'],
  EPERM: ['the operation is not permitted', 'Check who owns it and its permissions.'],
  EROFS: ['the file system is read-only', 'Name a place that can be written.'],
  ERR_SSL_WRONG_VERSION_NUMBER: ['it does not speak https', 'If it is an http server, write http:// in the URL.'],
  ERR_SSL_PACKET_LENGTH_TOO_LONG: ['it does not speak https', 'If it is an http server, write http:// in the URL.'],
  DEPTH_ZERO_SELF_SIGNED_CERT: UNKNOWN_ISSUER,
  SELF_SIGNED_CERT_IN_CHAIN: UNKNOWN_ISSUER,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: UNKNOWN_ISSUER,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: UNKNOWN_ISSUER,
  CERT_HAS_EXPIRED: ['its certificate has expired', 'Renew it, or check the clock of this machine.'],
  CERT_NOT_YET_VALID: ['its certificate is not valid yet', 'Check the clock of this machine.'],
  ERR_TLS_CERT_ALTNAME_INVALID: ['its certificate is for another host name', 'Check the URL.'],
  ERR_SSL_TLSV1_ALERT_NO_APPLICATION_PROTOCOL: ['it accepts HTTP/2 only', 'Enable HTTP/1.1.'],
  ETIMEDOUT: ['nothing answered in time', NO_ROUTE],
}

const UNKNOWN = [
  'the operating system refused the operation',
  'Run it again with NOTEWIRE_DEBUG=1 to see the details.',
] as const

/** The codes of network errors. A later attempt may succeed. */
const NETWORK_CODE = /^(?:EAI_AGAIN|ECONNREFUSED|ECONNRESET|EHOSTUNREACH|ENETUNREACH|ENOTFOUND|ETIMEDOUT)$/

export interface SystemError extends Error {
  readonly code: string
  readonly path?: string
  readonly address?: string
  readonly port?: number
}

/** An error like those of the operating system, for a file that the program rejects. */
export function systemError(code: string, path: string): SystemError {
  return Object.assign(new Error(`${code}: ${path}`), { code, path })
}

/** Tells whether an error is one of the operating system's; with `codes`, whether it is one of these. */
export function isSystemError(error: unknown, ...codes: readonly string[]): error is SystemError {
  if (!(error instanceof Error && 'code' in error && typeof error.code === 'string')) return false
  return codes.length === 0 ? /^E[A-Z0-9_]+$/.test(error.code) : codes.includes(error.code)
}

export function isNetworkError(error: SystemError): boolean {
  return NETWORK_CODE.test(error.code)
}

/** The reason of an error of the operating system, without a full stop. */
export function systemReason(error: unknown): string {
  return isSystemError(error) ? (FAILURES[error.code] ?? UNKNOWN)[0] : 'it cannot be done'
}

/** The reason of an error of `fetch`, without a full stop. */
export function fetchFailureReason(error: Error, url: URL): string {
  return fetchFailure(error, url)[0]
}

/** The reason and the next step of an error of `fetch`, in sentences. */
export function describeFetchFailure(error: Error, url: URL): string {
  return fetchFailure(error, url).join('. ')
}

/** The same, if a proxy has failed and not the host of the URL; otherwise `undefined`. */
export function describeProxyFailure(error: unknown, url: URL): string | undefined {
  return proxyFailure(error, url)?.join('. ')
}

function fetchFailure(error: Error, url: URL): Explained {
  const { name, message, code }: { readonly name?: unknown; readonly message?: unknown; readonly code?: unknown } =
    Object(error.cause)
  // These two errors of Node.js have no code.
  if (message === 'bad port') {
    return ['fetch sends no request to this port, which other protocols use', 'Choose another port.']
  }
  if (name === 'HTTPParserError') return ['it does not speak HTTP/1.1', 'If it accepts HTTP/2 only, enable HTTP/1.1.']
  return (
    proxyFailure(error, url) ??
    FAILURES[String(code)] ?? ['the connection failed', 'Check the URL, and that the service runs.']
  )
}

function proxyFailure(error: unknown, url: URL): Explained | undefined {
  const proxy = unreachedProxy(error, url)
  if (proxy !== undefined) return [`the proxy ${proxy} was not reached`, CHECK_PROXY]
  return isRefusedByProxy(error) ? ['a proxy refused the connection', CHECK_PROXY] : undefined
}

const CHECK_PROXY = 'Check HTTPS_PROXY and HTTP_PROXY, or add the host to NO_PROXY.'

function isRefusedByProxy(error: unknown): boolean {
  const { cause }: { readonly cause?: unknown } = Object(error)
  // `fetch` wraps the error of the proxy once or twice.
  return [cause, Object(cause).cause].some((each) => Object(each).code === 'UND_ERR_ABORTED')
}

/** The reason, the place and the next step for an error of the operating system, in sentences. */
export function describeSystemError(error: SystemError): string {
  const [reason, advice] = FAILURES[error.code] ?? UNKNOWN
  const { path, address, port } = error
  const place = path ?? (port === undefined ? undefined : `${address ?? 'port'}:${port}`)
  return `${reason}${place === undefined ? '' : ` (${place})`}. ${advice}`
}
