import { resolve } from 'node:path'
import { Option } from '@commander-js/extra-typings'
import { DEFAULT_PORT, OPTION_HELP, type StartedMockServer, startMockServer } from '@notewire/mock-server/program'
import { path, port, repeated, text, wholeNumber } from '../configuration/value-readers.ts'
import type { Run } from '../context/context.ts'
import { EXIT_CODES } from '../errors/failure.ts'
import { untilAborted } from '../terminal/interruption.ts'
import { variableCommand } from '../terminal/shell-quoted.ts'
import { newCommand } from './new-command.ts'

export const command = (run: Run) =>
  newCommand({
    description:
      'Runs a mock of the notes service on a port of this machine: REST API, signed webhooks, and a console in the browser to control it. Its API key is valid only there, and is another one at each start, unless --api-key-file names a file with the key.',
    examples: {
      'mock --notes 300': 'a service with 300 notes',
      'mock --port 0 --json': 'for a script: its URL and its key, as JSON',
    },
    next: 'In another terminal: notewire listen --register, then notewire trigger note.ended',
  })
    .option('--port <number>', OPTION_HELP.port, port, DEFAULT_PORT)
    .option('--host <address>', OPTION_HELP.host, text, '127.0.0.1')
    .option('--console-host <name>', OPTION_HELP.consoleHost, repeated(text))
    .option('--seed <number>', OPTION_HELP.seed, wholeNumber())
    .option('--api-key-file <file>', OPTION_HELP.apiKeyFile, path)
    .option('--notes <number>', OPTION_HELP.notes, wholeNumber(0, 1_000_000))
    .option('--accounts <number>', `${OPTION_HELP.accounts} (default: 1)`, wholeNumber(1, 10_000))
    .addOption(
      new Option('--clock <mode>', `${OPTION_HELP.clock} (default: real)`).choices(['real', 'virtual'] as const),
    )
    .action(
      run(async ({ signal, output, workingFolder }, options) => {
        const absolute = (file: string | undefined) => file && resolve(workingFolder, file)
        const { port, host, consoleHost: consoleHosts = [], seed, notes, accounts, clock, apiKeyFile } = options
        const service = { seed, notes, owners: accounts, clock }
        await using server = await startMockServer({
          port,
          host,
          consoleHosts,
          apiKeyFile: absolute(apiKeyFile),
          service,
        })
        await output.print(server.record, [...server.text.split('\n'), '', ...nextSteps(server, apiKeyFile)])
        for (const notice of server.notices) output.warn(notice)
        output.tell('Ctrl-C stops it.')
        await untilAborted(signal)
        output.tell('Stopped.')
        return EXIT_CODES.done
      }),
    )

function nextSteps({ record }: StartedMockServer, apiKeyFile: string | undefined): readonly string[] {
  return [
    'In another terminal:',
    `  ${variableCommand('NOTES_BASE_URL', record.base_url)}`,
    `  ${apiKeyFile === undefined ? variableCommand('NOTES_API_KEY', record.api_key) : variableCommand('NOTES_API_KEY_FILE', apiKeyFile)}`,
    '  notewire listen --register',
  ]
}
