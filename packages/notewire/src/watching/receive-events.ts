import { EndpointNotActiveError, type NotesClient, NotesClientError } from '@notewire/client'
import type { Mirror } from '@notewire/mirror'
import { nodeHandler } from '@notewire/webhooks/node'
import type { Context } from '../context/context.ts'
import { EXIT_CODES, type ExitCode } from '../errors/failure.ts'
import { type Registration, register, unregister } from '../listening/registration.ts'
import { inUrl, openPort } from '../listening/serve.ts'

export interface Receiving extends AsyncDisposable {
  /** `null` if events are not received. */
  readonly url: string | null
  /** Removes the registered endpoint, and returns the exit code. */
  end(): Promise<ExitCode>
}

export interface ReceivingPlace {
  readonly port: number
  readonly host: string
  readonly path: string
  /** The secret of an existing endpoint; without it, an endpoint is registered while the command runs. */
  readonly secret: string | undefined
  readonly publicUrl?: string | undefined
}

/** Events are not received; polls find the changes. */
export const NO_EVENTS: Receiving = {
  url: null,
  end: async () => EXIT_CODES.done,
  [Symbol.asyncDispose]: async () => undefined,
}

/** Receives events, and passes them to the mirror as hints. */
export async function receiveEvents(
  mirror: Mirror,
  client: NotesClient,
  { secret: known, path, publicUrl, ...place }: ReceivingPlace,
  { output, signal }: Pick<Context, 'output' | 'signal'>,
): Promise<Receiving> {
  // The verification arrives during the registration, and waits for the secret in its response.
  const secret = Promise.withResolvers<string>()
  if (known !== undefined) secret.resolve(known)
  const receiver = mirror.receiver({ secret: () => secret.promise, path, logger: SILENT })
  const listening = await openPort(place, nodeHandler(receiver))
  const url = `http://${inUrl(place.host)}:${listening.port}${path}`
  let registration: Registration | undefined
  const end = async () => {
    const ending = registration
    registration = undefined
    return ending === undefined ? EXIT_CODES.done : await unregister(ending, output)
  }
  const dispose = async () => {
    await end()
    await listening[Symbol.asyncDispose]()
  }
  try {
    if (known === undefined) {
      registration = await register(client, publicUrl ?? url, signal)
      secret.resolve(registration.secret)
      output.tell(`Registered as ${registration.endpoint_id} until Ctrl-C.`)
      await waitUntilActive(client, registration, { output, signal })
    }
    return { url, end, [Symbol.asyncDispose]: dispose }
  } catch (error) {
    await dispose()
    throw error
  }
}

const SILENT = { info: () => undefined, warn: () => undefined, error: () => undefined }
const ACTIVE_WITHIN_MS = 5_000

/** Until the endpoint is active, no events arrive, and polls find the changes. */
async function waitUntilActive(
  client: NotesClient,
  { endpoint_id }: Registration,
  { output, signal }: Pick<Context, 'output' | 'signal'>,
): Promise<void> {
  try {
    await client.webhookEndpoints.waitUntilActive(endpoint_id, { timeoutMs: ACTIVE_WITHIN_MS, signal })
  } catch (error) {
    // The service has registered the endpoint, but does not support reading its status.
    if (error instanceof NotesClientError && error.code === 'not_supported') return
    if (!(error instanceof EndpointNotActiveError)) throw error
    output.warn(
      'The service has not reached this machine yet. Until it does, changes are found by polling. Does the URL lead here? A service elsewhere needs --public-url.',
    )
  }
}
