import type { ExitCode } from '../exit-code.ts'
import type { Paint } from './colour.ts'
import type { Concealment } from './concealment.ts'
import { failureOf } from './failure.ts'
import type { Screen } from './screen.ts'
import { widthOf, wrap } from './width.ts'

/** How errors are shown in a run. */
export interface FailureStyle {
  readonly screen: Screen
  readonly json: boolean
  readonly paint: Paint
  /** Whether `NOTEWIRE_DEBUG` is set: then, and only then, stacks are shown. */
  readonly debug: boolean
  readonly concealment: Concealment
}

/**
 * Shows an error on stderr: its code, what happened and the next step; with `--json`, as one line of JSON.
 *
 * @returns what the program ends with
 */
export function showFailure(error: unknown, { screen, json, paint, debug, concealment }: FailureStyle): ExitCode {
  const { code, message, exitCode } = failureOf(error)
  const shown = concealment.conceal(message)
  screen.complain(
    json
      ? `${JSON.stringify({ error: { code, message: shown, exit_code: exitCode } })}\n`
      : `${paint(['red', 'bold'], 'error')}  ${wrap(`${shown} ${paint('dim', `[${code}]`)}`, widthOf(screen.stderr), '       ').trimStart()}\n`,
  )
  if (debug && error instanceof Error) screen.complain(`${concealment.conceal(error.stack ?? String(error))}\n`)
  return exitCode
}
