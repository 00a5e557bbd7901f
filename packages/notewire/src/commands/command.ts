import type { Clock } from '@notewire/protocol'
import type { SettingName } from '../configuration/setting-table.ts'
import type { Settings } from '../configuration/settings.ts'
import type { ExitCode } from '../exit-code.ts'
import type { Output } from '../terminal/output.ts'
import type { Progress } from '../terminal/progress.ts'
import type { Prompts } from '../terminal/prompts.ts'
import type { ArgumentTable, OptionTable, ValuesOf } from './declarations.ts'

/** What every command gets from the process that it runs in. */
export interface Surroundings {
  readonly stdin: NodeJS.ReadStream
  readonly env: Readonly<Record<string, string | undefined>>
  /** The folder that relative paths start from. */
  readonly workingFolder: string
  readonly clock: Clock
  /**
   * Fires at Ctrl-C, at SIGTERM, and when nobody reads stdout any more. Hand it on to whatever waits; then clean up and
   * let `signal.reason` be thrown (the program ends with 130), or return a code of your own.
   */
  readonly signal: AbortSignal
  /** What is printed: results on stdout, as lines or as JSON; everything else on stderr. */
  readonly output: Output
  /** Shows how far a longer work is, on stderr. */
  readonly progress: (label: string) => Progress
  /** Asks whoever sits at the terminal. */
  readonly prompts: Prompts
  /** Settings, of flags, the environment and the configuration file, in this order. */
  readonly settings: Settings
  /** Every command there is, for the one that completes them. */
  readonly commands: readonly CommandEntry[]
}

/** One run of a command. */
export interface Invocation<Arguments extends ArgumentTable, Options extends OptionTable> extends Surroundings {
  readonly arguments: ValuesOf<Arguments>
  readonly options: ValuesOf<Options>
}

/** A command, as its file declares it. */
export interface CommandDefinition<Arguments extends ArgumentTable, Options extends OptionTable> {
  /** What it does, in a few sentences, for its help. */
  readonly description: string
  readonly arguments?: Arguments
  readonly options?: Options
  /** The settings that it reads: each brings its flag, and the help tells of all three places. */
  readonly settings?: readonly SettingName[]
  /** What to type, without `notewire `, and what that does. Two or three. */
  readonly examples: readonly Example[]
  /** What to do next, for the end of the help. */
  readonly next: string
  /** Does the work. What it throws is shown and becomes an exit code; see `terminal/failure.ts`. */
  run(invocation: Invocation<Arguments, Options>): Promise<ExitCode>
}

/** A line to type, without `notewire `, and what it does. */
export type Example = readonly [line: string, explanation: string]

/** A command that stands for others: `endpoints create`, `endpoints list`. */
export interface CommandGroup {
  readonly description: string
  readonly subcommands: readonly CommandEntry[]
  readonly examples: readonly Example[]
  readonly next: string
}

/** A row of the table of commands. Its file is loaded when it is the one that was typed. */
export interface CommandEntry {
  readonly name: string
  /** One line for the list of commands, without a full stop. */
  readonly summary: string
  /** The heading under which the list shows it. */
  readonly heading?: string
  /** Whether the list leaves it out: it is typed by programs. */
  readonly isHidden?: boolean
  readonly load: () => Promise<Command | CommandGroup>
}

/** A command whose declarations have met what was typed. */
export interface Command {
  readonly description: string
  readonly arguments: ArgumentTable
  readonly options: OptionTable
  readonly settings: readonly SettingName[]
  readonly examples: readonly Example[]
  readonly next: string
  /** @throws `UsageError` when what was typed is not what the declarations take */
  run(typed: Typed, surroundings: Surroundings): Promise<ExitCode>
}

/** What was typed, by the names of the declarations. */
export interface Typed {
  readonly arguments: Readonly<Record<string, readonly string[]>>
  readonly options: Readonly<Record<string, readonly string[]>>
}

/**
 * Declares a command. Its `run` gets a value of the right type for every argument and option declared.
 * `mock.ts` is a short one, whole.
 */
export function defineCommand<
  const Arguments extends ArgumentTable = Record<never, never>,
  const Options extends OptionTable = Record<never, never>,
>(definition: CommandDefinition<Arguments, Options>): Command {
  const { description, arguments: args, options, settings = [], examples, next } = definition
  return {
    description,
    arguments: args ?? {},
    options: options ?? {},
    settings,
    examples,
    next,
    run: (typed, surroundings) =>
      definition.run({
        ...surroundings,
        arguments: valuesOf(args, typed.arguments),
        options: valuesOf(options, typed.options),
      }),
  }
}

function valuesOf<Table extends OptionTable | ArgumentTable>(
  table: Table | undefined,
  typed: Readonly<Record<string, readonly string[]>>,
): ValuesOf<Table> {
  const values = Object.entries(table ?? {}).map(([name, { read }]) => [name, read(typed[name] ?? [])])
  // `Object.fromEntries` forgets which name has which type.
  return Object.fromEntries(values) as ValuesOf<Table>
}
