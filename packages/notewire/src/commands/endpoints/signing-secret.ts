import { existsSync } from 'node:fs'
import type { FileHandle } from 'node:fs/promises'
import { resolve } from 'node:path'
import type { WebhookEndpoint, WebhookEndpointWithSecret } from '@notewire/protocol'
import type { Context } from '../../context/context.ts'
import { EXIT_CODES, type ExitCode, UsageError } from '../../errors/failure.ts'
import { systemReason } from '../../errors/system-error.ts'
import { writePrivately } from '../../files/private-file.ts'

/**
 * Creates an endpoint or its secret with `make`, and prints both, or writes the secret to the file `secretOut`. The file is created
 * before the service is called, because the service shows the secret only once.
 */
export async function keepSecret(
  make: () => Promise<WebhookEndpointWithSecret>,
  secretOut: string | undefined,
  canReplace: boolean,
  { output, workingFolder }: Pick<Context, 'output' | 'workingFolder'>,
): Promise<{ readonly endpoint: WebhookEndpoint; readonly exitCode: ExitCode }> {
  if (secretOut === undefined) return { endpoint: await printSecret(await make(), output), exitCode: EXIT_CODES.done }
  const target = resolve(workingFolder, secretOut)
  // The file may contain the only copy of another secret.
  if (!canReplace && existsSync(target))
    throw new UsageError(`--secret-out: ${secretOut} exists already, and is not overwritten. Name another file.`)
  let made: WebhookEndpointWithSecret | undefined
  let endpoint: WebhookEndpoint
  const write = async (file: FileHandle) => {
    made = await make()
    const { signing_secret, ...rest } = made
    await file.writeFile(`${signing_secret}\n`)
    return rest
  }
  try {
    endpoint = await writePrivately(target, write, { replace: canReplace })
  } catch (error) {
    if (made === undefined) throw error
    output.warn(`The secret could not be written to ${secretOut}: ${systemReason(error)}. It is on stdout instead.`)
    return { endpoint: await printSecret(made, output), exitCode: EXIT_CODES.failed }
  }
  await output.print({ ...endpoint, secret_file: secretOut }, [
    ...endpointLines(endpoint, output),
    `Secret    in ${secretOut}`,
  ])
  return { endpoint, exitCode: EXIT_CODES.done }
}

/** An endpoint for a person, one fact a line. */
export function endpointLines(
  { endpoint_id, url, events, status }: WebhookEndpoint,
  { paint }: Context['output'],
): readonly string[] {
  const facts = [
    ['Endpoint', endpoint_id],
    ['URL', url ?? 'unknown'],
    ['Events', events?.join(', ') ?? 'unknown'],
    ['Status', paint(status === 'active' ? 'green' : 'yellow', status ?? 'unknown')],
  ]
  return facts.map(([label = '', value]) => `${paint('dim', label.padEnd(8))}  ${value}`)
}

async function printSecret(made: WebhookEndpointWithSecret, output: Context['output']): Promise<WebhookEndpoint> {
  const { signing_secret, ...endpoint } = made
  await output.print(made, [...endpointLines(endpoint, output), `Secret    ${signing_secret}`])
  output.warn(
    'The service shows the secret only this once. Store it where the receiver reads it, not in logs or history.',
  )
  return endpoint
}
