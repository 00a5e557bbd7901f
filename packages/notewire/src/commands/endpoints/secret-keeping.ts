import { randomUUID } from 'node:crypto'
import { link, open, rename, unlink } from 'node:fs/promises'
import { basename, dirname, join, resolve } from 'node:path'
import type { WebhookEndpoint, WebhookEndpointWithSecret } from '@notewire/protocol'
import type { ExitCode } from '../../exit-code.ts'
import { EXIT_CODES } from '../../exit-code.ts'
import { systemReason } from '../../system-reason.ts'
import type { Surroundings } from '../command.ts'
import { option } from '../declarations.ts'
import { path } from '../value-readers.ts'
import { endpointLines } from './endpoint-lines.ts'

/** `--secret-out`, of the commands that get a signing secret. */
export const secretOut = option('--secret-out <file>', 'write the secret to a file of yours alone, not to stdout', path)

/**
 * Makes an endpoint with a new secret, and sees to it that the secret, which the service shows once, is not lost: a file for it
 * is made before the service is asked.
 *
 * @param replace  whether the file may be there already
 * @returns the endpoint, once its secret is kept or printed, and whether it is where it was to be
 */
export async function keepSecret(
  make: () => Promise<WebhookEndpointWithSecret>,
  file: string | undefined,
  { replace }: { readonly replace: boolean },
  { output, workingFolder }: Pick<Surroundings, 'output' | 'workingFolder'>,
): Promise<{ readonly endpoint: WebhookEndpoint; readonly exitCode: ExitCode }> {
  if (file === undefined) return { endpoint: await printSecret(await make(), output), exitCode: EXIT_CODES.done }
  const place = await reserve(resolve(workingFolder, file), replace)
  const made = await make().catch(async (error: unknown) => {
    await place.giveUp()
    throw error
  })
  try {
    await place.keep(`${made.signing_secret}\n`)
  } catch (error) {
    output.warn(`The secret could not be written to ${file}: ${systemReason(error)}. It is on stdout instead.`)
    return { endpoint: await printSecret(made, output), exitCode: EXIT_CODES.failed }
  }
  const { signing_secret: _secret, ...endpoint } = made
  await output.print({ ...endpoint, secret_file: file }, `${endpointLines(endpoint, output)}\nSecret    in ${file}`)
  return { endpoint, exitCode: EXIT_CODES.done }
}

async function printSecret(made: WebhookEndpointWithSecret, output: Surroundings['output']): Promise<WebhookEndpoint> {
  const { signing_secret, ...endpoint } = made
  await output.print(made, `${endpointLines(endpoint, output)}\nSecret    ${signing_secret}`)
  output.warn('The secret is shown this once. Put it where the receiver finds it, and out of logs and history.')
  return endpoint
}

/** A file beside the one that is wanted, for its owner alone, which takes that one's place when it is complete. */
async function reserve(target: string, replace: boolean) {
  const temporary = join(dirname(target), `.${basename(target)}.${randomUUID()}`)
  const file = await open(temporary, 'wx', 0o600)
  return {
    async keep(content: string): Promise<void> {
      try {
        await file.writeFile(content)
        await file.sync()
        // A link, unlike a rename, replaces nothing.
        if (replace) await rename(temporary, target)
        else await link(temporary, target)
      } finally {
        await this.giveUp()
      }
    },
    async giveUp(): Promise<void> {
      await file.close()
      await unlink(temporary).catch(() => undefined)
    },
  }
}
