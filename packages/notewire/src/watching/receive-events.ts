import { EndpointNotActiveError, type NotesClient, NotesClientError } from '@notewire/client'
import type { Mirror } from '@notewire/mirror'
import { nodeHandler } from '@notewire/webhooks/node'
import type { Context } from '../context/context.ts'
import { EXIT_CODES, type ExitCode } from '../errors/failure.ts'
import { openPort, type Place } from '../listening/open-port.ts'
import { SILENT } from '../listening/receive.ts'
import { type Registration, register } from '../listening/registration.ts'

export interface Receiving extends AsyncDisposable {
  readonly url: string
  readonly end: () => Promise<ExitCode>
}

export interface ReceivingPlace extends Place {
  /** The secret of an existing endpoint; without it, an endpoint is registered while the command runs. */
  readonly secret: string | undefined
  /** The URL to register instead of that of the port. */
  readonly publicUrl?: string | undefined
}

/** Receives events, and passes them to the mirror as hints. */
export async function receiveEvents(
  mirror: Mirror,
  client: NotesClient,
  place: ReceivingPlace,
  context: Pick<Context, 'output' | 'signal'>,
): Promise<Receiving> {
  // The verification arrives before the response with the secret, so the receiver waits for the secret.
  const secret = Promise.withResolvers<string>()
  const receiver = mirror.receiver({ secret: () => secret.promise, path: place.path, logger: SILENT })
  const listening = await openPort(place, nodeHandler(receiver))
  const { url } = listening
  let registration: Registration | undefined
  const end = async () => {
    const ending = registration
    registration = undefined
    return (await ending?.end()) ?? EXIT_CODES.done
  }
  const dispose = async () => {
    await end()
    await listening[Symbol.asyncDispose]()
  }
  try {
    if (place.secret === undefined) registration = await register(client, place.publicUrl ?? url, context)
    secret.resolve(place.secret ?? registration?.secret ?? '')
    if (registration !== undefined) await waitUntilActive(client, registration, context)
    return { url, end, [Symbol.asyncDispose]: dispose }
  } catch (error) {
    await dispose()
    throw error
  }
}

const ACTIVE_WITHIN_MS = 5_000

/** Waits until the endpoint is active. Until then, no events arrive, and polls find the changes. */
async function waitUntilActive(
  client: NotesClient,
  { endpoint_id }: Registration,
  { output, signal }: Pick<Context, 'output' | 'signal'>,
): Promise<void> {
  try {
    await client.webhookEndpoints.waitUntilActive(endpoint_id, { timeoutMs: ACTIVE_WITHIN_MS, signal })
  } catch (error) {
    // This service has no operation that reads the status of an endpoint.
    if (error instanceof NotesClientError && error.code === 'not_supported') return
    if (!(error instanceof EndpointNotActiveError)) throw error
    output.warn(
      'The service has not reached this machine yet. Until it does, changes are found by polling. Does the URL lead here? A service elsewhere needs --public-url.',
    )
  }
}
