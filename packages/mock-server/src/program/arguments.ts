import { parseArgs } from 'node:util'
import type { NotesServiceOptions } from '../service-options.ts'
import { ProgramError } from './program-error.ts'
import { DEFAULT_PORT } from './usage.ts'

/** What the command line asks for. */
export type Command = { readonly kind: 'help' } | { readonly kind: 'version' } | ServeCommand

/** A service is to be run. */
export interface ServeCommand {
  readonly kind: 'serve'
  readonly port: number
  readonly host: string
  readonly consoleHosts: readonly string[]
  /** The path of the scenario file, where one is given. */
  readonly scenario: string | undefined
  /** What was typed, and nothing else: it wins over the scenario. */
  readonly service: Pick<NotesServiceOptions, 'seed' | 'notes' | 'clock'>
}

const OPTIONS = {
  port: { type: 'string' },
  host: { type: 'string' },
  'console-host': { type: 'string', multiple: true },
  seed: { type: 'string' },
  notes: { type: 'string' },
  clock: { type: 'string' },
  scenario: { type: 'string' },
  help: { type: 'boolean' },
  version: { type: 'boolean' },
} as const

/**
 * Reads a command line.
 *
 * @throws {@link ProgramError} that names the argument and says what it takes
 */
export function readArguments(args: readonly string[]): Command {
  const { values } = parse(args)
  if (values.help) return { kind: 'help' }
  if (values.version) return { kind: 'version' }
  return {
    kind: 'serve',
    port: values.port === undefined ? DEFAULT_PORT : wholeNumber('--port', values.port, 65_535),
    host: values.host ?? '127.0.0.1',
    consoleHosts: values['console-host'] ?? [],
    scenario: values.scenario,
    service: {
      ...(values.seed === undefined ? {} : { seed: wholeNumber('--seed', values.seed) }),
      ...(values.notes === undefined ? {} : { notes: wholeNumber('--notes', values.notes) }),
      ...(values.clock === undefined ? {} : { clock: clockMode(values.clock) }),
    },
  }
}

function parse(args: readonly string[]) {
  try {
    return parseArgs({ args: [...args], options: OPTIONS })
  } catch (error) {
    const [reason = 'it cannot be read'] = error instanceof Error ? error.message.split('. ') : []
    throw new ProgramError('misused', `${reason}. Run it with --help to see what it takes.`)
  }
}

function wholeNumber(option: string, text: string, most = Number.MAX_SAFE_INTEGER): number {
  const number = /^\d+$/.test(text) ? Number(text) : Number.NaN
  if (number <= most) return number
  const range = most === Number.MAX_SAFE_INTEGER ? 'from 0' : `from 0 to ${most}`
  throw new ProgramError('misused', `${option} takes a whole number ${range}, not "${text}".`)
}

function clockMode(text: string): 'virtual' | 'real' {
  if (text === 'virtual' || text === 'real') return text
  throw new ProgramError(
    'misused',
    `--clock takes "virtual" (moved on from the console) or "real" (the machine's), not "${text}".`,
  )
}
