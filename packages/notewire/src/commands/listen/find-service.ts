import { randomInt } from 'node:crypto'
import { NotesClient } from '@notewire/client'
import { isLoopback } from '@notewire/protocol'
import type { Context } from '../../context/context.ts'
import { openClient } from '../../context/notes-client.ts'
import { UsageError } from '../../errors/failure.ts'
import { MOCK_URL } from '../mock-control.ts'

/** The service at which `listen` registers an endpoint. */
export interface RegisteringService {
  readonly client: NotesClient
  /** The URL of a service on this machine. */
  readonly localUrl?: string
  /** The settings with which an application reads notes from a mock service. They are no secrets: the key is valid only there. */
  readonly settings?: Readonly<Record<string, string>>
  /** Ends the mock service that was started. */
  readonly mock?: AsyncDisposable
}

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
  context: Pick<Context, 'settings' | 'output'>,
): Promise<RegisteringService | undefined> {
  const mustRegister = register || publicUrl !== undefined
  if (forwardTo === undefined) return mustRegister ? { client: await openClient(context) } : undefined
  const { settings } = context
  const baseUrl = (await settings.find('baseUrl')) ?? MOCK_URL
  const apiKey = await settings.findSecret('apiKey')
  const exists = !mustRegister && (await settings.findSecret('signingSecret')) !== undefined
  const isLocal = isLoopback(new URL(baseUrl).hostname)
  if (exists && (apiKey === undefined || !isLocal)) return undefined
  if (isLocal) return await localService(baseUrl, apiKey, context)
  if (!mustRegister) throw tunnelMissing(baseUrl, forwardTo, port)
  return { client: await openClient(context) }
}

/** The mock service, if there is no key or its own, which is in `.env` since an earlier run. */
async function localService(
  baseUrl: string,
  apiKey: string | undefined,
  context: Pick<Context, 'settings' | 'output'>,
): Promise<RegisteringService> {
  const { createNotesService } = await import('@notewire/mock-server')
  // The key and the secret are the same at each start. Events with the same identifiers would be duplicates for the application.
  const mock = await createNotesService({ clock: 'real', identifierSeed: randomInt(2 ** 47) })
  if (apiKey !== undefined && apiKey !== mock.apiKey) return { client: await openClient(context), localUrl: baseUrl }
  const settings = (url: string) => ({ NOTES_BASE_URL: url, NOTES_API_KEY: mock.apiKey })
  const { hostname, port } = new URL(baseUrl)
  try {
    await mock.listen({ host: hostname.replace(/^\[|\]$/g, ''), port: Number(port || 80) })
  } catch (error) {
    // With this key, `notewire mock` runs in another terminal.
    if (apiKey !== undefined)
      return { client: await openClient(context), localUrl: baseUrl, settings: settings(baseUrl) }
    context.output.tell(
      `Without an API key, a mock notes service is started at ${baseUrl}. If one runs there already, set NOTES_API_KEY to the key that it printed. To start it at another port, pass --base-url http://127.0.0.1:4011.`,
    )
    throw error
  }
  context.output.tell(`A mock notes service runs here. Console: ${mock.baseUrl}/console`)
  return {
    client: new NotesClient({ baseUrl: mock.baseUrl, apiKey: mock.apiKey }),
    localUrl: mock.baseUrl,
    settings: settings(mock.baseUrl),
    mock,
  }
}

function tunnelMissing(baseUrl: string, forwardTo: string, port: number): UsageError {
  return new UsageError(
    `the service at ${new URL(baseUrl).host} sends events only to public https URLs, so it needs a tunnel to this machine. Open one in another terminal: cloudflared tunnel --url http://localhost:${port}, or ngrok http ${port}. Then pass the https URL that it prints: notewire listen --forward-to ${forwardTo} --port ${port} --public-url <url>. If the service has an endpoint for your tunnel already, pass its signing secret instead, with --secret-file.`,
  )
}
