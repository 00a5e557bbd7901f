import type { MirrorHooks } from '@notewire/mirror'
import { createVerifier } from '@notewire/webhooks'
import { duration, httpUrl, port, text } from '../configuration/value-readers.ts'
import type { Context, Run } from '../context/context.ts'
import { openClient } from '../context/notes-client.ts'
import { EXIT_CODES, type ExitCode, UsageError } from '../errors/failure.ts'
import { copyFileOf, type KeptCopy, keepCopy } from '../local-copy/local-copy.ts'
import { keyErrorOf } from '../pulling/key-change.ts'
import { observePull, type PullObserver } from '../pulling/pull-observer.ts'
import { amount } from '../terminal/amounts.ts'
import { receiveEvents } from '../watching/receive-events.ts'
import { catchUp, problemReporter, watchCopy } from '../watching/watch-copy.ts'
import { newCommand } from './new-command.ts'

export const command = (run: Run) => declare().action(run(watchUntilInterrupted))

const declare = () =>
  newCommand({
    description:
      'Keeps the local copy up to date until Ctrl-C, and shows each change. It polls; with --port it also receives events, and shows changes within a second of an event. The content always comes from the service, not from the events. With --json, the first object says where it listens, and each further object is a change.',
    settings: ['baseUrl', 'apiKey', 'notesField', 'signingSecret', 'database', 'integration'],
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

type Options = ReturnType<ReturnType<typeof declare>['opts']>

async function watchUntilInterrupted(context: Context, options: Options): Promise<ExitCode> {
  rejectConflicts(options)
  const { clock, signal, output, progress } = context
  const { port: listened, poll: pollEveryMs = 300_000 } = options
  const secret = await secretOf(options, context)
  const client = await openClient(context)
  const file = await copyFileOf(context)
  const observer = observePull(progress('Pulling'), clock)
  const work = async (copy: KeptCopy) => {
    const { mirror } = copy
    observer.watch(copy)
    const place = listened === undefined ? undefined : { ...options, port: listened, secret }
    await using receiving = place && (await receiveEvents(mirror, client, place, context))
    const after = await catchUp(mirror, signal)
    observer.finish()
    const { notes } = await mirror.status()
    const listening = receiving === undefined ? '' : `, and listening on ${receiving.url}`
    await output.print(
      { watching: file.shown, integration: file.integration, listening: receiving?.url ?? null, notes: notes.live },
      `Watching ${amount(notes.live, 'note')} in ${file.label}${listening}`,
    )
    await watchCopy(mirror, after, context)
    const exitCode = (await receiving?.end()) ?? EXIT_CODES.done
    output.tell('Stopped.')
    return exitCode
  }
  return await keepCopy(file, { client, hooks: hooksOf(observer, context), pollEveryMs }, context, (copy) =>
    work(copy).catch(async (error: unknown) => {
      throw await keyErrorOf(error, client, file, signal)
    }),
  )
}

function rejectConflicts({ port: listened, register, publicUrl, poll }: Options): void {
  if (register && listened === undefined) throw new UsageError('--register needs --port, which says where to listen.')
  if (publicUrl !== undefined && !register) throw new UsageError('--public-url says what to register. Add --register.')
  if (poll !== undefined && poll < 1_000)
    throw new UsageError('--poll takes a second at least: services limit how often they are asked.')
}

/** The secret of an existing endpoint; `undefined` if none is needed. */
async function secretOf({ port: listened, register }: Options, { settings }: Context): Promise<string | undefined> {
  if (listened === undefined || register) return undefined
  const secret = await settings.requireSecret('signingSecret')
  // This reports a malformed secret before the port is opened.
  createVerifier({ secret })
  return secret
}

function hooksOf({ hooks }: PullObserver, { clock, output }: Context): MirrorHooks {
  const tellProblem = problemReporter(clock, output.warn)
  return {
    ...hooks,
    onProblem: ({ error }) => tellProblem(error),
    onRemovalsHeld: ({ missing, live }) =>
      output.warn(
        `The service no longer shows ${amount(missing, 'note')} of ${live}, more than it removes without your consent. See what to do: notewire status`,
      ),
  }
}
