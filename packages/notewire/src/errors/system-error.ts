interface SystemFailure {
  /** What happened. */
  readonly reason: string
  /** The next step, where it is the same for every operation. */
  readonly advice?: string
}

/** What the error codes of the operating system mean, and what to do. */
const FAILURES: Readonly<Record<string, SystemFailure>> = {
  EACCES: { reason: 'permission denied', advice: 'Check who owns it and its permissions.' },
  EADDRINUSE: { reason: 'the port is taken', advice: 'Choose another with --port.' },
  EADDRNOTAVAIL: { reason: 'this machine has no such address', advice: 'Choose another with --host.' },
  EAI_AGAIN: { reason: 'the host name could not be looked up', advice: 'Check the network, then try again.' },
  ECONNREFUSED: { reason: 'nothing listens there', advice: 'Check the URL, and start what should listen there.' },
  ECONNRESET: { reason: 'the connection was broken off', advice: 'Try again.' },
  EDQUOT: { reason: 'the disk quota is used up', advice: 'Free some space, then run the command again.' },
  EEXIST: { reason: 'it exists already', advice: 'Name another, or move it away.' },
  EHOSTUNREACH: { reason: 'the host cannot be reached', advice: 'Check the network, then try again.' },
  EISDIR: { reason: 'it is a folder', advice: 'Name a file.' },
  ELOOP: { reason: 'its symbolic links lead in a circle', advice: 'Name another path.' },
  EMFILE: { reason: 'too many files are open', advice: 'Close some programs, then run the command again.' },
  ENAMETOOLONG: { reason: 'the path is too long', advice: 'Name a shorter one.' },
  ENETUNREACH: { reason: 'the network cannot be reached', advice: 'Check the network, then try again.' },
  ENOENT: { reason: 'there is no such file or folder', advice: 'Check the path.' },
  ENOSPC: { reason: 'the disk is full', advice: 'Free some space, then run the command again.' },
  ENOTDIR: { reason: 'part of the path is not a folder', advice: 'Check the path.' },
  ENOTFOUND: { reason: 'there is no host with that name', advice: 'Check the URL and the network.' },
  EPERM: { reason: 'the operation is not permitted', advice: 'Check who owns it and its permissions.' },
  EROFS: { reason: 'the file system is read-only', advice: 'Name a place that can be written.' },
  ETIMEDOUT: { reason: 'nothing answered in time', advice: 'Check the URL and the network, then try again.' },
}

const UNKNOWN: SystemFailure = {
  reason: 'the operating system refused the operation',
  advice: 'Run it again with NOTEWIRE_DEBUG=1 to see the details.',
}

/** Codes of the network: trying again later may help. */
const NETWORK_CODES = [
  'EAI_AGAIN',
  'ECONNREFUSED',
  'ECONNRESET',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOTFOUND',
  'ETIMEDOUT',
]

/** An error of the operating system. */
export interface SystemError extends Error {
  readonly code: string
  readonly path?: string
  readonly address?: string
  readonly port?: number
}

/** Tells whether an error is one of the operating system's; with `codes`, whether it is one of these. */
export function isSystemError(error: unknown, ...codes: readonly string[]): error is SystemError {
  if (!(error instanceof Error && 'code' in error && typeof error.code === 'string')) return false
  return codes.length === 0 ? /^E[A-Z0-9_]+$/.test(error.code) : codes.includes(error.code)
}

/** Tells whether the operating system could not reach another host. */
export function isNetworkError(error: SystemError): boolean {
  return NETWORK_CODES.includes(error.code)
}

/** Why the operating system refused, in words without a full stop. */
export function systemReason(error: unknown): string {
  return isSystemError(error) ? (FAILURES[error.code] ?? UNKNOWN).reason : 'it cannot be done'
}

/** Why the operating system refused, where, and what to do next, in sentences. */
export function describeSystemError(error: SystemError): string {
  const { reason, advice } = FAILURES[error.code] ?? UNKNOWN
  const { path, address, port } = error
  const place = path ?? (port === undefined ? undefined : `${address ?? 'port'}:${port}`)
  return `${reason}${place === undefined ? '' : ` (${place})`}. ${advice}`
}
