import { NotesClient } from '@notewire/client'
import { isLoopback } from '@notewire/protocol'
import type { Context } from '../../context/context.ts'
import { openClient } from '../../context/notes-client.ts'
import { CommandError, EXIT_CODES, failureOf, UsageError } from '../../errors/failure.ts'
import { shellCommand } from '../../terminal/shell-quoted.ts'
import { MOCK_URL } from '../mock-control.ts'
import { isPublic, ownValuesIn } from './own-values.ts'

/** The service at which `listen` registers an endpoint. */
export interface RegisteringService {
  readonly client: NotesClient
  /** The URL of a service on this machine. */
  readonly localUrl?: string
  /** The settings with which an application reads notes from a mock service. They are no secrets: the key is valid only there. */
  readonly settings?: Readonly<Record<string, string>>
  /** The signing secret of the applications of this folder. The secret of the endpoint may be another one. */
  readonly folderSecret?: string | undefined
  /** Ends the mock service that was started. */
  readonly mock?: AsyncDisposable
}

type ServiceContext = Pick<Context, 'settings' | 'output' | 'workingFolder' | 'signal'>

interface ServiceRequest {
  readonly register?: boolean | undefined
  readonly publicUrl?: string | undefined
  readonly forwardTo?: string | undefined
  readonly port: number
}

/**
 * Finds the service to register at. To forward without a key, it starts a mock service.
 *
 * @returns `undefined` if the endpoint exists already, so that its signing secret is needed
 * @throws UsageError that explains tunnels, if the service cannot reach this machine
 */
export async function findService(
  { register, publicUrl, forwardTo, port }: ServiceRequest,
  context: ServiceContext,
): Promise<RegisteringService | undefined> {
  const mustRegister = register || publicUrl !== undefined
  if (forwardTo === undefined) return mustRegister ? { client: await openClient(context) } : undefined
  const { settings } = context
  const baseUrl = (await settings.find('baseUrl')) ?? MOCK_URL
  const apiKey = await privateSecret('apiKey', context)
  const exists = !mustRegister && (await privateSecret('signingSecret', context)) !== undefined
  const isLocal = isLoopback(new URL(baseUrl).hostname)
  if (exists && (apiKey === undefined || !isLocal)) return undefined
  if (isLocal) return await localService(baseUrl, apiKey, context)
  if (!mustRegister) throw tunnelMissing(baseUrl, forwardTo, port)
  return { client: await openClient(context) }
}

/** A secret, unless it is the one that version 0.1.0 wrote into every `.env`. */
async function privateSecret(
  name: 'apiKey' | 'signingSecret',
  { settings }: Pick<Context, 'settings'>,
): Promise<string | undefined> {
  const secret = await settings.findSecret(name)
  return isPublic(secret) ? undefined : secret
}

/** The mock service, if there is no key, or if the key is the one that an earlier `listen` made up for this folder. */
async function localService(
  baseUrl: string,
  apiKey: string | undefined,
  context: ServiceContext,
): Promise<RegisteringService> {
  const own = await ownValuesIn(context.workingFolder)
  const isOwn = apiKey === undefined || apiKey === own['NOTES_API_KEY']
  if (!isOwn) return { client: await openClient(context), localUrl: baseUrl }
  const folderSecret = own['NOTES_SIGNING_SECRET']
  const { startMockServer } = await import('@notewire/mock-server/program')
  const { hostname, port } = new URL(baseUrl)
  const place = { host: hostname.replace(/^\[|\]$/g, ''), port: Number(port || 80), consoleHosts: [] }
  try {
    const mock = await startMockServer({ ...place, service: {}, apiKey, signingSecret: folderSecret })
    const { base_url, api_key, console } = mock.record
    context.output.tell(`A mock notes service runs here. Console: ${console}`)
    return { ...ofMock(base_url, api_key), folderSecret, mock }
  } catch (error) {
    // The mock service of another `listen` in this folder has the same key.
    if (apiKey !== undefined) return { ...(await joined(ofMock(baseUrl, apiKey), context)), folderSecret }
    context.output.tell(
      `Without an API key, a mock notes service is started at ${baseUrl}. If one runs there already, set NOTES_API_KEY to the key that it printed. To start it at another port, pass --base-url http://127.0.0.1:4011.`,
    )
    throw error
  }
}

function ofMock(baseUrl: string, apiKey: string): RegisteringService {
  const settings = { NOTES_BASE_URL: baseUrl, NOTES_API_KEY: apiKey }
  return { client: new NotesClient({ baseUrl, apiKey }), localUrl: baseUrl, settings }
}

/** @throws CommandError if what listens there does not know the key of this folder */
async function joined(service: RegisteringService, { signal }: ServiceContext): Promise<RegisteringService> {
  await service.client.webhookEndpoints.list({ signal }).catch((error: unknown) => {
    signal.throwIfAborted()
    if (failureOf(error).exitCode === EXIT_CODES.unreachable) throw error
    const message = `another program listens at ${service.localUrl}, and does not accept the API key that listen wrote to .env: it is no mock service, or that of another folder. Stop it, or start the mock service of this folder elsewhere: pass --base-url http://127.0.0.1:4011`
    throw new CommandError('setting_invalid', message)
  })
  return service
}

function tunnelMissing(baseUrl: string, forwardTo: string, port: number): UsageError {
  return new UsageError(
    `the service at ${new URL(baseUrl).host} sends events only to public https URLs, so it needs a tunnel to this machine. Open one in another terminal: ${shellCommand`cloudflared tunnel --url http://localhost:${port}`}, or ${shellCommand`ngrok http ${port}`}. Then pass the https URL that it prints: ${shellCommand`notewire listen --forward-to ${forwardTo} --port ${port} --public-url <url>`}. If the service has an endpoint for your tunnel already, pass its signing secret instead, with --secret-file.`,
  )
}
