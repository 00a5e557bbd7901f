import { createVerifier } from '@notewire/webhooks'
import { EXIT_CODES } from '../exit-code.ts'
import { untilAborted } from '../interruption.ts'
import { receivedLines, receivedRecord } from '../listening/describe-received.ts'
import { type Forward, forwardRaw, forwardResigned } from '../listening/forward.ts'
import { createJudge } from '../listening/judge.ts'
import { inUrl } from '../listening/open-port.ts'
import { register, unregister } from '../listening/registration.ts'
import { serve } from '../listening/serve.ts'
import { openClient } from '../notes-client.ts'
import { UsageError } from '../usage-error.ts'
import { defineCommand, type Surroundings } from './command.ts'
import { flag, option, type ValuesOf } from './declarations.ts'
import { httpUrl, port, text } from './value-readers.ts'

const OPTIONS = {
  port: option('--port <number>', 'where to listen; 0 is a free port', port, 3000),
  host: option('--host <address>', 'who can reach it: 0.0.0.0 is everybody', text, '127.0.0.1'),
  path: option('--path <path>', 'the one path that is answered (default: any)', text),
  register: flag('--register', 'register an endpoint for as long as it listens'),
  publicUrl: option('--public-url <url>', 'with --register: the URL of a tunnel that leads here', httpUrl),
  forwardTo: option('--forward-to <url>', 'pass deliveries on, and answer what is answered there', httpUrl),
  forwardRaw: flag('--forward-raw', 'pass them on as they came, refused ones included'),
}

/** `notewire listen`. */
export const listen = defineCommand({
  description:
    'Listens on this machine, verifies every delivery as a receiver made with @notewire/webhooks does, and shows it as it arrives; of one that is refused, why. With --forward-to, deliveries that were verified are passed on to another receiver, signed anew: with NOTEWIRE_FORWARD_SECRET, or else with the same secret.',
  options: OPTIONS,
  settings: ['signingSecret', 'forwardSecret', 'baseUrl', 'apiKey'],
  examples: [
    ['listen --register', 'with a service on this machine: an endpoint while it runs'],
    ['listen --secret-file secret --port 3000', 'behind a tunnel, for an endpoint that exists'],
    ['listen --register --forward-to http://localhost:8080/hook', 'pass on what was verified'],
  ],
  next: 'Make something happen: notewire trigger note.ended. What was refused and captured: notewire verify.',
  async run({ options, ...surroundings }) {
    refuseContradictions(options)
    const { settings, clock, signal, output } = surroundings
    const known = options.register ? undefined : await settings.requireSecret('signingSecret')
    // What cannot be said of the service is said before anything listens.
    const client = options.register ? await openClient(surroundings) : undefined
    if (known !== undefined) createVerifier({ secret: known })
    // The verification arrives at once, and waits for the secret that the answer to the registration brings.
    const secret = Promise.withResolvers<string>()
    if (known !== undefined) secret.resolve(known)
    const forward = await forwardOf(options, () => secret.promise, surroundings)
    const judge = createJudge({ clock, secret: () => secret.promise, path: options.path })
    await using listening = await serve(options, {
      judge,
      forward,
      clock,
      tell: (received) => void output.print(receivedRecord(received), receivedLines(received, output)),
    })
    const url = `http://${inUrl(options.host)}:${listening.port}${options.path ?? '/webhooks/notes'}`
    await output.print({ listening: url }, `Listening on ${url}`)
    const registration = client && (await register(client, options.publicUrl ?? url, signal))
    if (registration !== undefined) secret.resolve(registration.secret)
    if (registration !== undefined) output.tell(`Registered as ${registration.endpoint_id} until Ctrl-C.`)
    await untilAborted(signal)
    const exitCode = registration === undefined ? EXIT_CODES.done : await unregister(registration, output)
    output.tell('Stopped.')
    return exitCode
  },
})

type Options = ValuesOf<typeof OPTIONS>

function refuseContradictions({ publicUrl, register, forwardRaw, forwardTo }: Options): void {
  if (publicUrl !== undefined && !register) throw new UsageError('--public-url says what to register. Add --register.')
  if (forwardRaw && forwardTo === undefined)
    throw new UsageError('--forward-raw needs --forward-to, which says where to.')
}

async function forwardOf(
  { forwardTo, forwardRaw: asTheyCame }: Options,
  ownSecret: () => Promise<string>,
  { settings, signal }: Pick<Surroundings, 'settings' | 'signal'>,
): Promise<Forward | undefined> {
  if (forwardTo === undefined) return undefined
  if (asTheyCame) return forwardRaw(forwardTo, signal)
  const other = await settings.findSecret('forwardSecret')
  return forwardResigned(forwardTo, async () => other ?? (await ownSecret()), signal)
}
