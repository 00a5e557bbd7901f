import { Argument, Option, Command as Parser } from 'commander'
import type { Command, CommandEntry, Typed } from './commands/command.ts'
import type { ArgumentDeclaration, OptionDeclaration } from './commands/declarations.ts'
import { CONFIGURATION_FILE } from './configuration/configuration-file.ts'
import { PLAIN_SETTINGS, type PlainSettingName, plainNameOf } from './configuration/setting-table.ts'
import { endOfHelp, endOfRootHelp, type HelpStyle, styleHelp } from './help.ts'

/** A command is to be run. */
export interface RunRequest {
  readonly kind: 'run'
  readonly command: Command
  readonly typed: Typed
  /** The flags of settings, by the names of the settings. */
  readonly flags: Readonly<Partial<Record<PlainSettingName, string>>>
}

/** A parser for one command line. */
export interface MadeParser {
  readonly root: Parser
  /** The command that was named, as far as it was. */
  readonly named: Parser
  /** Whether that is a command to run; a group of commands, `incomplete`; or a group that has none of the name that was typed. */
  readonly naming: 'complete' | 'incomplete' | 'unknown'
}

/** Who is told what the parser has to say. */
interface Listeners {
  readonly print: (text: string) => void
  readonly ask: (request: RunRequest) => void
}

/** Makes a parser that knows every command by name, and the named one by heart. */
export async function makeParser(
  commands: readonly CommandEntry[],
  operands: readonly string[],
  style: HelpStyle,
  { print, ask }: Listeners,
): Promise<MadeParser> {
  const root = new Parser('notewire')
  root.exitOverride().configureOutput({ writeOut: print, writeErr: () => undefined, getOutHasColors: () => true })
  styleHelp(root, style)
  root
    .usage('<command> [options]')
    .description('Your notes, and the webhooks that tell of them, from the command line.')
    .helpOption('-h, --help', 'print this')
    .helpCommand(false)
    .option('--json', 'print JSON alone on stdout; all else goes to stderr')
    .option('--config <file>', `the configuration file (default: ${CONFIGURATION_FILE})`)
    .option('-V, --version', 'print the version')
    .addHelpText('after', endOfRootHelp(style))
  return { root, ...(await nameCommand(root, commands, operands, style, ask)) }
}

async function nameCommand(
  parser: Parser,
  entries: readonly CommandEntry[],
  [name, ...operands]: readonly string[],
  style: HelpStyle,
  ask: Listeners['ask'],
): Promise<Omit<MadeParser, 'root'>> {
  for (const { name, summary, heading, isHidden = false } of entries) {
    const entry = parser.command(name, { hidden: isHidden }).summary(summary).helpCommand(false)
    if (heading !== undefined) entry.helpGroup(heading)
  }
  const entry = entries.find((each) => each.name === name)
  const named = parser.commands.find((each) => each.name() === name)
  if (entry === undefined || named === undefined) {
    return { named: parser, naming: name === undefined ? 'incomplete' : 'unknown' }
  }

  const command = await entry.load()
  named.description(command.description).addHelpText('after', endOfHelp(command, style))
  if ('subcommands' in command) {
    named.usage('<command> [options]')
    return await nameCommand(named, command.subcommands, operands, style, ask)
  }
  declare(named, command, ask)
  return { named, naming: 'complete' }
}

/** Tells a parser of the arguments and options of a command, and the command of what was typed for them. */
function declare(parser: Parser, command: Command, ask: Listeners['ask']): void {
  for (const declaration of Object.values(command.arguments)) {
    parser.addArgument(new Argument(declaration.name, shownDescription(declaration)))
  }
  const options = Object.entries(command.options).map(
    ([name, declaration]) =>
      [name, addOption(parser, new Option(declaration.flags, shownDescription(declaration)))] as const,
  )
  const settings = [...new Set(command.settings.map(plainNameOf))].map((name) => {
    const { flags, description } = PLAIN_SETTINGS[name]
    return [name, addOption(parser, new Option(flags, description).helpGroup('Settings:'))] as const
  })
  parser.action(() => {
    const typed = (option: Option) => typedTexts(parser, option)
    ask({
      kind: 'run',
      command,
      typed: {
        arguments: typedArguments(Object.keys(command.arguments), parser.processedArgs),
        options: Object.fromEntries(options.map(([name, option]) => [name, typed(option)])),
      },
      flags: Object.fromEntries(
        settings.flatMap(([name, option]) =>
          typed(option)
            .slice(-1)
            .map((text) => [name, text]),
        ),
      ),
    })
  })
}

/** More words than these are listed elsewhere: `doctor --list`. */
const MOST_CHOICES = 8

/** A description, with the words to choose from and the default. */
function shownDescription(
  declaration: Pick<
    ArgumentDeclaration<unknown> & Partial<OptionDeclaration<unknown>>,
    'description' | 'choices' | 'shownDefault'
  >,
): string {
  const { description, choices, shownDefault } = declaration
  const facts = [
    ...(choices.length > 0 && choices.length <= MOST_CHOICES ? [choices.join(', ')] : []),
    ...(shownDefault === undefined ? [] : [`default: ${shownDefault}`]),
  ]
  return facts.length === 0 ? description : `${description} (${facts.join('; ')})`
}

/** Keeps everything that is typed for an option, in order. */
function addOption(parser: Parser, option: Option): Option {
  if (!option.isBoolean()) option.argParser((text: string, previous: readonly string[] = []) => [...previous, text])
  parser.addOption(option)
  return option
}

/** A flag that was given is `true` to commander, and one empty text here. */
function typedTexts(parser: Parser, option: Option): readonly string[] {
  const value: unknown = parser.getOptionValue(option.attributeName())
  if (value === true) return ['']
  return Array.isArray(value) ? value : []
}

function typedArguments(names: readonly string[], values: readonly unknown[]): Typed['arguments'] {
  const texts = (value: unknown): readonly string[] => [value ?? []].flat().map(String)
  return Object.fromEntries(names.map((name, index) => [name, texts(values[index])]))
}
