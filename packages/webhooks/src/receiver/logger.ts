import type { WebhookEvent } from '@notewire/protocol'

/** Where a receiver tells what needs attention. `console` is one; so is any logger with these three methods. */
export interface Logger {
  /** What went as it should, and may be worth a line. */
  info(message: string, fields?: Readonly<Record<string, unknown>>): void
  /** What was refused, or will be retried. */
  warn(message: string, fields?: Readonly<Record<string, unknown>>): void
  /** What an operator must look at: a handler that failed, a secret that is missing. */
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

/** The field that names an integration. A program with one integration need not know the word. */
export function named(integration: string | undefined): { readonly integration?: string } {
  return integration === undefined || integration === 'default' ? {} : { integration }
}

/** The fields of a line about an event. */
export function fieldsOf(
  { event_id, event_type }: WebhookEvent,
  integration: string,
): Readonly<Record<string, unknown>> {
  return { ...named(integration), event_id, event_type }
}

/** A logger that loses a line rather than a delivery when the log itself fails. */
export function unfailing(logger: Logger): Logger {
  const attempt = (write: () => unknown) => {
    try {
      // An async method fits the type, and an unhandled rejection would end the process.
      const written = write()
      if (written !== undefined) Promise.resolve(written).catch(() => undefined)
    } catch {
      // There is nowhere left to tell it.
    }
  }
  return {
    // The console would end the line in "undefined" if it were given fields that are not there.
    info: (...line) => attempt(() => logger.info(...line)),
    warn: (...line) => attempt(() => logger.warn(...line)),
    error: (...line) => attempt(() => logger.error(...line)),
  }
}

/** A name or a code: short, and one word. Anything else may be a sentence about a note. */
const TOKEN = /^[\w.-]{1,64}$/
/** Where something was called: a place in a file, and no line of a message that happens to begin like one. */
const FRAME = /^\s+at .*:\d+:\d+\)?$/
const MOST_FRAMES = 8

/**
 * What a log may hold of an error that is not ours: its name, its code and where it was thrown. Its message may quote a
 * note, a row or a key, so that only hooks get the error itself. Never throws, whatever was thrown.
 */
export function traceOf(error: unknown): Readonly<Record<string, unknown>> {
  try {
    return isError(error) ? partsOf(error) : { error: typeof error }
  } catch {
    // Getters and Proxies can throw when they are read.
    return { error: typeof error }
  }
}

function partsOf(error: Error & { readonly code?: unknown }): Readonly<Record<string, unknown>> {
  const { name, code } = error
  return { error: isToken(name) ? name : 'Error', ...(isToken(code) ? { code } : {}), at: framesOf(error) }
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
