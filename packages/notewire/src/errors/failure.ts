import { NotewireError } from '@notewire/protocol'
import { describeFetchFailure, describeSystemError, isNetworkError, isSystemError } from './system-error.ts'

/** The exit codes of the program. `notewire --help` and the README list them. */
export const EXIT_CODES = {
  /** The command did its work. Commands that run until Ctrl-C (`mock`, `listen`) end with it, too, at Ctrl-C. */
  done: 0,
  /** A check found a problem, or the command could not complete its work. */
  failed: 1,
  misused: 2,
  /** A setting is missing or wrong: in the environment, in `.env`, or in a file that they name. */
  misconfigured: 3,
  /** The service rejected the API key, or the key lacks a scope (401, 403). */
  refused: 4,
  /** The service or the receiver could not be reached, or did not answer in time. */
  unreachable: 5,
  /** The terminal was closed (SIGHUP). */
  hungUp: 129,
  /** Ctrl-C, before the command was done. */
  interrupted: 130,
  /** SIGTERM. */
  terminated: 143,
} as const

export type ExitCode = (typeof EXIT_CODES)[keyof typeof EXIT_CODES]

/** The errors of the command line, with the exit code of each. */
const COMMAND_ERRORS = {
  usage: EXIT_CODES.misused,
  setting_missing: EXIT_CODES.misconfigured,
  setting_invalid: EXIT_CODES.misconfigured,
  configuration_unreadable: EXIT_CODES.misconfigured,
  working_folder_missing: EXIT_CODES.misconfigured,
  secret_unreadable: EXIT_CODES.misconfigured,
  key_withheld: EXIT_CODES.misconfigured,
  key_changed: EXIT_CODES.misconfigured,
  key_sees_others: EXIT_CODES.misconfigured,
  listing_stalled: EXIT_CODES.failed,
  copy_missing: EXIT_CODES.failed,
  copy_empty: EXIT_CODES.failed,
  database_malformed: EXIT_CODES.failed,
  database_foreign: EXIT_CODES.failed,
  database_readonly: EXIT_CODES.failed,
  database_full: EXIT_CODES.failed,
  database_busy: EXIT_CODES.failed,
  database_failed: EXIT_CODES.failed,
  export_in_the_way: EXIT_CODES.failed,
  capture_unreadable: EXIT_CODES.failed,
  effects_unreadable: EXIT_CODES.failed,
  doctor_timeout: EXIT_CODES.failed,
  console_refused: EXIT_CODES.failed,
  endpoint_missing: EXIT_CODES.failed,
  note_unknown: EXIT_CODES.misused,
  endpoint_unknown: EXIT_CODES.misused,
} as const

export type CommandErrorCode = keyof typeof COMMAND_ERRORS

/** The message says what happened, why, and the next step. It never contains a secret or a part of a note. */
export class CommandError extends NotewireError<CommandErrorCode> {}

export class UsageError extends CommandError {
  constructor(message: string) {
    super('usage', message)
  }
}

export interface Failure {
  readonly code: string
  readonly message: string
  readonly exitCode: ExitCode
}

const EXIT_CODE_OF: Readonly<Record<string, ExitCode>> = {
  ...COMMAND_ERRORS,
  position_malformed: EXIT_CODES.misused,
  arguments_invalid: EXIT_CODES.misused,
  option_invalid: EXIT_CODES.misconfigured,
  secret_malformed: EXIT_CODES.misconfigured,
  unauthorized: EXIT_CODES.refused,
  forbidden: EXIT_CODES.refused,
  network_error: EXIT_CODES.unreachable,
  timeout: EXIT_CODES.unreachable,
  server_error: EXIT_CODES.unreachable,
  rate_limited: EXIT_CODES.unreachable,
}

/** What the program shows of an error. Errors of the operating system are explained; unexpected errors are reported as defects. */
export function failureOf(error: unknown): Failure {
  if (error instanceof NotewireError) {
    const exitCode = EXIT_CODE_OF[error.code] ?? EXIT_CODES.failed
    return { code: error.code, message: error.message, exitCode }
  }
  if (isSystemError(error)) {
    const exitCode = isNetworkError(error) ? EXIT_CODES.unreachable : EXIT_CODES.failed
    return { code: error.code, message: describeSystemError(error), exitCode }
  }
  const description = error instanceof Error ? `${error.name}: ${error.message}` : String(error)
  return {
    code: 'unexpected',
    message: `this is a defect of notewire (${description}). Run it again with NOTEWIRE_DEBUG=1 and report what it shows.`,
    exitCode: EXIT_CODES.failed,
  }
}

/** The error to throw for an error of `fetch`, which does not say what was requested. */
export function fetchError(error: unknown, url: URL): unknown {
  if (!isFetchFailure(error)) return error
  return new NotewireError('network_error', `the request was not answered: ${describeFetchFailure(error, url)}`)
}

/** Names the source of the URL of the service in an error of the client, which knows only its option. */
export function namingSource(error: unknown, source: string | undefined): unknown {
  if (source === undefined || !(error instanceof NotewireError)) return error
  error.message = error.message.replace(
    /^baseUrl(?= )|the option baseUrl(?:, which is also NOTES_BASE_URL in the environment)?/,
    () => source,
  )
  return error
}

// `fetch` throws a `TypeError` without a code. Other errors of this class have no cause.
function isFetchFailure(error: unknown): error is TypeError {
  return error instanceof TypeError && error.cause instanceof Error
}
