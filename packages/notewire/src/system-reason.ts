/** What the codes of the operating system mean to a person. */
const REASONS: Readonly<Record<string, string>> = {
  EACCES: 'permission denied',
  EADDRINUSE: 'the port is taken',
  EADDRNOTAVAIL: 'this machine has no such address',
  ECONNREFUSED: 'nothing listens there',
  ECONNRESET: 'the connection was broken off',
  EDQUOT: 'the disk quota is used up',
  EEXIST: 'it is there already',
  EISDIR: 'it is a folder',
  EMFILE: 'too many files are open',
  ENOENT: 'there is no such file or folder',
  ENOSPC: 'the disk is full',
  ENOTDIR: 'part of the path is no folder',
  ENOTFOUND: 'there is no host of that name',
  EPERM: 'the operation is not permitted',
  EROFS: 'the file system is read-only',
  ETIMEDOUT: 'nothing answered in time',
}

/** An error of the operating system. */
export interface SystemError extends Error {
  readonly code: string
  readonly syscall?: string
  readonly path?: string
  readonly address?: string
  readonly port?: number
}

/** Tells whether an error is one of the operating system's. */
export function isSystemError(error: unknown): error is SystemError {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' && /^E[A-Z0-9]+$/.test(error.code)
}

/** Why the operating system said no, in words. */
export function systemReason(error: unknown): string {
  if (!isSystemError(error)) return 'it cannot be done'
  return REASONS[error.code] ?? error.code
}
