import { randomInt } from 'node:crypto'
import { isLoopback } from '@notewire/protocol'
import { openService } from '../service/create-notes-service.ts'
import type { NotesService } from '../service/notes-service.ts'
import type { NotesServiceOptions } from '../service/service-options.ts'
import { apiKeyInFile } from './api-key-file.ts'

/** The port on which the programs listen by default. */
export const DEFAULT_PORT = 4010

/** The description of each command-line option of a program that starts a mock server. */
export const OPTION_HELP = {
  port: 'the port to listen on; 0 selects a free port',
  host: 'the address to listen on; 0.0.0.0 lets other machines connect',
  consoleHost: 'also open the console under this host name, and to other machines; can be repeated',
  seed: 'determines every identifier, text and random choice, but no key and no secret (default: 1, and new identifiers for what is created after each start)',
  apiKeyFile: 'a file that contains the API key of the first owner; if there is none, it is created with a random key',
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
  /** The API key of the first owner. Default: a random one. */
  readonly apiKey?: string | undefined
  /** The signing secret of the endpoint that is created first. Default: a random one. */
  readonly signingSecret?: string | undefined
  /** The file with the API key of the first owner, instead of `apiKey`. If there is none, it is created. */
  readonly apiKeyFile?: string | undefined
  readonly service: Pick<NotesServiceOptions, 'seed' | 'notes' | 'owners' | 'clock'>
}

/** A mock server that listens. */
export interface StartedMockServer extends AsyncDisposable {
  /** Its URLs and keys, as JSON. */
  readonly record: MockServerRecord
  /** The record as aligned lines. */
  readonly text: string
  /** Sentences about who can reach the server, and which URLs it calls. */
  readonly notices: readonly string[]
}

/** The URLs and keys of a mock server. */
export interface MockServerRecord {
  readonly base_url: string
  readonly api_key: string
  readonly console: string
  /** Every owner with its API key, if there are several. The first key is `api_key`. */
  readonly accounts?: readonly { readonly owner_id: string; readonly name: string; readonly api_key: string }[]
}

/**
 * Starts a mock server on a port.
 *
 * @throws `MockServerError` `listen_failed` when the port is taken, `arguments_invalid` when the file of the API key cannot be used
 */
export async function startMockServer({
  port,
  host,
  consoleHosts,
  service: options,
  apiKeyFile,
  ...given
}: StartOptions): Promise<StartedMockServer> {
  const { seed, clock = 'real' } = options
  // Without a seed, a receiver that kept its store would take the events of each start for duplicates.
  const identifierSeed = seed === undefined ? randomInt(2 ** 47) : undefined
  const inFile = apiKeyFile === undefined ? undefined : await apiKeyInFile(apiKeyFile)
  const secrets = { apiKey: inFile?.apiKey ?? given.apiKey, signingSecret: given.signingSecret }
  const service = openService({ ...options, clock, identifierSeed }, secrets)
  try {
    await service.listen({ port, host, consoleHosts })
  } catch (error) {
    await service.close()
    throw error
  }
  return {
    record: recordOf(service),
    text: textOf(service, apiKeyFile),
    notices: [...(inFile?.notice === undefined ? [] : [inFile.notice]), ...noticesOf(host)],
    [Symbol.asyncDispose]: () => service.close(),
  }
}

function recordOf({ baseUrl, apiKey, owners }: NotesService): MockServerRecord {
  const accounts = owners.map(({ owner_id, name, apiKey: api_key }) => ({ owner_id, name, api_key }))
  return {
    base_url: baseUrl,
    api_key: apiKey,
    console: `${baseUrl}/console`,
    ...(accounts.length > 1 && { accounts }),
  }
}

/** A key that comes from a file is not shown: it may be valid elsewhere, too. */
function textOf({ baseUrl, apiKey, owners }: NotesService, apiKeyFile: string | undefined): string {
  const keyShown = (key: string) => (key === apiKey && apiKeyFile !== undefined ? `in ${apiKeyFile}` : key)
  const shown = [
    ['Base URL', baseUrl],
    ...(owners.length === 1
      ? [['API key', keyShown(apiKey)]]
      : owners.map((owner) => [`API key of ${owner.name}`, keyShown(owner.apiKey)])),
    ['Console', `${baseUrl}/console`],
  ]
  const width = Math.max(...shown.map(([label = '']) => label.length))
  const lines = shown.map(([label = '', value]) => `  ${label.padEnd(width)}  ${value}`)
  return ['The mock server is ready.', '', ...lines].join('\n')
}

function noticesOf(host: string): readonly string[] {
  return [
    ...(isLoopback(host) ? [] : [`It listens on ${host}: everyone who can reach this machine can use it.`]),
    'Endpoints may have any URL, also a private address.',
  ]
}
