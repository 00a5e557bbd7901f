import { styleText } from 'node:util'
import { widthOf, wrap } from '../terminal/width.ts'

/** A command line without `notewire `, and what it does. */
export type Example = readonly [line: string, explanation: string]

/** The end of the help of a command: examples, and what to do next. Pass it to `addHelpText('after', …)`, which removes colour where there is none. */
export function guide(examples: readonly Example[], next: string): string {
  return `\n${examplesText(examples)}\n\n${heading('Next:')}\n${wrap(next, widthOf(process.stdout), '  ')}`
}

/** The end of the help of the program. */
export const PROGRAM_GUIDE = `
${examplesText([
  ['pull', 'copies all your notes into a file'],
  ['mock', 'runs a mock notes service on this machine'],
  ['listen --port 3000', 'verifies and shows deliveries as they arrive'],
  ['doctor http://localhost:3000/webhooks/notes', 'finds out what is wrong with a receiver'],
])}

${heading('Exit codes:')}
  0    success
  1    a check found a problem, or the command could not complete its work
  2    the command was typed wrong
  3    a setting is missing or wrong
  4    the service rejected the API key (401, 403)
  5    the service or receiver could not be reached, or failed: try again later
  130  interrupted (Ctrl-C) before the command was done

Settings come from flags, else the environment, else the file .env of this
folder, else notewire.config.json.
Every command has its own help: notewire endpoints create --help
`

function examplesText(examples: readonly Example[]): string {
  const shown = examples.map(
    ([line, explanation]) =>
      `  $ notewire ${line}\n${styleText('dim', `    ${explanation}`, { validateStream: false })}`,
  )
  return [heading('Examples:'), ...shown].join('\n')
}

function heading(text: string): string {
  return styleText('bold', text, { validateStream: false })
}
