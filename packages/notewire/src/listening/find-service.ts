import { NotesClient } from '@notewire/client'
import { isLoopback } from '../configuration/value-readers.ts'
import type { Context } from '../context/context.ts'
import { openClient } from '../context/notes-client.ts'
import { failureOf, UsageError } from '../errors/failure.ts'
import { MOCK_URL } from '../mock-console/trigger-event.ts'

/** The service at which `listen` registers an endpoint. */
export interface RegisteringService extends AsyncDisposable {
  readonly client: NotesClient
  /** How an application reaches a service on this machine; `undefined` for a service elsewhere. */
  readonly local?: { readonly baseUrl: string; readonly apiKey: string }
}

export interface ServiceRequest {
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
  const { settings } = context
  const mustRegister = register || publicUrl !== undefined
  if (forwardTo === undefined) return mustRegister ? await openService(context) : undefined
  const baseUrl = (await settings.find('baseUrl')) ?? MOCK_URL
  const apiKey = await settings.findSecret('apiKey')
  const exists = !mustRegister && (await settings.findSecret('signingSecret')) !== undefined
  if (exists && apiKey === undefined) return undefined
  if (isLoopback(new URL(baseUrl).hostname)) return await openLocalService(baseUrl, apiKey, context)
  if (mustRegister) return await openService(context)
  if (exists) return undefined
  throw tunnelMissing(baseUrl, forwardTo, port)
}

async function openService(context: Pick<Context, 'settings'>): Promise<RegisteringService> {
  return { client: await openClient(context), [Symbol.asyncDispose]: async () => undefined }
}

/** A key of the mock service that is in `.env` since an earlier run counts as none: the mock service is started again. */
async function openLocalService(
  baseUrl: string,
  apiKey: string | undefined,
  context: Pick<Context, 'settings' | 'output'>,
): Promise<RegisteringService> {
  const { createNotesService } = await import('@notewire/mock-server')
  const mock = await createNotesService({ clock: 'real' })
  if (apiKey !== undefined && apiKey !== mock.apiKey)
    return { ...(await openService(context)), local: { baseUrl, apiKey } }
  const { hostname, port } = new URL(baseUrl)
  try {
    await mock.listen({ host: hostname.replace(/^\[|\]$/g, ''), port: Number(port || 80) })
  } catch (error) {
    if (failureOf(error).code !== 'listen_failed') throw error
    // `notewire mock` runs in another terminal, with the same key.
    if (apiKey !== undefined) return { ...(await openService(context)), local: { baseUrl, apiKey } }
    context.output.tell(
      `Without an API key, a mock notes service is started at ${baseUrl}. If one runs there already, set NOTES_API_KEY to the key that it printed. To use another port: --base-url http://127.0.0.1:4011`,
    )
    throw error
  }
  context.output.tell(`A mock notes service runs here. Console: ${mock.baseUrl}/console`)
  const local = { baseUrl: mock.baseUrl, apiKey: mock.apiKey }
  return { client: new NotesClient(local), local, [Symbol.asyncDispose]: () => mock.close() }
}

function tunnelMissing(baseUrl: string, forwardTo: string, port: number): UsageError {
  return new UsageError(
    `the service at ${new URL(baseUrl).host} sends events only to public https URLs, so it needs a tunnel to this machine. Open one in another terminal: cloudflared tunnel --url http://localhost:${port}, or ngrok http ${port}. Then pass the https URL that it prints: notewire listen --forward-to ${forwardTo} --port ${port} --public-url <url>. If the service has an endpoint for your tunnel already, pass its signing secret instead, with --secret-file.`,
  )
}
