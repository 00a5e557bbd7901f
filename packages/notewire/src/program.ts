import { setImmediate } from 'node:timers/promises'
import { type GlobalOptions, readCommandLine, readGlobalOptions } from './command-line.ts'
import { COMMANDS } from './commands/command-table.ts'
import { refuseSecretFlags } from './configuration/refused-flags.ts'
import { EXIT_CODES, type ExitCode } from './exit-code.ts'
import { Interrupted, listenForInterruption, ReaderGone } from './interruption.ts'
import { versionOfProgram } from './version.ts'
import { type Workplace, workplaceOf } from './workplace.ts'

/**
 * The program `notewire`, from what was typed to its exit code.
 *
 * @returns what the process is to end with, once everything that was printed is written
 */
export async function runProgram(process: NodeJS.Process): Promise<ExitCode> {
  const interruption = listenForInterruption(process, () => process.exit(EXIT_CODES.interrupted))
  const args = process.argv.slice(2)
  const globals = readGlobalOptions(args)
  const workplace = workplaceOf(process, interruption, globals)
  // What nobody awaits would otherwise be shown whole, stack and secrets included.
  process.on('uncaughtException', (error) => process.exit(workplace.fail(error)))
  try {
    const exitCode = await obey(args, globals, workplace)
    // Streams tell of their errors a turn after they are written to.
    await setImmediate()
    const { aborted, reason } = interruption.signal
    return aborted && !(reason instanceof Interrupted) ? endingOf(reason, workplace) : exitCode
  } catch (error) {
    // Once the signal has fired, whatever is thrown follows from it.
    return endingOf(interruption.signal.aborted ? interruption.signal.reason : error, workplace)
  } finally {
    interruption.ignore()
  }
}

async function obey(args: readonly string[], globals: GlobalOptions, workplace: Workplace): Promise<ExitCode> {
  refuseSecretFlags(args)
  if (globals.version) return await tell(workplace, { version: versionOfProgram() }, versionOfProgram())
  const request = await readCommandLine(args, COMMANDS, workplace.helpStyle)
  if (request.kind === 'help') return await tell(workplace, { help: request.text }, request.text.trimEnd())
  const surroundings = { ...workplace.surroundings(request.flags), commands: COMMANDS }
  return await request.command.run(request.typed, surroundings)
}

async function tell({ output }: Workplace, record: object, text: string): Promise<ExitCode> {
  await output.print(record, text)
  return EXIT_CODES.done
}

function endingOf(reason: unknown, { fail, output }: Workplace): ExitCode {
  if (reason instanceof ReaderGone) return EXIT_CODES.done
  if (!(reason instanceof Interrupted)) return fail(reason)
  output.tell('Interrupted.')
  return EXIT_CODES.interrupted
}
