import type { NotesClient } from '@notewire/client'
import { NOTE_EVENT_KINDS } from '@notewire/protocol'
import type { Context } from '../../context/context.ts'
import { EXIT_CODES, type ExitCode, failureOf } from '../../errors/failure.ts'
import { shellCommand } from '../../terminal/shell-quoted.ts'

/** How long removing the endpoint may take after Ctrl-C. */
const MAX_MS = 5_000

export interface Registration {
  readonly endpoint_id: string
  readonly secret: string
  /** Has the service send the verification again. */
  readonly verify: () => Promise<unknown>
  /** Removes the endpoint, and warns if that fails. */
  readonly end: () => Promise<ExitCode>
}

export async function register(
  { webhookEndpoints }: NotesClient,
  url: string,
  { output, signal }: Pick<Context, 'output' | 'signal'>,
): Promise<Registration> {
  // If the service is down, nothing was created: a request that creates nothing finds out first.
  await webhookEndpoints.list({ signal }).catch((error: unknown) => {
    if (failureOf(error).exitCode === EXIT_CODES.unreachable) throw error
  })
  const created = await webhookEndpoints.create({ url, events: NOTE_EVENT_KINDS }, { signal })
  const { endpoint_id, signing_secret: secret } = created
  output.tell(`Registered as ${endpoint_id} until Ctrl-C.`)
  const end = async () => {
    try {
      // Without the signal of the run, which has fired already.
      await webhookEndpoints.delete(endpoint_id, { totalTimeoutMs: MAX_MS })
      return EXIT_CODES.done
    } catch (error) {
      output.warn(
        `The endpoint is still registered: ${failureOf(error).message} Remove it: ${shellCommand`notewire endpoints delete ${endpoint_id}`}`,
      )
      return EXIT_CODES.failed
    }
  }
  const verify = () => webhookEndpoints.update(endpoint_id, { url }, { signal })
  return { endpoint_id, secret, verify, end }
}
