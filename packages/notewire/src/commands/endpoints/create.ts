import { resolve } from 'node:path'
import { NOTE_EVENT_KINDS } from '@notewire/protocol'
import { fileExists } from '../../file-exists.ts'
import { CLIENT_SETTINGS, openClient } from '../../notes-client.ts'
import { UsageError } from '../../usage-error.ts'
import { defineCommand } from '../command.ts'
import { flag, option, repeated, required } from '../declarations.ts'
import { duration, httpUrl, oneOf } from '../value-readers.ts'
import { keepSecret, secretOut } from './secret-keeping.ts'

/** `notewire endpoints create`. */
export const create = defineCommand({
  description:
    'Registers a URL. The service sends endpoint.verification there; once that is answered 2xx, the endpoint is active. The signing secret, by which the receiver knows that deliveries are genuine, is shown this once.',
  arguments: { url: required('url', 'where to send events: public, https, no redirect', httpUrl) },
  options: {
    events: repeated('--event <kind>', 'a kind of event; else all four', oneOf(NOTE_EVENT_KINDS)),
    secretOut,
    wait: flag('--wait', 'wait until it is active'),
    timeout: option('--timeout <time>', 'how long to wait', duration, 120_000, '2m'),
  },
  settings: CLIENT_SETTINGS,
  examples: [
    ['endpoints create https://example.com/hook --secret-out secret', 'keep the secret in a file'],
    ['endpoints create http://localhost:3000/hook --wait', 'with a service on this machine'],
  ],
  next: 'Give the secret to the receiver, then have the service send something: notewire endpoints test <endpoint>',
  async run({ arguments: { url }, options, signal, ...surroundings }) {
    const { output, workingFolder } = surroundings
    if (options.secretOut !== undefined)
      await refuseExisting(resolve(workingFolder, options.secretOut), options.secretOut)
    const client = await openClient(surroundings)
    const events = options.events.length === 0 ? NOTE_EVENT_KINDS : options.events
    const { endpoint, exitCode } = await keepSecret(
      () => client.webhookEndpoints.create({ url, events }, { signal }),
      options.secretOut,
      { replace: false },
      surroundings,
    )
    if (!options.wait) return exitCode
    output.tell('Waiting until the receiver has answered the verification …')
    const { endpoint_id } = endpoint
    const { status } = await client.webhookEndpoints.waitUntilActive(endpoint_id, {
      timeoutMs: options.timeout,
      signal,
    })
    await output.print({ endpoint_id, status }, `The endpoint is ${output.paint('green', 'active')}.`)
    return exitCode
  },
})

/** Before the service is asked: another secret may be in there, and it, too, was shown once. */
async function refuseExisting(absolute: string, file: string): Promise<void> {
  if (await fileExists(absolute))
    throw new UsageError(`--secret-out: ${file} is there already, and is not overwritten. Name another file.`)
}
