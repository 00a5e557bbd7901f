import { RootCommand, ShellCompDirective, type Command as Suggested } from '@bomb.sh/tab'
import { PLAIN_SETTINGS, plainNameOf } from '../configuration/setting-table.ts'
import { EXIT_CODES } from '../exit-code.ts'
import { type Command, type CommandEntry, defineCommand } from './command.ts'
import { longName, several } from './declarations.ts'
import type { ValueReader } from './value-readers.ts'

const anything: ValueReader<string> = (given) => given

/** `notewire complete -- <words>`: what the scripts of `notewire completion` ask. */
export const complete = defineCommand({
  description: 'Prints what could be typed next. Called by the scripts of notewire completion.',
  arguments: { words: several('words', 'what has been typed, after --', anything) },
  examples: [['complete -- endpoints ""', 'what can follow']],
  next: 'Have the shell call it: notewire completion zsh',
  async run({ arguments: { words }, commands, output }) {
    const suggestions = new RootCommand()
    suggestions.option('json', 'print JSON alone on stdout').option('config', 'the configuration file', expectPath)
    await suggest(suggestions, commands, [], words)
    try {
      suggestions.parse([...words])
    } catch (error) {
      if (!(error instanceof PathExpected)) throw error
      await output.printRaw(`:${ShellCompDirective.ShellCompDirectiveDefault}\n`)
    }
    return EXIT_CODES.done
  },
})

/** Adds every command by its name, and those that were typed with all they take: only their files are loaded. */
async function suggest(
  suggestions: RootCommand,
  entries: readonly CommandEntry[],
  path: readonly string[],
  words: readonly string[],
): Promise<void> {
  for (const { name, summary, load, isHidden = false } of entries) {
    if (isHidden) continue
    const suggested = suggestions.command([...path, name].join(' '), summary)
    if (!words.includes(name)) continue
    const command = await load()
    if ('subcommands' in command) await suggest(suggestions, command.subcommands, [...path, name], words)
    else describe(suggested, command)
  }
}

function describe(suggested: Suggested, command: Command): void {
  for (const { name, ...declared } of Object.values(command.arguments)) {
    suggested.argument(name.replace(/[<>[\].]/g, ''), handlerOf(declared), name.includes('...'))
  }
  for (const { flags, ...declared } of Object.values(command.options)) {
    // Without a handler, tab takes an option for one without a value.
    const handler = flags.includes('<') ? handlerOf(declared) : undefined
    suggested.option(optionName(flags), declared.description, handler)
  }
  for (const name of command.settings.map(plainNameOf)) {
    const { flags, description, isPath } = PLAIN_SETTINGS[name]
    suggested.option(optionName(flags), description, handlerOf({ description, isPath, choices: [] }))
  }
}

function optionName(flags: string): string {
  return longName(flags).slice(2)
}

type Handler = (complete: (value: string, description: string) => void) => void

function handlerOf({
  choices,
  description,
  isPath,
}: {
  readonly choices: readonly string[]
  readonly description: string
  readonly isPath: boolean
}): Handler {
  if (isPath) return expectPath
  return (complete) => {
    for (const choice of choices) complete(choice, description)
  }
}

/** Where a path is expected, the shell completes it, which tab itself never lets it do. */
class PathExpected extends Error {}

function expectPath(): never {
  throw new PathExpected()
}
