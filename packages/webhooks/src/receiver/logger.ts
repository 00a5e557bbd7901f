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

/** A logger that loses a line rather than a delivery when the log itself fails. */
export function unfailing(logger: Logger): Logger {
  const attempt = (write: () => void) => {
    try {
      write()
    } catch {
      // There is nowhere left to tell it.
    }
  }
  return {
    info: (message, fields) => attempt(() => logger.info(message, fields)),
    warn: (message, fields) => attempt(() => logger.warn(message, fields)),
    error: (message, fields) => attempt(() => logger.error(message, fields)),
  }
}

/** A name or a code: short, and one word. Anything else may be a sentence about a note. */
const TOKEN = /^[\w.-]{1,64}$/
/** Where something was called: a place in a file, and no line of a message that happens to begin like one. */
const FRAME = /^\s+at .*:\d+:\d+\)?$/
const MOST_FRAMES = 8

/**
 * What a log may hold of somebody else's error: its name, its code and where it was thrown. Its message may quote a
 * note, a row or a key, so that only hooks get the error itself.
 */
export function traceOf(error: unknown): Readonly<Record<string, unknown>> {
  if (!isError(error)) return { error: typeof error }
  const code = 'code' in error && isToken(error.code) ? { code: error.code } : {}
  return { error: isToken(error.name) ? error.name : 'Error', ...code, at: framesOf(error) }
}

// The stack begins with the message, line breaks and all.
function framesOf({ stack, message }: Error): readonly string[] {
  if (typeof stack !== 'string') return []
  const after = stack.indexOf(String(message)) + String(message).length
  const lines = stack.slice(after).split('\n')
  return lines
    .filter((line) => FRAME.test(line))
    .slice(0, MOST_FRAMES)
    .map((line) => line.trim())
}

function isToken(value: unknown): value is string {
  return typeof value === 'string' && TOKEN.test(value)
}

// Test runners give errors of another realm, which are no instances of this one's `Error`.
function isError(value: unknown): value is Error {
  return value instanceof Error || Object.prototype.toString.call(value) === '[object Error]'
}
