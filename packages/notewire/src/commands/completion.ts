import { Argument, Command, type CommandUnknownOpts } from '@commander-js/extra-typings'
import type { Run } from '../context/context.ts'
import { EXIT_CODES } from '../errors/failure.ts'
import { newCommand } from './new-command.ts'

export const command = (run: Run) =>
  newCommand({
    description: 'Prints a script that completes commands and options in a shell.',
    examples: {
      'completion bash >> ~/.bashrc': 'in bash',
      'completion zsh >> ~/.zshrc': 'in zsh',
      'completion fish > ~/.config/fish/completions/notewire.fish': 'in fish',
    },
    next: 'Open a new shell.',
  })
    .addArgument(new Argument('<shell>', 'which shell').choices(['bash', 'zsh', 'fish'] as const))
    .action(
      run(async ({ output }, shell, _options, command) => {
        const program = command instanceof Command ? command.parent : null
        const commands = program?.commands ?? []
        const script = shell === 'fish' ? fishScript(commands) : bashScript(commands, shell)
        await output.print({ shell, script }, script.split('\n'))
        return EXIT_CODES.done
      }),
    )

/** zsh reads the completions of bash. */
function bashScript(commands: readonly CommandUnknownOpts[], shell: 'bash' | 'zsh'): string {
  const cases = commands.map((command) => `    ${command.name()}) words="${wordsAfter(command).join(' ')}" ;;`)
  return [
    ...(shell === 'zsh' ? ['autoload -U +X compinit && compinit', 'autoload -U +X bashcompinit && bashcompinit'] : []),
    '_notewire() {',
    `  local words="${commands.map((command) => command.name()).join(' ')}"`,
    `  set -- "$2" "\${COMP_WORDS[@]}"`,
    '  [ "$COMP_CWORD" -gt 1 ] && case "$3" in',
    ...cases,
    '  esac',
    '  COMPREPLY=($(compgen -W "$words" -- "$1"))',
    '}',
    'complete -o default -F _notewire notewire',
  ].join('\n')
}

function fishScript(commands: readonly CommandUnknownOpts[]): string {
  const lines = commands.flatMap((command) => [
    `complete -c notewire -n __fish_use_subcommand -a ${command.name()} -d '${command.summary()}'`,
    ...wordsAfter(command).map(
      (word) =>
        `complete -c notewire -n '__fish_seen_subcommand_from ${command.name()}' ${word.startsWith('--') ? `-l ${word.slice(2)}` : `-a ${word}`}`,
    ),
  ])
  return lines.join('\n')
}

/** The subcommands and the options of a command and of its subcommands. */
function wordsAfter(command: CommandUnknownOpts): readonly string[] {
  const options = command.options.flatMap(({ long }) => long ?? [])
  return [
    ...new Set([
      ...command.commands.flatMap((each) => [each.name(), ...wordsAfter(each)]),
      ...options,
      '--help',
      '--json',
    ]),
  ]
}
