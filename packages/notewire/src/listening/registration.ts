import type { NotesClient } from '@notewire/client'
import { NOTE_EVENT_KINDS } from '@notewire/protocol'
import { EXIT_CODES, type ExitCode, failureOf } from '../errors/failure.ts'
import type { Output } from '../terminal/output.ts'

const MOST_MS = 5_000

/** An endpoint that exists while the command runs. */
export interface Registration {
  readonly endpoint_id: string
  readonly secret: string
  readonly end: () => Promise<void>
}

export async function register(client: NotesClient, url: string, signal: AbortSignal): Promise<Registration> {
  const { endpoint_id, signing_secret } = await client.webhookEndpoints.create(
    { url, events: NOTE_EVENT_KINDS },
    { signal },
  )
  return {
    endpoint_id,
    secret: signing_secret,
    // Without the signal of the run, which has fired already.
    end: () => client.webhookEndpoints.delete(endpoint_id, { totalTimeoutMs: MOST_MS }),
  }
}

export async function unregister({ endpoint_id, end }: Registration, output: Output): Promise<ExitCode> {
  try {
    await end()
    return EXIT_CODES.done
  } catch (error) {
    output.warn(
      `The endpoint is still registered: ${failureOf(error).message} Remove it: notewire endpoints delete ${endpoint_id}`,
    )
    return EXIT_CODES.failed
  }
}
