import { errorFactsOf, unreachedAddressOf } from './error-facts.ts'
import { NotewireError } from './errors.ts'
import { explainFailure } from './known-failures.ts'
import type { Logger } from './logger.ts'
import { callHook } from './user-functions.ts'

/** A logger that never throws: if the log fails, the line is lost, and nothing else is affected. */
export function unfailing(logger: Logger): Logger {
  const attempt = (write: () => unknown) => callHook(write, undefined)
  return {
    // Passes on only the arguments it got: the console would print "undefined" for fields that are absent.
    info: (...line) => attempt(() => logger.info(...line)),
    warn: (...line) => attempt(() => logger.warn(...line)),
    error: (...line) => attempt(() => logger.error(...line)),
  }
}

/** A stack frame with line and column. A line of an error message can begin with "at" too. */
const FRAME = /^\s+at .*:\d+:\d+\)?$/
const MAX_FRAMES = 8

/**
 * The fields of an error of the user that may be logged: its name, its code, the address that could not be reached, what to do about it if that is
 * known, and where it was thrown. Its message may quote a note, a row or a key, so only hooks get the error itself. The message of a
 * `NotewireError` quotes nothing. Never throws, whatever was thrown.
 *
 * @param thrower  what threw, such as `the handler`
 */
export function traceOf(error: unknown, thrower: string): Readonly<Record<string, unknown>> {
  try {
    return isError(error) ? partsOf(error) : { problem: notAnError(error, thrower) }
  } catch {
    // Getters and Proxies can throw when they are read.
    return { error: typeof error }
  }
}

const HOW_TO_SEE_MORE = 'logErrorMessages: true shows the message of the error; use it only in development'

/**
 * The fields of `traceOf`, and the message of the error, which may quote a note, a row or a key, if `logErrorMessages` is on. Otherwise `more` says
 * how to see a message that is left out. Never throws.
 */
export function traceWithMessage(
  error: unknown,
  thrower: string,
  logErrorMessages: boolean,
): Readonly<Record<string, unknown>> {
  const trace = traceOf(error, thrower)
  const message = privateMessageOf(error)
  // The trace of an error of ours has its message.
  if (message === undefined || message === '' || message === trace['problem']) return trace
  return logErrorMessages ? { ...trace, error_message: message } : { ...trace, more: HOW_TO_SEE_MORE }
}

/** The text of a thrown value, which may quote a note: the message of an error, or a string. `undefined` for other values. */
function privateMessageOf(error: unknown): string | undefined {
  try {
    const text = isError(error) ? error.message : error
    return typeof text === 'string' ? text : undefined
  } catch {
    return undefined
  }
}

function partsOf(error: Error): Readonly<Record<string, unknown>> {
  const { name, code } = errorFactsOf(error)
  const address = unreachedAddressOf(error)
  const problem = error instanceof NotewireError ? error.message : explainFailure(error)
  return {
    error: name,
    ...(code === null ? {} : { code }),
    ...(address === undefined ? {} : { address }),
    ...(problem === undefined ? {} : { problem }),
    at: framesOf(error),
  }
}

function notAnError(thrown: unknown, thrower: string): string {
  const article = typeof thrown === 'object' ? 'an' : 'a'
  const what = thrown === undefined || thrown === null ? String(thrown) : `${article} ${typeof thrown}`
  return `${thrower} threw ${what}, not an Error. Throw an Error, for example new Error(…): the log then shows where it was thrown.`
}

// The stack begins with the message, which may have several lines.
function framesOf({ stack, message }: Error): readonly string[] {
  if (typeof stack !== 'string') return []
  const after = stack.indexOf(String(message)) + String(message).length
  const lines = stack.slice(after).split('\n')
  return lines
    .filter((line) => FRAME.test(line))
    .slice(0, MAX_FRAMES)
    .map((line) => line.trim())
}

// Errors of another realm, as in test runners, are not instances of this realm's `Error`.
function isError(value: unknown): value is Error {
  return value instanceof Error || Object.prototype.toString.call(value) === '[object Error]'
}
