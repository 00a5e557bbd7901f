import type { CommandUnknownOpts } from '@commander-js/extra-typings'
import { type Clock, systemClock } from '@notewire/protocol'
import { createSettings, type Settings } from '../configuration/settings.ts'
import { CommandError, type ExitCode, namingSource } from '../errors/failure.ts'
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
   * `signal.reason` be thrown (the program ends with 130, 143 or 129), or return an exit code.
   */
  readonly signal: AbortSignal
  readonly output: Output
  readonly progress: (label: string) => Progress
  readonly prompts: Prompts
  /** Settings from flags, the environment and `.env`. */
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
  readonly fail: (error: unknown) => ExitCode
  readonly contextOf: (command: CommandUnknownOpts) => Context
}

export function openSession(
  { stdin, stdout, stderr, env, cwd }: NodeJS.Process,
  { signal, interrupt }: Interruption,
  json: boolean,
): Session {
  const clock = systemClock
  const screen = new Screen(stdout, stderr, signal)
  const output = createOutput(screen, json)
  const prompts = createPrompts(screen, { stdin, signal, json, interrupt })
  const progress = (label: string) => createProgress(screen, json, label)
  const secrets = new Set<string>()
  let baseUrlSource: string | undefined
  const debug = !['', '0', undefined].includes(env['NOTEWIRE_DEBUG'])
  const failureStyle = { screen, json, debug, secrets }
  return {
    output,
    fail: (error) => showFailure(namingSource(error, baseUrlSource), failureStyle),
    contextOf: (command) => {
      const workingFolder = folderOf(cwd)
      const flags = command.optsWithGlobals()
      const conceal = (secret: string) => secrets.add(secret)
      const foundBaseUrl = (source: string) => {
        baseUrlSource = source
      }
      const settings = createSettings({ flags, env, workingFolder, prompts, warn: output.warn, conceal, foundBaseUrl })
      return { stdin, workingFolder, clock, signal, output, prompts, progress, settings }
    },
  }
}

function folderOf(cwd: () => string): string {
  try {
    return cwd()
  } catch {
    const message =
      'the working folder does not exist any more: it was deleted or moved while this shell was in it. Change to a folder that exists with cd, then run the command again.'
    throw new CommandError('working_folder_missing', message)
  }
}
