import { parseArgs } from 'node:util'
import manifest from '../../package.json' with { type: 'json' }
import { MockServerError } from '../errors/mock-server-error.ts'
import { DEFAULT_PORT, OPTION_HELP, type StartOptions, startMockServer } from './start-mock-server.ts'

export interface Terminal {
  print(text: string): void
  printError(text: string): void
  /** The signal that interrupts the program. */
  interrupted(): Promise<NodeJS.Signals>
}

const EXIT_CODES = {
  done: 0,
  refused: 1,
  misused: 2,
  terminated: 143,
} as const

const USAGE = `Runs a mock of the notes service on a port of this machine: REST API, signed webhooks, and a console to control it.

Usage
  notewire-mock-server [options]

Options
  --port <number>          ${OPTION_HELP.port} (default: ${DEFAULT_PORT})
  --host <address>         ${OPTION_HELP.host} (default: 127.0.0.1)
  --console-host <name>    ${OPTION_HELP.consoleHost}
  --seed <number>          ${OPTION_HELP.seed}
  --api-key-file <file>    ${OPTION_HELP.apiKeyFile}
  --notes <number>         ${OPTION_HELP.notes} (default: 0)
  --accounts <number>      ${OPTION_HELP.accounts} (default: 1)
  --clock <virtual|real>   ${OPTION_HELP.clock} (default: real)
  --help                   print this help
  --version                print the version

Exit codes
  0    stopped by Ctrl-C
  1    the port is taken
  2    an argument is wrong, or the file of the key
  143  stopped by SIGTERM`

/** Runs the program `notewire-mock-server` until it is interrupted, and returns its exit code. */
export async function runProgram(args: readonly string[], terminal: Terminal): Promise<number> {
  try {
    const { help, version, ...values } = parse(args)
    if (help) terminal.print(USAGE)
    else if (version) terminal.print(manifest.version)
    else return await serve(startOptions(values), terminal)
    return EXIT_CODES.done
  } catch (error) {
    if (!(error instanceof MockServerError)) throw error
    terminal.printError(`notewire-mock-server: ${printable(error.message)}`)
    return error.code === 'listen_failed' ? EXIT_CODES.refused : EXIT_CODES.misused
  }
}

async function serve(options: StartOptions, { print, interrupted }: Terminal): Promise<number> {
  const stopped = interrupted()
  {
    await using server = await startMockServer(options)
    const { base_url, api_key } = server.record
    print(server.text.split('\n').map(printable).join('\n'))
    print(['', ...server.notices].map(printable).join('\n'))
    if (options.apiKeyFile === undefined)
      print(`Try it:  curl -H 'Authorization: Bearer ${api_key}' ${base_url}/v1/notes`)
    print('Stop it: Ctrl-C')
    await stopped
  }
  print('Stopped.')
  return (await stopped) === 'SIGTERM' ? EXIT_CODES.terminated : EXIT_CODES.done
}

/** Replaces what a terminal would execute in a text that may contain an argument or the name of a file. */
function printable(text: string): string {
  return text.replace(/[\p{Cc}\p{Zl}\p{Zp}\u061c\u200e\u200f\u202a-\u202e\u2066-\u206f\ufeff\ufff9-\ufffb]/gu, ' ')
}

type Values = Omit<ReturnType<typeof parse>, 'help' | 'version'>

function parse(args: readonly string[]) {
  try {
    return parseArgs({
      args: [...args],
      options: {
        port: { type: 'string' },
        host: { type: 'string' },
        'console-host': { type: 'string', multiple: true },
        seed: { type: 'string' },
        'api-key-file': { type: 'string' },
        notes: { type: 'string' },
        accounts: { type: 'string' },
        clock: { type: 'string' },
        help: { type: 'boolean' },
        version: { type: 'boolean' },
      },
    }).values
  } catch (error) {
    // Only the message names the argument. After its first sentence, Node.js adds advice of its own.
    const [problem = 'an argument cannot be read'] = error instanceof Error ? error.message.split('. ') : []
    throw new MockServerError('arguments_invalid', problem, 'Run it with --help to see its options.')
  }
}

function startOptions({ port, host, seed, notes, accounts, clock, ...values }: Values): StartOptions {
  return {
    port: wholeNumber('--port', port, { most: 65_535 }) ?? DEFAULT_PORT,
    host: host ?? '127.0.0.1',
    consoleHosts: values['console-host'] ?? [],
    apiKeyFile: values['api-key-file'],
    service: {
      seed: wholeNumber('--seed', seed),
      notes: wholeNumber('--notes', notes),
      owners: wholeNumber('--accounts', accounts, { least: 1 }),
      clock: clockMode(clock),
    },
  }
}

function wholeNumber(option: string, text: string | undefined, range: { least?: number; most?: number } = {}) {
  if (text === undefined) return undefined
  const { least = 0, most = Number.MAX_SAFE_INTEGER } = range
  const number = /^\d+$/.test(text) ? Number(text) : Number.NaN
  if (number >= least && number <= most) return number
  throw wrongArgument(option, text, `a whole number from ${least}${range.most === undefined ? '' : ` to ${most}`}`)
}

function clockMode(text: string | undefined): 'virtual' | 'real' | undefined {
  if (text === undefined || text === 'virtual' || text === 'real') return text
  throw wrongArgument('--clock', text, '"virtual" or "real"')
}

function wrongArgument(option: string, text: string, expected: string): MockServerError {
  const problem = `${option} has the wrong value "${text}"`
  return new MockServerError('arguments_invalid', problem, `Pass ${expected}.`, option)
}
