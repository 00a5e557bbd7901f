import { Command } from '@commander-js/extra-typings'
import { optionOf, type SettingName } from '../configuration/setting-table.ts'
import { coloured } from '../terminal/colour.ts'
import { hanging, widthOf, wrap } from '../terminal/width.ts'

export interface CommandHelp {
  /** The name and the summary of a subcommand; those of other commands are in `COMMANDS`. */
  readonly name?: string
  readonly summary?: string
  readonly description: string
  /** The settings that the command reads from `context.settings`. It gets a flag for each. */
  readonly settings?: readonly SettingName[]
  /** Explanations, by command lines without `notewire `. */
  readonly examples: Readonly<Record<string, string>>
  readonly next: string
}

export function newCommand({ name, summary = '', description, settings = [], examples, next }: CommandHelp) {
  const command = new Command(name).summary(summary).description(description)
  for (const setting of settings) command.addOption(optionOf(setting))
  // commander removes the colour if the output has none.
  return command.addHelpText(
    'after',
    `\n${examplesText(examples)}\n\n${heading('Next:')}\n${wrap(next, widthOf(process.stdout), '  ').join('\n')}`,
  )
}

export const PROGRAM_GUIDE = `
${examplesText({
  pull: 'copies all your notes into a file',
  mock: 'runs a mock notes service on this machine',
  'listen --port 3000': 'verifies and shows deliveries as they arrive',
  'doctor http://localhost:3000/webhooks/notes': 'finds out what is wrong with a receiver',
})}

${heading('Exit codes:')}
${exitCodesText({
  0: 'success',
  1: 'a check found a problem, or the command could not complete its work',
  2: 'the command was typed wrong',
  3: 'a setting is missing or wrong',
  4: 'the service rejected the API key (401, 403)',
  5: 'the service or receiver could not be reached, or failed: try again later',
  130: 'interrupted (Ctrl-C) before the command was done; 143 after SIGTERM, 129 after SIGHUP',
})}

${[
  'Settings come from flags, else the environment, else the file .env of this folder.',
  'Every command has its own help: notewire endpoints create --help',
]
  .flatMap((text) => wrap(text, widthOf(process.stdout)))
  .join('\n')}
`

function exitCodesText(codes: Readonly<Record<number, string>>): string {
  const lines = Object.entries(codes).flatMap(([code, meaning]) =>
    hanging(`  ${code.padEnd(5)}`, meaning, widthOf(process.stdout)),
  )
  return lines.join('\n')
}

function examplesText(examples: CommandHelp['examples']): string {
  const shown = Object.entries(examples).map(([line, explanation]) => {
    const wrapped = wrap(explanation, widthOf(process.stdout), '    ')
    return [`  $ notewire ${line}`, ...wrapped.map((each) => coloured('dim', each, { validateStream: false }))].join(
      '\n',
    )
  })
  return [heading('Examples:'), ...shown].join('\n')
}

function heading(text: string): string {
  return coloured('bold', text, { validateStream: false })
}
