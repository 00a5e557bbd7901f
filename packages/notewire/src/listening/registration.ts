import type { NotesClient } from '@notewire/client'
import { NOTE_EVENT_KINDS } from '@notewire/protocol'
import { EXIT_CODES, type ExitCode } from '../exit-code.ts'
import { failureOf } from '../terminal/failure.ts'
import type { Output } from '../terminal/output.ts'

/** Whoever pressed Ctrl-C does not wait for long. */
const MOST_MS = 5_000

/** An endpoint for as long as somebody listens. */
export interface Registration {
  readonly endpoint_id: string
  readonly secret: string
  /** Removes it again, whatever has ended the run. */
  readonly end: () => Promise<void>
}

/** Registers where we listen at the service. */
export async function register(client: NotesClient, url: string, signal: AbortSignal): Promise<Registration> {
  const { endpoint_id, signing_secret } = await client.webhookEndpoints.create(
    { url, events: NOTE_EVENT_KINDS },
    { signal },
  )
  return {
    endpoint_id,
    secret: signing_secret,
    // By a signal of its own: the run's has fired already.
    end: () => client.webhookEndpoints.delete(endpoint_id, { totalTimeoutMs: MOST_MS }),
  }
}

/** Removes it again, and says so when that fails. */
export async function unregister({ endpoint_id, end }: Registration, output: Output): Promise<ExitCode> {
  try {
    await end()
    return EXIT_CODES.done
  } catch (error) {
    output.warn(
      `The endpoint is registered still: ${failureOf(error).message} Remove it: notewire endpoints delete ${endpoint_id}`,
    )
    return EXIT_CODES.failed
  }
}
