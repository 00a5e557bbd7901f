import type { NotesClient } from '@notewire/client'
import type { MirrorHooks } from '@notewire/mirror'
import { createVerifier } from '@notewire/webhooks'
import { duration, httpUrl, port, text } from '../configuration/value-readers.ts'
import type { Context, Run } from '../context/context.ts'
import { openClient } from '../context/notes-client.ts'
import { EXIT_CODES, type ExitCode, UsageError } from '../errors/failure.ts'
import { copyFileOf, type KeptCopy, keepCopy } from '../local-copy/local-copy.ts'
import { keyErrorOf } from '../pulling/another-key.ts'
import { observePull, type PullObserver } from '../pulling/pull-observer.ts'
import { amount } from '../terminal/amounts.ts'
import { receiveEvents } from '../watching/receive-events.ts'
import { catchUp, problemTeller, watchCopy } from '../watching/watch-copy.ts'
import { newCommand } from './new-command.ts'

export const command = (run: Run) =>
  declare().action(
    run(async (context, { poll = 300_000, register = false, ...typed }) => {
      const options = { ...typed, poll, register }
      refuseContradictions(options)
      const { clock, signal } = context
      const secret = await secretOf(options, context)
      const client = await openClient(context)
      const file = await copyFileOf(context)
      const observer = observePull(context.progress('Pulling'), clock)
      const hooks = hooksOf(observer, context)
      return await keepCopy(file, { client, hooks, pollEveryMs: options.poll }, context, async (copy) => {
        observer.watch(copy)
        try {
          return await watchAll(copy, { client, secret, options, observer }, context)
        } catch (error) {
          throw await keyErrorOf(error, client, file, signal)
        }
      })
    }),
  )

const declare = () =>
  newCommand({
    description:
      'Keeps the local copy up to date until Ctrl-C, and shows each change. It polls; with --port it also receives events, and shows changes within a second of an event. The content always comes from the service, not from the events. With --json, the first object says where it listens, and each further object is a change.',
    settings: ['baseUrl', 'apiKey', 'notesField', 'signingSecret', 'database'],
    examples: {
      watch: 'polls only: the service need not reach this machine',
      'watch --port 3000 --register': 'receives events from a service on this machine',
      'watch --port 3000 --secret-file secret': 'at the end of a tunnel, for an endpoint that exists',
    },
    next: 'In another terminal: notewire search, notewire status. To run it as a service, use systemd or a container.',
  })
    .option('--port <number>', 'also receive events on this port; 0 is a free port', port)
    .option('--host <address>', 'who can reach it; 0.0.0.0: every machine', text, '127.0.0.1')
    .option('--path <path>', 'the path for events', text, '/webhooks/notes')
    .option('--register', 'with --port: register an endpoint while it runs')
    .option('--public-url <url>', 'with --register: the URL of a tunnel to this port', httpUrl)
    .option('--poll <time>', 'how often to poll (default: 5m)', duration)

interface Options {
  readonly port?: number | undefined
  readonly host: string
  readonly path: string
  readonly register: boolean
  readonly publicUrl?: string | undefined
  readonly poll: number
}

function refuseContradictions({ port: listened, register: isRegistered, publicUrl, poll }: Options): void {
  if (isRegistered && listened === undefined)
    throw new UsageError('--register needs --port, which says where to listen.')
  if (publicUrl !== undefined && !isRegistered)
    throw new UsageError('--public-url says what to register. Add --register.')
  if (poll < 1_000) throw new UsageError('--poll takes a second at least: services limit how often they are asked.')
}

/** The secret by which events are verified, before the service hands out another. */
async function secretOf({ port: listened, register: isRegistered }: Options, { settings }: Context) {
  if (listened === undefined || isRegistered) return undefined
  const secret = await settings.requireSecret('signingSecret')
  // What is no secret is said before anything listens.
  createVerifier({ secret })
  return secret
}

function hooksOf({ hooks }: PullObserver, { clock, output }: Context): MirrorHooks {
  const tellProblem = problemTeller(clock, output.warn)
  return {
    ...hooks,
    onProblem: ({ error }) => tellProblem(error),
    onRemovalsHeld: ({ missing, live }) =>
      output.warn(
        `The service no longer shows ${amount(missing, 'note')} of ${live}, more than it removes without your consent. See what to do: notewire status`,
      ),
  }
}

interface Watch {
  readonly client: NotesClient
  readonly secret: string | undefined
  readonly options: Options
  readonly observer: PullObserver
}

async function watchAll(
  { mirror, file }: KeptCopy,
  { client, secret, options, observer }: Watch,
  context: Context,
): Promise<ExitCode> {
  const { output, signal } = context
  const { port: listened } = options
  await using receiving =
    listened === undefined
      ? undefined
      : await receiveEvents(mirror, client, { ...options, port: listened, secret }, context)
  const after = await catchUp(mirror, signal)
  observer.finish()
  const { notes } = await mirror.status()
  const listening = receiving === undefined ? '' : `, and listening on ${receiving.url}`
  await output.print(
    { watching: file.shown, listening: receiving?.url ?? null, notes: notes.live },
    `Watching ${amount(notes.live, 'note')} in ${file.shown}${listening}`,
  )
  await watchCopy(mirror, after, context)
  const exitCode = (await receiving?.end()) ?? EXIT_CODES.done
  output.tell('Stopped.')
  return exitCode
}
