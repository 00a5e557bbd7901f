import { NotewireError } from '@notewire/protocol'
import { EXIT_CODES, type ExitCode } from '../exit-code.ts'
import { isSystemError, type SystemError, systemReason } from '../system-reason.ts'
import { inWordsOfTheProgram } from './words-of-the-program.ts'

/** An error as it is shown, and what the program ends with. */
export interface Failure {
  readonly code: string
  /** What happened, why, and what to do next. */
  readonly message: string
  readonly exitCode: ExitCode
}

const EXIT_CODE_OF: Readonly<Record<string, ExitCode>> = {
  usage: EXIT_CODES.misused,
  position_malformed: EXIT_CODES.misused,
  option_invalid: EXIT_CODES.misconfigured,
  secret_malformed: EXIT_CODES.misconfigured,
  setting_missing: EXIT_CODES.misconfigured,
  setting_invalid: EXIT_CODES.misconfigured,
  configuration_unreadable: EXIT_CODES.misconfigured,
  secret_unreadable: EXIT_CODES.misconfigured,
  secret_exposed: EXIT_CODES.misconfigured,
  key_changed: EXIT_CODES.misconfigured,
  key_sees_others: EXIT_CODES.misconfigured,
  unauthorized: EXIT_CODES.refused,
  forbidden: EXIT_CODES.refused,
  network_error: EXIT_CODES.unreachable,
  timeout: EXIT_CODES.unreachable,
  server_error: EXIT_CODES.unreachable,
  rate_limited: EXIT_CODES.unreachable,
}

/** What the codes of the network are, beside those of files. */
const NETWORK_CODES = [
  'ECONNREFUSED',
  'ECONNRESET',
  'ENOTFOUND',
  'ETIMEDOUT',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'EAI_AGAIN',
]

/** What is shown of an error. Ours say it themselves; those of the operating system are put into words. */
export function failureOf(error: unknown): Failure {
  if (error instanceof NotewireError) {
    const exitCode = EXIT_CODE_OF[error.code] ?? EXIT_CODES.failed
    return { code: error.code, message: inWordsOfTheProgram(error.message), exitCode }
  }
  if (isFetchFailure(error)) {
    const message = `the request was not answered${reasonOf(error.cause)}. Check the URL, and that the service runs.`
    return { code: 'network_error', message, exitCode: EXIT_CODES.unreachable }
  }
  if (isSystemError(error)) {
    const exitCode = NETWORK_CODES.includes(error.code) ? EXIT_CODES.unreachable : EXIT_CODES.failed
    return { code: error.code, message: `${systemReason(error)}${placeOf(error)}`, exitCode }
  }
  const told = error instanceof Error ? `${error.name}: ${error.message}` : String(error)
  return {
    code: 'unexpected',
    message: `this should not have happened, and is a fault of notewire (${told}). Run it again with NOTEWIRE_DEBUG=1 and report what it shows.`,
    exitCode: EXIT_CODES.failed,
  }
}

function placeOf({ path, syscall, address, port }: SystemError): string {
  if (syscall === 'listen' && port !== undefined) return ` (${address}:${port}). Choose another with --port or --host.`
  return path === undefined ? '.' : ` (${path}).`
}

// What `fetch` throws says nothing; its cause does, where it has a code.
function isFetchFailure(error: unknown): error is TypeError {
  return error instanceof TypeError && error.message === 'fetch failed'
}

function reasonOf(cause: unknown): string {
  return isSystemError(cause) ? `: ${systemReason(cause)}` : ''
}
