/** Where a receiver tells what needs attention. `console` is one; so is any logger with these three methods. */
export interface Logger {
  /** What went as it should, and may be worth a line. */
  info(message: string, fields?: Readonly<Record<string, unknown>>): void
  /** What was refused, or must come again. */
  warn(message: string, fields?: Readonly<Record<string, unknown>>): void
  /** What needs somebody: a handler that failed, a secret that is missing. */
  error(message: string, fields?: Readonly<Record<string, unknown>>): void
}

/** A logger that adds the same fields to every line. */
export function withFields(logger: Logger, fields: Readonly<Record<string, unknown>>): Logger {
  return {
    info: (message, more) => logger.info(message, { ...fields, ...more }),
    warn: (message, more) => logger.warn(message, { ...fields, ...more }),
    error: (message, more) => logger.error(message, { ...fields, ...more }),
  }
}

/**
 * What a log may hold of somebody else's error: its name, its code and where it was thrown. Its message may quote a
 * note, a row or a key, so that only hooks get the error itself.
 */
export function traceOf(error: unknown): Readonly<Record<string, unknown>> {
  if (!isError(error)) return { error: typeof error }
  const code = 'code' in error && typeof error.code === 'string' ? { code: error.code } : {}
  const frames = (error.stack ?? '').split('\n').filter((line) => /^\s+at /.test(line))
  return { error: error.name, ...code, at: frames.slice(0, 8).map((frame) => frame.trim()) }
}

// Test runners give errors of another realm, which are no instances of this one's `Error`.
function isError(value: unknown): value is Error {
  return value instanceof Error || Object.prototype.toString.call(value) === '[object Error]'
}
