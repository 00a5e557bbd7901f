import { type ExitCode, failureOf } from '../errors/failure.ts'
import type { Paint } from './colour.ts'
import { SCHEMA_VERSION } from './output.ts'
import type { Screen } from './screen.ts'
import { widthOf, wrap } from './width.ts'

/** The form of an API key and of a signing secret (contract §2, §5). */
const SECRET_FORMS = /[A-Za-z0-9._-]{1,64}_live_[A-Za-z0-9_-]+\.[A-Za-z0-9._~+/=-]+|\bwhsec_[A-Za-z0-9+/_=-]+/g

export interface FailureStyle {
  readonly screen: Screen
  readonly json: boolean
  readonly paint: Paint
  /** Whether `NOTEWIRE_DEBUG` is set. Only then are stacks shown. */
  readonly debug: boolean
  readonly secrets: ReadonlySet<string>
}

/**
 * Shows an error on stderr: its code, what happened and the next step; with `--json`, as one line of JSON. It shows no
 * secret: neither those that the run has read nor any text that has the form of one.
 */
export function showFailure(error: unknown, { screen, json, paint, debug, secrets }: FailureStyle): ExitCode {
  const { code, message, exitCode } = failureOf(error)
  const shown = conceal(message, secrets)
  screen.complain(
    json
      ? `${JSON.stringify({ schema_version: SCHEMA_VERSION, error: { code, message: shown, exit_code: exitCode } })}\n`
      : `${paint(['red', 'bold'], 'error')}  ${wrap(`${shown} ${paint('dim', `[${code}]`)}`, widthOf(screen.stderr), '       ').trimStart()}\n`,
  )
  if (debug && error instanceof Error) screen.complain(`${conceal(error.stack ?? String(error), secrets)}\n`)
  return exitCode
}

function conceal(text: string, secrets: ReadonlySet<string>): string {
  // Replacing a short text would garble the message.
  const long = [...secrets].filter((secret) => secret.length >= 8)
  return long.reduce((shown, secret) => shown.replaceAll(secret, '[secret]'), text).replace(SECRET_FORMS, '[secret]')
}
