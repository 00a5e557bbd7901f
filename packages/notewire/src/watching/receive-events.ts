import { EndpointNotActiveError, type NotesClient, NotesClientError } from '@notewire/client'
import type { Mirror } from '@notewire/mirror'
import { nodeHandler } from '@notewire/webhooks/node'
import type { Surroundings } from '../commands/command.ts'
import { EXIT_CODES, type ExitCode } from '../exit-code.ts'
import { inUrl, openPort } from '../listening/open-port.ts'
import { type Registration, register, unregister } from '../listening/registration.ts'

/** Where events arrive. */
export interface Receiving extends AsyncDisposable {
  /** Nothing, where nobody listens. */
  readonly url: string | null
  /** Removes the endpoint that was registered, and says whether that went well. */
  end(): Promise<ExitCode>
}

/** Where to listen, and how the service is told. */
export interface ReceivingPlace {
  readonly port: number
  readonly host: string
  readonly path: string
  /** The secret of an endpoint that exists; without one, an endpoint is registered while this runs. */
  readonly secret: string | undefined
  /** What to register in place of the port itself. */
  readonly publicUrl: string | undefined
}

/** Nobody listens: changes are found by polling. */
export const NO_EVENTS: Receiving = {
  url: null,
  end: async () => EXIT_CODES.done,
  [Symbol.asyncDispose]: async () => undefined,
}

/** Receives events as hints of a mirror. */
export async function receiveEvents(
  mirror: Mirror,
  client: NotesClient,
  { secret: known, path, publicUrl, ...place }: ReceivingPlace,
  { output, signal }: Pick<Surroundings, 'output' | 'signal'>,
): Promise<Receiving> {
  // The verification arrives at once, and waits for the secret that the answer to the registration brings.
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

/** Before that, no event comes: polling sees what changes. */
async function waitUntilActive(
  client: NotesClient,
  { endpoint_id }: Registration,
  { output, signal }: Pick<Surroundings, 'output' | 'signal'>,
): Promise<void> {
  try {
    await client.webhookEndpoints.waitUntilActive(endpoint_id, { timeoutMs: ACTIVE_WITHIN_MS, signal })
  } catch (error) {
    // A service that does not tell how its endpoints are has it registered all the same.
    if (error instanceof NotesClientError && error.code === 'not_supported') return
    if (!(error instanceof EndpointNotActiveError)) throw error
    output.warn(
      'The service has not reached this machine yet. Until it does, changes are found by polling. Does the URL lead here? A service elsewhere needs --public-url.',
    )
  }
}
