import { systemClock } from '@notewire/protocol'
import type { GlobalOptions } from './command-line.ts'
import type { Surroundings } from './commands/command.ts'
import { createSettings, type SettingSources } from './configuration/create-settings.ts'
import type { ExitCode } from './exit-code.ts'
import type { HelpStyle } from './help.ts'
import type { Interruption } from './interruption.ts'
import { isColoured, painter } from './terminal/colour.ts'
import { Concealment } from './terminal/concealment.ts'
import { createOutput, type Output } from './terminal/output.ts'
import { createProgress } from './terminal/progress.ts'
import { createPrompts } from './terminal/prompts.ts'
import { Screen } from './terminal/screen.ts'
import { showFailure } from './terminal/show-failure.ts'
import { widthOf } from './terminal/width.ts'

/** The process as a place to work: what it prints to, and what a command gets of it. */
export interface Workplace {
  readonly output: Output
  readonly helpStyle: HelpStyle
  /** Shows an error, and says what the program ends with. */
  readonly fail: (error: unknown) => ExitCode
  /** What a command gets, with the flags of settings that were typed for it. */
  readonly surroundings: (flags: SettingSources['flags']) => Omit<Surroundings, 'commands'>
}

/** Arranges a process for one run. */
export function workplaceOf(
  process: NodeJS.Process,
  { signal, interrupt }: Interruption,
  { json, config }: GlobalOptions,
): Workplace {
  const { stdin, stdout, stderr, env } = process
  const clock = systemClock
  const screen = new Screen(stdout, stderr, signal)
  const coloured = { stdout: isColoured(stdout, env), stderr: isColoured(stderr, env) }
  const output = createOutput(screen, { json, coloured })
  const prompts = createPrompts(screen, { stdin, signal, json, interrupt })
  const concealment = new Concealment()
  const failureStyle = {
    screen,
    json,
    paint: painter(coloured.stderr),
    debug: isSet(env['NOTEWIRE_DEBUG']),
    concealment,
  }
  return {
    output,
    helpStyle: { paint: output.paint, width: widthOf(stdout) },
    fail: (error) => showFailure(error, failureStyle),
    surroundings: (flags) => ({
      stdin,
      env,
      workingFolder: process.cwd(),
      clock,
      signal,
      output,
      prompts,
      progress: (label) => createProgress(screen, clock, json, label),
      settings: createSettings({
        flags,
        env,
        workingFolder: process.cwd(),
        configurationPath: config,
        prompts,
        warn: output.warn,
        conceal: concealment.add,
      }),
    }),
  }
}

function isSet(variable: string | undefined): boolean {
  return variable !== undefined && variable !== '' && variable !== '0'
}
