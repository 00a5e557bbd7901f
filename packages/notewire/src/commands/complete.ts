import { RootCommand, type Command as Suggested } from '@bomb.sh/tab'
import { PLAIN_SETTINGS, plainNameOf } from '../configuration/setting-table.ts'
import { EXIT_CODES } from '../exit-code.ts'
import { type Command, type CommandEntry, defineCommand } from './command.ts'
import { several } from './declarations.ts'
import type { ValueReader } from './value-readers.ts'

const anything: ValueReader<string> = (given) => given

/** `notewire complete -- <words>`: what the scripts of `notewire completion` ask. */
export const complete = defineCommand({
  description: 'Prints what could be typed next. Called by the scripts of notewire completion.',
  arguments: { words: several('words', 'what has been typed, after --', anything) },
  examples: [['complete -- endpoints ""', 'what can follow']],
  next: 'Have the shell call it: notewire completion zsh',
  async run({ arguments: { words }, commands }) {
    const suggestions = new RootCommand()
    suggestions.option('json', 'print JSON alone on stdout').option('config', 'the configuration file', noSuggestions)
    await suggest(suggestions, commands, [], words)
    suggestions.parse([...words])
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
  for (const { name, choices } of Object.values(command.arguments)) {
    suggested.argument(name.replace(/[<>[\].]/g, ''), offering(choices), name.includes('...'))
  }
  for (const { flags, description, choices } of Object.values(command.options)) {
    const name = nameIn(flags)
    if (flags.includes('<')) suggested.option(name, description, offering(choices))
    else suggested.option(name, description)
  }
  for (const name of command.settings.map(plainNameOf)) {
    suggested.option(nameIn(PLAIN_SETTINGS[name].flags), PLAIN_SETTINGS[name].description, noSuggestions)
  }
}

function nameIn(flags: string): string {
  return /--([a-z-]+)/.exec(flags)?.[1] ?? flags
}

function offering(choices: readonly string[]): (complete: (value: string, description: string) => void) => void {
  return (complete) => {
    for (const choice of choices) complete(choice, '')
  }
}

// Without a handler, tab takes an option for one without a value.
const noSuggestions = offering([])
