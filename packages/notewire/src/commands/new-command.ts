import { styleText } from 'node:util'
import { Command } from '@commander-js/extra-typings'
import { optionOf, type SettingName } from '../configuration/setting-table.ts'
import { widthOf, wrap } from '../terminal/width.ts'

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
    `\n${examplesText(examples)}\n\n${heading('Next:')}\n${wrap(next, widthOf(process.stdout), '  ')}`,
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
  130: 'interrupted (Ctrl-C) before the command was done',
})}

${wrap(
  'Settings come from flags, else the environment, else the file .env of this folder.\nEvery command has its own help: notewire endpoints create --help',
  widthOf(process.stdout),
)}
`

function exitCodesText(codes: Readonly<Record<number, string>>): string {
  const lines = Object.entries(codes).map(
    ([code, meaning]) => `  ${code.padEnd(5)}${wrap(meaning, widthOf(process.stdout), '       ').trimStart()}`,
  )
  return lines.join('\n')
}

function examplesText(examples: CommandHelp['examples']): string {
  const shown = Object.entries(examples).map(([line, explanation]) => {
    const wrapped = wrap(explanation, widthOf(process.stdout), '    ')
    return `  $ notewire ${line}\n${styleText('dim', wrapped, { validateStream: false })}`
  })
  return [heading('Examples:'), ...shown].join('\n')
}

function heading(text: string): string {
  return styleText('bold', text, { validateStream: false })
}
