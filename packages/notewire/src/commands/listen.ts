import { join, resolve } from 'node:path'
import { createVerifier } from '@notewire/webhooks'
import { saveDelivery } from '../captured/raw-request.ts'
import { httpUrl, path, port, text } from '../configuration/value-readers.ts'
import type { Context, Run } from '../context/context.ts'
import { openClient } from '../context/notes-client.ts'
import { EXIT_CODES, type ExitCode, UsageError } from '../errors/failure.ts'
import { systemReason } from '../errors/system-error.ts'
import { receivedLines, receivedRecord } from '../listening/describe-received.ts'
import { openPort } from '../listening/open-port.ts'
import { type Forward, forwardRaw, forwardResigned, type Received, receiveDeliveries } from '../listening/receive.ts'
import { register } from '../listening/registration.ts'
import { untilAborted } from '../terminal/interruption.ts'
import { newCommand } from './new-command.ts'

export const command = (run: Run) => declare().action(run(receiveUntilInterrupted))

const declare = () =>
  newCommand({
    description:
      'Listens on this machine, verifies every delivery as a receiver made with @notewire/webhooks does, and shows it as it arrives; for a rejected delivery, it says why. With --forward-to, it forwards verified deliveries to another receiver, signed with NOTEWIRE_FORWARD_SECRET or else with the same secret.',
    settings: ['signingSecret', 'forwardSecret', 'baseUrl', 'apiKey'],
    examples: {
      'listen --register': 'with a service on this machine: an endpoint while it runs',
      'listen --secret-file secret --port 3000': 'at the end of a tunnel, for an endpoint that exists',
      'listen --register --forward-to http://localhost:8080/hook': 'forwards verified deliveries',
    },
    next: 'Make something happen: notewire trigger note.ended. To see why a delivery was rejected: notewire verify, with a file of --save.',
  })
    .option('--port <number>', 'where to listen; 0 is a free port', port, 3000)
    .option('--host <address>', 'who can reach it; 0.0.0.0: every machine', text, '127.0.0.1')
    .option('--path <path>', 'the only path to answer (default: any)', text)
    .option('--register', 'register an endpoint while it listens')
    .option('--public-url <url>', 'with --register: the URL of a tunnel to this port', httpUrl)
    .option('--forward-to <url>', 'forward deliveries, and answer what that receiver answers', httpUrl)
    .option('--forward-raw', 'forward deliveries unchanged, rejected ones included')
    .option('--save <folder>', 'save each delivery as a file that notewire verify reads', path)

type Options = ReturnType<ReturnType<typeof declare>['opts']>

async function receiveUntilInterrupted(context: Context, options: Options): Promise<ExitCode> {
  refuseContradictions(options)
  const { settings, clock, signal, output } = context
  const known = options.register ? undefined : await settings.requireSecret('signingSecret')
  // Wrong settings are reported before anything listens.
  const client = options.register ? await openClient(context) : undefined
  if (known !== undefined) createVerifier({ secret: known })
  // The verification arrives at once, and waits for the secret that the answer to the registration contains.
  const secret = Promise.withResolvers<string>()
  if (known !== undefined) secret.resolve(known)
  const listener = receiveDeliveries({
    clock,
    secret: () => secret.promise,
    path: options.path,
    forward: await forwardOf(options, () => secret.promise, context),
    tell: (received) => {
      void output.print(receivedRecord(received), receivedLines(received, output))
      if (options.save !== undefined) void save(options.save, received, context)
    },
  })
  await using listening = await openPort(options, listener)
  const { url } = listening
  await output.print({ listening: url }, `Listening on ${url}`)
  const registration = client && (await register(client, options.publicUrl ?? url, context))
  if (registration !== undefined) secret.resolve(registration.secret)
  await untilAborted(signal)
  const exitCode = (await registration?.end()) ?? EXIT_CODES.done
  output.tell('Stopped.')
  return exitCode
}

async function save(folder: string, received: Received, { workingFolder, output }: Context): Promise<void> {
  try {
    const name = await saveDelivery(resolve(workingFolder, folder), received)
    output.tell(`Saved ${join(folder, name)}`)
  } catch (error) {
    output.warn(`The delivery was not saved in ${folder}: ${systemReason(error)}.`)
  }
}

function refuseContradictions({ publicUrl, register, forwardRaw, forwardTo }: Options): void {
  if (publicUrl !== undefined && !register) throw new UsageError('--public-url says what to register. Add --register.')
  if (forwardRaw && forwardTo === undefined)
    throw new UsageError('--forward-raw needs --forward-to, which says where to.')
}

async function forwardOf(
  { forwardTo, forwardRaw: asTheyCame }: Options,
  ownSecret: () => Promise<string>,
  { settings, signal }: Pick<Context, 'settings' | 'signal'>,
): Promise<Forward | undefined> {
  if (forwardTo === undefined) return undefined
  if (asTheyCame) return forwardRaw(forwardTo, signal)
  const other = await settings.findSecret('forwardSecret')
  return forwardResigned(forwardTo, async () => other ?? (await ownSecret()), signal)
}
