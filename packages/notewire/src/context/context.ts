import type { CommandUnknownOpts } from '@commander-js/extra-typings'
import { type Clock, systemClock } from '@notewire/protocol'
import { createSettings, type Settings } from '../configuration/settings.ts'
import type { ExitCode } from '../errors/failure.ts'
import { isColoured, painter } from '../terminal/colour.ts'
import type { Interruption } from '../terminal/interruption.ts'
import { createOutput, type Output, showFailure } from '../terminal/output.ts'
import { createProgress, type Progress } from '../terminal/progress.ts'
import { createPrompts, type Prompts } from '../terminal/prompts.ts'
import { Screen } from '../terminal/screen.ts'

export interface Context {
  readonly stdin: NodeJS.ReadStream
  readonly workingFolder: string
  readonly clock: Clock
  /**
   * Fires at Ctrl-C, SIGTERM and SIGHUP, and when stdout is closed. Pass it to every function that waits. After cleaning up, either let
   * `signal.reason` be thrown (the program ends with 130), or return an exit code.
   */
  readonly signal: AbortSignal
  readonly output: Output
  readonly progress: (label: string) => Progress
  readonly prompts: Prompts
  /** Settings from flags, the environment, `.env` and the configuration file. */
  readonly settings: Settings
}

/**
 * Wraps the action of a command: `.action(run(async (context, url, { wait }) => EXIT_CODES.done))`. An error that the action
 * throws is shown and becomes an exit code (`errors/failure.ts`).
 */
export type Run = <Typed extends readonly unknown[]>(
  action: (context: Context, ...typed: Typed) => Promise<ExitCode>,
) => (...typed: Typed) => Promise<void>

export interface Session {
  readonly output: Output
  readonly isColoured: boolean
  readonly fail: (error: unknown) => ExitCode
  readonly contextOf: (command: CommandUnknownOpts) => Context
}

export function openSession(
  { stdin, stdout, stderr, env, cwd }: NodeJS.Process,
  { signal, interrupt }: Interruption,
  json: boolean,
): Session {
  const clock = systemClock
  const workingFolder = cwd()
  const screen = new Screen(stdout, stderr, signal)
  const coloured = { stdout: isColoured(stdout, env), stderr: isColoured(stderr, env) }
  const output = createOutput(screen, json, coloured)
  const prompts = createPrompts(screen, { stdin, signal, json, interrupt })
  const progress = (label: string) => createProgress(screen, clock, json, label)
  const secrets = new Set<string>()
  const debug = !['', '0', undefined].includes(env['NOTEWIRE_DEBUG'])
  const failureStyle = { screen, json, paint: painter(coloured.stderr), debug, secrets }
  return {
    output,
    isColoured: coloured.stdout && !json,
    fail: (error) => showFailure(error, failureStyle),
    contextOf: (command) => {
      const { config, ...flags } = command.optsWithGlobals()
      const settings = createSettings({
        flags,
        env,
        workingFolder,
        configurationPath: typeof config === 'string' ? config : undefined,
        prompts,
        warn: output.warn,
        conceal: (secret) => secrets.add(secret),
      })
      return { stdin, workingFolder, clock, signal, output, prompts, progress, settings }
    },
  }
}
