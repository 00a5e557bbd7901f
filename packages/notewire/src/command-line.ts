import { CommanderError, type Command as Parser } from 'commander'
import type { CommandEntry } from './commands/command.ts'
import type { HelpStyle } from './help.ts'
import { makeParser, type RunRequest } from './parser.ts'
import { UsageError } from './usage-error.ts'

/** What the command line asks for. */
export type Request = { readonly kind: 'help'; readonly text: string } | RunRequest

/** What can be said to every command. */
export interface GlobalOptions {
  readonly json: boolean
  readonly version: boolean
  readonly config: string | undefined
}

/**
 * Reads a command line. Of all commands, the file of the one that was typed is loaded.
 *
 * @throws `UsageError` that says what is wrong with it, and which command may have been meant
 */
export async function readCommandLine(
  args: readonly string[],
  commands: readonly CommandEntry[],
  style: HelpStyle,
): Promise<Request> {
  const printed: string[] = []
  const asked: RunRequest[] = []
  const operands = operandsOf(args)
  const { root, named, naming } = await makeParser(commands, operands, style, {
    print: (text) => printed.push(text),
    ask: (request) => asked.push(request),
  })
  try {
    switch (naming) {
      case 'complete':
        root.parse(withoutHelpCommand(args), { from: 'user' })
        break
      case 'unknown':
        // Alone: with --help, the group's help would be shown in place of the complaint.
        root.parse([...operands], { from: 'user' })
        break
      case 'incomplete':
        refuseUnknownOptions(root, named, args)
        // Parsed, a group would complain that a command is missing.
        named.outputHelp()
    }
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error
    if (error.code !== 'commander.helpDisplayed') throw new UsageError(sentenceOf(error.message, named))
  }
  return asked[0] ?? { kind: 'help', text: printed.join('') }
}

function refuseUnknownOptions(root: Parser, named: Parser, args: readonly string[]): void {
  const { unknown } = root.parseOptions([...args])
  const option = unknown.find((each) => each.startsWith('-') && each !== '--help' && each !== '-h')
  if (option !== undefined) throw new UsageError(sentenceOf(`unknown option '${option}'`, named))
}

/** What every command understands, looked for before the rest so that even errors are shown as they should be. */
export function readGlobalOptions(args: readonly string[]): GlobalOptions {
  const ours = beforeDashes(args)
  const at = ours.findLastIndex((each) => each === '--config' || each.startsWith('--config='))
  const [, inline] = ours[at]?.split(/=(.*)/s) ?? []
  return {
    json: ours.includes('--json'),
    version: ours.includes('--version') || ours.includes('-V'),
    config: at === -1 ? undefined : (inline ?? ours[at + 1]),
  }
}

/** The words that are neither options nor the value of a global one: the first of them name the command. */
function operandsOf(args: readonly string[]): readonly string[] {
  const ours = beforeDashes(args)
  const operands = ours.filter((each, index) => !each.startsWith('-') && ours[index - 1] !== '--config')
  return operands[0] === 'help' ? operands.slice(1) : operands
}

/** `notewire help mock` is `notewire mock --help`. */
function withoutHelpCommand(args: readonly string[]): string[] {
  const operand = args.findIndex((each, index) => !each.startsWith('-') && args[index - 1] !== '--config')
  return args[operand] === 'help' ? [...args.toSpliced(operand, 1), '--help'] : [...args]
}

function beforeDashes(args: readonly string[]): readonly string[] {
  const end = args.indexOf('--')
  return end === -1 ? args : args.slice(0, end)
}

/** Commander's complaint as a sentence, with where to read on. */
function sentenceOf(complaint: string, parser: Parser): string {
  const [problem = '', suggestion] = complaint.replace(/^error: /, '').split('\n')
  const meant = suggestion === undefined ? '' : ` ${suggestion.replace(/^\(|\)$/g, '')}`
  return `${problem.replace(/\.$/, '')}.${meant} Its help: ${pathOf(parser)} --help`
}

function pathOf(parser: Parser): string {
  return parser.parent === null ? parser.name() : `${pathOf(parser.parent)} ${parser.name()}`
}
