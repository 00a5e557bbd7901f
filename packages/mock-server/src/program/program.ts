import { createRequire } from 'node:module'
import { OptionError } from '@notewire/protocol'
import { createNotesService } from '../create-notes-service.ts'
import type { NotesService } from '../notes-service.ts'
import type { NotesServiceOptions } from '../service-options.ts'
import { TransportError } from '../transports/transport-error.ts'
import { announcementOf } from './announcement.ts'
import { readArguments, type ServeCommand } from './arguments.ts'
import { playActs, setStage } from './play-scenario.ts'
import { EXIT_CODES, type ExitCode, ProgramError } from './program-error.ts'
import { loadScenario } from './scenario-file.ts'
import { USAGE } from './usage.ts'

/** Where a program runs. */
export interface Terminal {
  print(text: string): void
  complain(text: string): void
  /** Resolves when somebody wants the program to end. */
  interrupted(): Promise<unknown>
}

/** The program `notewire-mock-server`: a notes service on a port, until it is interrupted. */
export async function runProgram(args: readonly string[], terminal: Terminal): Promise<ExitCode> {
  try {
    const command = readArguments(args)
    if (command.kind === 'help') terminal.print(USAGE)
    else if (command.kind === 'version') terminal.print(versionOf())
    else {
      await serve(command, terminal)
      terminal.print('Stopped.')
    }
    return EXIT_CODES.done
  } catch (error) {
    if (!(error instanceof ProgramError)) throw error
    terminal.complain(`notewire-mock-server: ${error.message}`)
    return error.exitCode
  }
}

/** From its own name, which leads to the same file from the sources and from the published code. */
function versionOf(): string {
  return createRequire(import.meta.url)('@notewire/mock-server/package.json').version
}

async function serve(command: ServeCommand, terminal: Terminal): Promise<void> {
  const interrupted = terminal.interrupted()
  const scenario = await loadScenario(command.scenario)
  await using service = await makeService({ clock: 'real', ...scenario.service, ...command.service })
  await listen(service, command)
  const stage = await setStage(service, scenario)
  terminal.print(announcementOf(service, stage, command, scenario.service.urlPolicy))
  playActs(service, stage, scenario.acts, terminal.complain)
  await interrupted
}

async function makeService(options: NotesServiceOptions): Promise<NotesService> {
  try {
    return await createNotesService(options)
  } catch (error) {
    if (!(error instanceof OptionError)) throw error
    throw new ProgramError('misused', `"service" of the scenario: ${error.message}`)
  }
}

async function listen(service: NotesService, { port, host, consoleHosts }: ServeCommand): Promise<void> {
  try {
    await service.listen({ port, host, consoleHosts })
  } catch (error) {
    if (!(error instanceof TransportError)) throw error
    throw new ProgramError(
      'refused',
      `${error.message.split('. ')[0]}. Pass another --port or --host; --port 0 is a free one.`,
    )
  }
}
