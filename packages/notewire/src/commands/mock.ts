import { resolve } from 'node:path'
import { createNotesService, type NotesService, type NotesServiceOptions } from '@notewire/mock-server'
import { loadScenario, ProgramError, playActs, type Stage, setStage } from '@notewire/mock-server/scenarios'
import { NotewireError } from '@notewire/protocol'
import { EXIT_CODES } from '../exit-code.ts'
import { untilAborted } from '../interruption.ts'
import { isLoopback } from '../loopback.ts'
import { UsageError } from '../usage-error.ts'
import { defineCommand } from './command.ts'
import { option, repeated } from './declarations.ts'
import { oneOf, path, port, text, wholeNumber } from './value-readers.ts'

/** `notewire mock`. */
export const mock = defineCommand({
  description:
    'Plays the notes service on a port of this machine: REST API, signed webhooks, and a console in the browser to drive it. Its key opens nothing else, and is the same for the same seed.',
  options: {
    port: option('--port <number>', 'where to listen; 0 is a free port', port, 4010),
    host: option('--host <address>', 'who can reach it: 0.0.0.0 is everybody', text, '127.0.0.1'),
    consoleHosts: repeated('--console-host <name>', 'also open the console under this name', text),
    scenario: option('--scenario <file>', 'who and what is there, and what happens when: JSON', path),
    seed: option('--seed <number>', 'decides every identifier, word and chance (default: 1)', wholeNumber()),
    notes: option('--notes <number>', 'how many notes are there from the start', wholeNumber(0, 1_000_000)),
    clock: option(
      '--clock <mode>',
      'virtual is moved on by the console; real is the default',
      oneOf(['real', 'virtual']),
    ),
  },
  examples: [
    ['mock --notes 300', 'a service with 300 notes'],
    ['mock --scenario scenario.json', 'what it says happens, as the file of notewire-mock-server'],
    ['mock --port 0 --json', 'for a script: where it is and its key, as JSON'],
  ],
  next: 'In another terminal: notewire listen --register, then notewire trigger note.ended',
  async run({ options: { port, host, consoleHosts, scenario: file, ...typed }, signal, output, workingFolder }) {
    const scenario = await inOurWords(() => loadScenario(file === undefined ? undefined : resolve(workingFolder, file)))
    await using service = await createNotesService(optionsOf(scenario.service, typed))
    await service.listen({ port, host, consoleHosts })
    const stage = await inOurWords(() => setStage(service, scenario))
    await output.print(announcementRecord(service, stage), announcementLines(service, stage))
    if (!isLoopback(host)) output.warn(`It listens on ${host}: whoever reaches this machine can use it.`)
    output.tell('Ctrl-C stops it.')
    playActs(service, stage, scenario.acts, output.warn)
    await untilAborted(signal)
    output.tell('Stopped.')
    return EXIT_CODES.done
  },
})

/** What was typed wins over the scenario. */
function optionsOf(
  planned: NotesServiceOptions,
  { seed, notes, clock }: Pick<NotesServiceOptions, 'seed' | 'notes' | 'clock'>,
): NotesServiceOptions {
  return {
    clock: 'real',
    ...planned,
    ...(seed === undefined ? {} : { seed }),
    ...(notes === undefined ? {} : { notes }),
    ...(clock === undefined ? {} : { clock }),
  }
}

async function inOurWords<Result>(work: () => Promise<Result>): Promise<Result> {
  try {
    return await work()
  } catch (error) {
    if (!(error instanceof ProgramError)) throw error
    if (error.exitCode === EXIT_CODES.misused) throw new UsageError(error.message)
    throw new NotewireError('scenario_unreadable', error.message)
  }
}

function announcementRecord({ baseUrl, apiKey }: NotesService, { keys, endpoints }: Stage): object {
  return {
    base_url: baseUrl,
    api_key: apiKey,
    console: `${baseUrl}/console`,
    ...(keys.size === 0 ? {} : { keys: Object.fromEntries([...keys].map(([name, { key }]) => [name, key])) }),
    ...(endpoints.length === 0 ? {} : { endpoints }),
  }
}

function announcementLines({ baseUrl, apiKey }: NotesService, { keys, endpoints }: Stage): string {
  const shown = [
    ['Base URL', baseUrl],
    ['API key', apiKey],
    ...[...keys].map(([name, { key }]) => [`API key of ${name}`, key]),
    ...endpoints.map(({ url, signing_secret }) => [`Secret of ${url}`, signing_secret]),
    ['Console', `${baseUrl}/console`],
  ]
  const width = Math.max(...shown.map(([label = '']) => label.length))
  return [
    'The notes service is ready.',
    '',
    ...shown.map(([label = '', value]) => `  ${label.padEnd(width)}  ${value}`),
    '',
    'In another terminal:',
    `  export NOTES_BASE_URL=${baseUrl}`,
    `  export NOTES_API_KEY=${apiKey}`,
    '  notewire listen --register',
  ].join('\n')
}
