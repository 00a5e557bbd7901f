import { join, resolve } from 'node:path'
import { createVerifier } from '@notewire/webhooks/verify'
import { httpUrl, path, port, text, urlPath } from '../../configuration/value-readers.ts'
import type { Context, Run } from '../../context/context.ts'
import { EXIT_CODES, type ExitCode, UsageError } from '../../errors/failure.ts'
import { systemReason } from '../../errors/system-error.ts'
import { untilAborted } from '../../terminal/interruption.ts'
import { newCommand } from '../new-command.ts'
import { saveCapture } from '../verify/capture.ts'
import { receivedLines, receivedRecord } from './describe-received.ts'
import { eventKeys } from './event-keys.ts'
import { findService, type RegisteringService } from './find-service.ts'
import { offerSettings, restoreOldLines } from './offer-settings.ts'
import { openPort } from './open-port.ts'
import { type Forward, forwardRaw, forwardResigned, type Received, receiveDeliveries } from './receive.ts'
import { type Registration, register } from './registration.ts'
import { followVerification } from './verification.ts'

export const command = (run: Run) => declare().action(run(receiveUntilInterrupted))

const declare = () =>
  newCommand({
    description:
      'Listens on this machine, verifies every delivery as a receiver made with @notewire/webhooks does, and shows it as it arrives; for a rejected delivery, it says why. With --forward-to, it forwards verified deliveries to another receiver, signed with NOTEWIRE_FORWARD_SECRET or else with the same secret. With --forward-to and neither an API key nor a signing secret, it starts a mock notes service and offers to write its URL, key and secret to .env.',
    settings: ['signingSecret', 'forwardSecret', 'baseUrl', 'apiKey'],
    examples: {
      'listen --forward-to http://localhost:3000/webhooks/notes': 'develops an application without a notes service',
      'listen --register': 'with a service on this machine: an endpoint while it runs',
      'listen --secret-file secret --port 3000': 'at the end of a tunnel, for an endpoint that exists',
    },
    next: 'Make something happen: notewire trigger note.ended. To see why a delivery was rejected: notewire verify, with a file of --save.',
  })
    .option('--port <number>', 'where to listen (default: 3000); 0 is a free port', port)
    .option('--host <address>', 'who can reach it; 0.0.0.0: every machine', text, '127.0.0.1')
    .option('--path <path>', 'the only path to answer (default: any)', urlPath)
    .option('--register', 'register an endpoint while it listens')
    .option('--public-url <url>', 'register an endpoint with the URL of a tunnel to this port', httpUrl)
    .option('--forward-to <url>', 'forward deliveries, and answer what that receiver answers', httpUrl)
    .option('--forward-raw', 'forward deliveries unchanged, rejected ones included')
    .option('-y, --yes', 'with --forward-to: write to .env without asking')
    .option('--save <folder>', 'save each delivery as a file that notewire verify reads', path)

type Options = ReturnType<ReturnType<typeof declare>['opts']>

async function receiveUntilInterrupted(context: Context, options: Options): Promise<ExitCode> {
  refuseContradictions(options)
  const { settings, clock, signal, output } = context
  // The settings are read afterwards, without the lines of a process that was killed.
  if (options.forwardTo !== undefined) await restoreOldLines(context)
  const service = await findService({ ...options, port: portOf(options) }, context)
  await using _mock = service?.mock
  const known = service === undefined ? await settings.requireSecret('signingSecret') : undefined
  // Wrong settings are reported before anything listens.
  if (known !== undefined) createVerifier({ secret: known })
  // The verification arrives at once, and waits for the secret that the answer to the registration contains.
  const secret = Promise.withResolvers<string>()
  if (known !== undefined) secret.resolve(known)
  const ofApplication = async () => service?.folderSecret ?? (await secret.promise)
  const forward = await forwardOf(options, ofApplication, context)
  // Deliveries are shown after the question about `.env`.
  const ready = Promise.withResolvers<DevelopmentSession | undefined>()
  const show = async (received: Received) => {
    const session = await ready.promise
    await output.print(receivedRecord(received), receivedLines(received, output))
    session?.hear(received)
    if (options.save !== undefined) await save(options.save, received, context)
  }
  const listener = receiveDeliveries({
    clock,
    secret: () => secret.promise,
    path: options.path,
    forward,
    tell: (received) => void show(received),
  })
  await using listening = await openPort({ ...options, port: portOf(options, service) }, listener)
  const { url } = listening
  await output.print({ listening: url }, `Listening on ${url}`)
  const registration = service && (await register(service.client, options.publicUrl ?? url, context))
  if (registration !== undefined) secret.resolve(registration.secret)
  let exitCode: ExitCode = EXIT_CODES.done
  try {
    await using session =
      service && registration && forward && (await develop(service, registration, forward, options, context))
    ready.resolve(session)
    await untilAborted(signal)
  } finally {
    exitCode = (await registration?.end()) ?? exitCode
  }
  output.tell('Stopped.')
  return exitCode
}

interface DevelopmentSession extends AsyncDisposable {
  readonly hear: (received: Received) => void
}

/** Gives the application its settings, has it verified once it answers, and sends events at the press of a key. */
async function develop(
  { client, localUrl, settings: ofMock, folderSecret }: RegisteringService,
  { endpoint_id, secret, verify }: Registration,
  forward: Forward,
  { yes, forwardRaw: asTheyCame }: Pick<Options, 'yes' | 'forwardRaw'>,
  context: Context,
): Promise<DevelopmentSession> {
  const { settings, prompts } = context
  // A secret with a line break could set other variables.
  createVerifier({ secret })
  const needed = {
    ...ofMock,
    ...((await settings.findSecret('forwardSecret')) === undefined && {
      NOTES_SIGNING_SECRET: asTheyCame ? secret : (folderSecret ?? secret),
    }),
  }
  const restoring = await offerSettings(
    { settings: needed, isAgreed: yes === true, isMadeUp: ofMock !== undefined },
    context,
  )
  const keys = prompts.available ? prompts.keys(eventKeys(client, endpoint_id, localUrl, context)) : undefined
  const end = async () => {
    keys?.[Symbol.dispose]()
    await restoring[Symbol.asyncDispose]()
  }
  return { hear: followVerification(forward, verify, context), [Symbol.asyncDispose]: end }
}

async function save(folder: string, received: Received, { workingFolder, output }: Context): Promise<void> {
  try {
    const name = await saveCapture(resolve(workingFolder, folder), received.arrival, received.at)
    output.tell(`Saved ${join(folder, name)}`)
  } catch (error) {
    output.warn(`The delivery was not saved in ${folder}: ${systemReason(error)}.`)
  }
}

function refuseContradictions({ forwardRaw, yes, forwardTo }: Options): void {
  if (forwardTo !== undefined) return
  if (forwardRaw) throw new UsageError('--forward-raw needs --forward-to, which says where to.')
  if (yes) throw new UsageError('--yes answers a question of --forward-to. Add that, or omit --yes.')
}

/** By default any port that a service on this machine reaches, and not the port to which deliveries are forwarded. */
function portOf({ port, publicUrl, forwardTo }: Options, service?: RegisteringService): number {
  if (port !== undefined) return port
  if (service?.localUrl !== undefined && publicUrl === undefined) return 0
  return forwardTo !== undefined && new URL(forwardTo).port === '3000' ? 3001 : 3000
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
