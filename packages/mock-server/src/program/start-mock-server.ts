import { randomInt } from 'node:crypto'
import type { UrlPolicyName } from '../addresses/url-policy.ts'
import { createNotesService } from '../service/create-notes-service.ts'
import type { NotesService } from '../service/notes-service.ts'
import type { NotesServiceOptions } from '../service/service-options.ts'
import { type ScenarioSetup, scheduleActs, setUpScenario } from './play-scenario.ts'
import { loadScenario } from './scenario.ts'

/** The port on which the programs listen by default. */
export const DEFAULT_PORT = 4010

/** The description of each command-line option of a program that starts a mock server. */
export const OPTION_HELP = {
  port: 'the port to listen on; 0 selects a free port',
  host: 'the address to listen on; 0.0.0.0 lets other machines connect',
  consoleHost: 'also open the console under this host name, and to other machines; can be repeated',
  scenario: 'a JSON file with the options of the service, its endpoints and its acts',
  seed: 'determines every identifier, text and random choice (default: 1, and new identifiers for what is created after each start)',
  notes: 'how many notes each owner has at the start',
  accounts: 'how many owners there are, each with an API key, notes and endpoints of their own',
  clock: "real: the machine's clock; virtual: you advance it in the console",
} as const

/** How {@link startMockServer} starts. */
export interface StartOptions {
  /** 0 selects a free port. */
  readonly port: number
  readonly host: string
  readonly consoleHosts: readonly string[]
  readonly scenario: string | undefined
  /** Options that take precedence over those of the scenario. */
  readonly service: Pick<NotesServiceOptions, 'seed' | 'notes' | 'owners' | 'clock'>
}

/** A mock server that listens. */
export interface StartedMockServer extends AsyncDisposable {
  /** Its URLs, keys and secrets, as JSON. */
  readonly record: MockServerRecord
  /** The record as aligned lines. */
  readonly text: string
  /** Sentences about who can reach the server, and which URLs it calls. */
  readonly notices: readonly string[]
}

/** The URLs, keys and secrets of a mock server. */
export interface MockServerRecord {
  readonly base_url: string
  readonly api_key: string
  readonly console: string
  /** Every owner with its API key, if there are several. The first key is `api_key`. */
  readonly accounts?: readonly { readonly owner_id: string; readonly name: string; readonly api_key: string }[]
  /** The API key of each integration of the scenario, by its name. */
  readonly keys?: Readonly<Record<string, string>>
  /** The endpoints of the scenario, with their signing secrets. */
  readonly endpoints?: ScenarioSetup['endpoints']
}

/**
 * Starts a mock server on a port, creates the channels, integrations and endpoints of its scenario, and schedules its acts.
 *
 * @param warn  is called with a sentence for each act of the scenario that fails
 * @throws `MockServerError` `scenario_unreadable`, `scenario_invalid` or `listen_failed`
 */
export async function startMockServer(
  { port, host, consoleHosts, scenario: path, service: options }: StartOptions,
  warn: (problem: string) => void,
): Promise<StartedMockServer> {
  const scenario = await loadScenario(path)
  const ofScenario = scenario.service
  const seed = options.seed ?? ofScenario?.seed
  const service = await createNotesService({
    ...ofScenario,
    seed,
    // Without a seed, a receiver that kept its store would take the events of each start for duplicates.
    identifierSeed: ofScenario?.identifierSeed ?? (seed === undefined ? randomInt(2 ** 47) : undefined),
    notes: options.notes ?? ofScenario?.notes,
    owners: options.owners ?? ofScenario?.owners,
    clock: options.clock ?? ofScenario?.clock ?? 'real',
  })
  try {
    await service.listen({ port, host, consoleHosts })
    const setup = await setUpScenario(service, scenario)
    scheduleActs(service, setup, scenario.acts, warn)
    return {
      record: recordOf(service, setup),
      text: textOf(service, setup),
      notices: noticesOf(host, ofScenario?.urlPolicy ?? 'local'),
      [Symbol.asyncDispose]: () => service.close(),
    }
  } catch (error) {
    await service.close()
    throw error
  }
}

function recordOf({ baseUrl, apiKey, owners }: NotesService, { keys, endpoints }: ScenarioSetup): MockServerRecord {
  return {
    base_url: baseUrl,
    api_key: apiKey,
    console: `${baseUrl}/console`,
    ...(owners.length === 1
      ? {}
      : { accounts: owners.map(({ owner_id, name, apiKey: api_key }) => ({ owner_id, name, api_key })) }),
    ...(keys.size === 0 ? {} : { keys: Object.fromEntries([...keys].map(([name, { key }]) => [name, key])) }),
    ...(endpoints.length === 0 ? {} : { endpoints }),
  }
}

function textOf({ baseUrl, apiKey, owners }: NotesService, { keys, endpoints }: ScenarioSetup): string {
  const shown = [
    ['Base URL', baseUrl],
    ...(owners.length === 1
      ? [['API key', apiKey]]
      : owners.map((owner) => [`API key of ${owner.name}`, owner.apiKey])),
    ...[...keys].map(([name, { key }]) => [`API key of ${name}`, key]),
    ...endpoints.map(({ url, signing_secret }) => [`Secret of ${url}`, signing_secret]),
    ['Console', `${baseUrl}/console`],
  ]
  const width = Math.max(...shown.map(([label = '']) => label.length))
  const lines = shown.map(([label = '', value]) => `  ${label.padEnd(width)}  ${value}`)
  return ['The mock server is ready.', '', ...lines].join('\n')
}

function noticesOf(host: string, urlPolicy: UrlPolicyName): readonly string[] {
  const isLoopback = host === 'localhost' || host === '::1' || host.startsWith('127.')
  return [
    ...(isLoopback ? [] : [`It listens on ${host}: everyone who can reach this machine can use it.`]),
    ...(urlPolicy === 'local' ? ['Endpoints may have any URL, also a private address ("urlPolicy": "local").'] : []),
  ]
}
