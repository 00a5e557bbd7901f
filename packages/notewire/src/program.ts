import { createRequire } from 'node:module'
import { setImmediate } from 'node:timers/promises'
import { stripVTControlCharacters } from 'node:util'
import { Command, CommanderError, type CommandUnknownOpts, Help, type Option } from '@commander-js/extra-typings'
import { COMMANDS } from './commands/command-table.ts'
import { PROGRAM_GUIDE } from './commands/new-command.ts'
import { isSettingOption, refuseSecretFlags } from './configuration/setting-table.ts'
import { openSession, type Run, type Session } from './context/context.ts'
import { EXIT_CODES, type ExitCode, UsageError } from './errors/failure.ts'
import { coloured } from './terminal/colour.ts'
import { type EndingSignal, Interrupted, listenForInterruption, ReaderGone } from './terminal/interruption.ts'
import { wrap } from './terminal/width.ts'

/** @returns the exit code of the process, once everything is printed */
export async function runProgram(process: NodeJS.Process): Promise<ExitCode> {
  const interruption = listenForInterruption(process, (signal) => process.exit(EXIT_CODE_OF[signal]))
  const args = process.argv.slice(2)
  const session = openSession(process, interruption, beforeDashes(args).includes('--json'))
  // By default, Node.js would print the error with its stack and with secrets.
  process.on('uncaughtException', (error) => process.exit(session.fail(error)))
  try {
    const exitCode = await runCommand(args, session)
    // A stream reports an error one turn after the write.
    await setImmediate()
    const { aborted, reason } = interruption.signal
    if (aborted && !(reason instanceof Interrupted)) return endWith(reason, session)
    // A command that runs until Ctrl-C is done then, but the sender of another signal expects its exit code.
    const isKilled = reason instanceof Interrupted && reason.by !== 'SIGINT' && exitCode === EXIT_CODES.done
    return isKilled ? EXIT_CODE_OF[reason.by] : exitCode
  } catch (error) {
    // After the signal has fired, it is the cause of every error.
    return endWith(interruption.signal.aborted ? interruption.signal.reason : error, session)
  } finally {
    interruption.ignore()
  }
}

/** The exit codes of shells for programs that a signal ended. */
const EXIT_CODE_OF: Readonly<Record<EndingSignal, ExitCode>> = {
  SIGINT: EXIT_CODES.interrupted,
  SIGTERM: EXIT_CODES.terminated,
  SIGHUP: EXIT_CODES.hungUp,
}

function endWith(reason: unknown, { fail, output }: Session): ExitCode {
  if (reason instanceof ReaderGone) return EXIT_CODES.done
  if (!(reason instanceof Interrupted)) return fail(reason)
  output.tell('Interrupted.')
  return EXIT_CODE_OF[reason.by]
}

async function runCommand(args: readonly string[], session: Session): Promise<ExitCode> {
  const { output, contextOf } = session
  refuseSecretFlags(beforeDashes(args))
  const version: string = createRequire(import.meta.url)('notewire/package.json').version
  let exitCode: ExitCode = EXIT_CODES.done
  const run: Run =
    (action) =>
    async (...typed) => {
      const command = typed.at(-1)
      if (!(command instanceof Command)) throw new TypeError('commander passes the command last')
      exitCode = await action(contextOf(command), ...typed)
    }
  const words = args[0] === 'help' ? [...args.slice(1), '--help'] : args
  let printed = ''
  const print = (text: string) => {
    printed += text
  }
  const program = await declareProgram(words, version, run, print, session)
  const { command, unknown } = commandIn(program, words)
  try {
    // With --help, commander would show the help of the group instead of rejecting an unknown command.
    const isHelp = (word: string) => word === '--help' || word === '-h'
    await program.parseAsync(unknown ? words.filter((word) => !isHelp(word)) : words, { from: 'user' })
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error
    if (error.code === 'commander.version') await output.print({ version }, version)
    else if (/^commander\.help/.test(error.code))
      await output.print({ help: stripVTControlCharacters(printed) }, printed.trimEnd().split('\n'))
    else throw new UsageError(`${sentenceOf(error)} Help: ${pathOf(command)} --help`)
  }
  return exitCode
}

/** Declares every command. Only those that occur among the words get their arguments and options, because others are not loaded. */
async function declareProgram(
  words: readonly string[],
  version: string,
  run: Run,
  print: (text: string) => void,
  { output }: Session,
): Promise<CommandUnknownOpts> {
  const program = new Command('notewire')
    .usage('<command> [options]')
    .description('Your notes, and webhooks about them, from the command line.')
    .helpOption('-h, --help', 'print this')
    .helpCommand(false)
    .option('--json', 'print only JSON on stdout, and everything else on stderr')
    .version(version, '-V, --version', 'print the version')
    .addHelpText('after', PROGRAM_GUIDE)
    .exitOverride()
    .configureOutput({ writeOut: print, writeErr: print, outputError: () => undefined })
    .configureHelp({
      helpWidth: output.width,
      ...(output.width < NARROW && {
        formatItem: (term, _width, text) => [`  ${term}`, ...wrap(text, output.width, '      ')].join('\n'),
      }),
      showGlobalOptions: true,
      // commander removes the colour if stdout shows none.
      styleTitle: (title) => coloured('bold', title, { validateStream: false }),
      subcommandTerm: (command) => command.name(),
      visibleOptions: settingsLast,
    })
  for (const { name, summary, heading, load } of COMMANDS) {
    // The script for a shell contains the options of all commands.
    const isNeeded = words.includes(name) || words[0] === 'completion'
    const command = isNeeded ? (await load()).command(run) : new Command()
    program.addCommand(command.name(name).summary(summary).helpGroup(heading))
  }
  inherit(program)
  return program
}

/** In fewer columns, commander does not wrap the explanations of options. They then begin on a line of their own. */
const NARROW = 70

const help = new Help()

function settingsLast(command: CommandUnknownOpts): Option[] {
  return help.visibleOptions(command).toSorted((one, other) => +isSettingOption(one) - +isSettingOption(other))
}

function inherit(parent: CommandUnknownOpts): void {
  for (const command of parent.commands) inherit(command.copyInheritedSettings(parent))
}

/** Finds the command that the words name, and whether they continue with the name of an unknown command. */
function commandIn(program: CommandUnknownOpts, words: readonly string[]) {
  let command = program
  for (const word of beforeDashes(words).filter((each) => !each.startsWith('-'))) {
    const next = command.commands.find((each) => each.name() === word)
    if (next === undefined) return { command, unknown: command.commands.length > 0 }
    command = next
  }
  return { command, unknown: false }
}

function beforeDashes(args: readonly string[]): readonly string[] {
  const end = args.indexOf('--')
  return end === -1 ? args : args.slice(0, end)
}

/** Makes a sentence of commander's message: `error: unknown option '--prot'\n(Did you mean --port?)`. */
function sentenceOf({ message }: CommanderError): string {
  const [problem = '', suggestion] = message.replace(/^error: /, '').split('\n')
  return `${problem.replace(/\.$/, '')}.${suggestion === undefined ? '' : ` ${suggestion.replace(/^\(|\)$/g, '')}`}`
}

function pathOf(command: CommandUnknownOpts): string {
  return command.parent === null ? command.name() : `${pathOf(command.parent)} ${command.name()}`
}
