import { Help, type Command as Parser } from 'commander'
import type { Command, CommandGroup, Example } from './commands/command.ts'
import { CONFIGURATION_FILE } from './configuration/configuration-file.ts'
import {
  isSecret,
  longFlag,
  PLAIN_SETTINGS,
  plainNameOf,
  SECRETS,
  type SettingName,
} from './configuration/setting-table.ts'
import type { Paint } from './terminal/colour.ts'
import { wrap } from './terminal/width.ts'

/** How the help is to look. */
export interface HelpStyle {
  readonly paint: Paint
  readonly width: number
}

const EXIT_CODE_WORDS = `  0    done
  1    what was examined is not right, or it could not be done
  2    typed wrong
  3    a setting is missing or wrong
  4    the service refused the API key (401, 403)
  5    the service or receiver could not be reached, or failed: try again later
  130  interrupted (Ctrl-C) before it was done`

const FIRST_STEPS: readonly Example[] = [
  ['pull', 'all your notes, in a file of yours'],
  ['mock', 'a notes service on this machine, to try everything on'],
  ['listen --port 3000', 'see its deliveries arrive, verified'],
  ['doctor http://localhost:3000/webhooks/notes', 'find out what is wrong with a receiver'],
]

/** Gives the help of every command its colours and its width. */
export function styleHelp(parser: Parser, { paint, width }: HelpStyle): void {
  parser.configureHelp({
    helpWidth: width,
    showGlobalOptions: true,
    styleTitle: (title) => paint('bold', title),
    subcommandTerm: (command) => command.name(),
    groupItems: optionsFirst,
  })
}

const OPTIONS = 'Options:'

/** Of a command with no option but --help, the settings would come first. */
const optionsFirst: Help['groupItems'] = (declared, visible, groupOf) => {
  const groups = new Help().groupItems(declared, visible, groupOf)
  const own = groups.get(OPTIONS)
  return own === undefined ? groups : new Map([[OPTIONS, own], ...groups])
}

/** What follows the list of commands: first steps, exit codes and where to read on. */
export function endOfRootHelp(style: HelpStyle): string {
  const next = 'Every command has its own help: notewire endpoints create --help'
  return `\n${examplesText(FIRST_STEPS, style)}\n\n${style.paint('bold', 'Exit codes:')}\n${EXIT_CODE_WORDS}\n\n${next}\n`
}

/** What follows the options of a command: where its settings come from, examples, and what to do next. */
export function endOfHelp(command: Command | CommandGroup, style: HelpStyle): string {
  const settings =
    'settings' in command && command.settings.length > 0 ? `${settingsText(command.settings, style)}\n\n` : ''
  const next = `${style.paint('bold', 'Next:')}\n${wrap(command.next, style.width, '  ')}`
  return `\n${settings}${examplesText(command.examples, style)}\n\n${next}\n`
}

function settingsText(names: readonly SettingName[], { paint, width }: HelpStyle): string {
  const rows = [...new Set(names.map(plainNameOf))].map((name) => [
    longFlag(name),
    PLAIN_SETTINGS[name].variable,
    `"${name}"`,
  ])
  const [flagWidth = 0, variableWidth = 0] = [0, 1].map((column) =>
    Math.max(...rows.map((row) => (row[column] ?? '').length)),
  )
  const table = rows.map(([flag = '', variable = '', field = '']) =>
    `  ${flag.padEnd(flagWidth)}  ${variable.padEnd(variableWidth)}  ${field}`.trimEnd(),
  )
  const secrets = names.filter(isSecret).map((name) => {
    const { title, variable } = SECRETS[name]
    return wrap(`${variable} is the ${title} itself. A flag never is.`, width, '  ')
  })
  const heading = paint('bold', 'Flag, else environment, else')
  return [`${heading} ${paint('bold', `${CONFIGURATION_FILE}:`)}`, ...table, ...secrets].join('\n')
}

function examplesText(examples: readonly Example[], { paint, width }: HelpStyle): string {
  const shown = examples.map(
    ([line, explanation]) => `  $ notewire ${line}\n${paint('dim', wrap(explanation, width, '    '))}`,
  )
  return `${paint('bold', 'Examples:')}\n${shown.join('\n')}`
}
