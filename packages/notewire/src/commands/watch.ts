import type { NotesClient } from '@notewire/client'
import type { MirrorHooks } from '@notewire/mirror'
import { createVerifier } from '@notewire/webhooks'
import type { ExitCode } from '../exit-code.ts'
import { copyFileOf } from '../local-copy/copy-file.ts'
import { type KeptCopy, keepCopy } from '../local-copy/open-copy.ts'
import { CLIENT_SETTINGS, openClient } from '../notes-client.ts'
import { explainedKey } from '../pulling/key-check.ts'
import { PullObserver } from '../pulling/pull-observer.ts'
import { amount } from '../terminal/amounts.ts'
import { UsageError } from '../usage-error.ts'
import { Bell } from '../watching/bell.ts'
import { problemTeller } from '../watching/problem-teller.ts'
import { NO_EVENTS, receiveEvents } from '../watching/receive-events.ts'
import { catchUp, watchCopy } from '../watching/watch-copy.ts'
import { defineCommand, type Surroundings } from './command.ts'
import { flag, option, type ValuesOf } from './declarations.ts'
import { duration, httpUrl, port, text } from './value-readers.ts'

const OPTIONS = {
  port: option('--port <number>', 'also receive events here; 0 is a free port', port),
  host: option('--host <address>', 'who can reach it: 0.0.0.0 is everybody', text, '127.0.0.1'),
  path: option('--path <path>', 'the path that is answered', text, '/webhooks/notes'),
  register: flag('--register', 'with --port: register an endpoint for as long as it runs'),
  publicUrl: option('--public-url <url>', 'with --register: the URL of a tunnel that leads here', httpUrl),
  poll: option('--poll <time>', 'how often to ask for what has changed', duration, 300_000, '5m'),
}

/** `notewire watch`. */
export const watch = defineCommand({
  description:
    'Keeps the local copy up to date until Ctrl-C, and shows what changes: by polling, and with --port within a second of each event. Events are hints: what they say is read from the service. With --json, one object a change, after a first one that says where it listens.',
  options: OPTIONS,
  settings: [...CLIENT_SETTINGS, 'notesField', 'signingSecret', 'database'],
  examples: [
    ['watch', 'by polling alone: nothing has to be reachable'],
    ['watch --port 3000 --register', 'with a service on this machine: by events'],
    ['watch --port 3000 --secret-file secret', 'behind a tunnel, for an endpoint that exists'],
  ],
  next: 'In another terminal: notewire search, notewire status. As a service: let systemd or a container run it.',
  async run({ options, ...surroundings }) {
    refuseContradictions(options)
    const { clock, signal } = surroundings
    const secret = await secretOf(options, surroundings)
    const client = await openClient(surroundings)
    const file = await copyFileOf(surroundings)
    const bell = new Bell(clock)
    const observer = new PullObserver(surroundings.progress('Pulling'), clock)
    const hooks = hooksOf(observer, bell, surroundings)
    return await keepCopy(file, { client, hooks, pollEveryMs: options.poll }, surroundings, async (copy) => {
      observer.watch(copy)
      try {
        return await watchAll(copy, { client, secret, options, bell, observer }, surroundings)
      } catch (error) {
        throw await explainedKey(error, client, file, signal)
      }
    })
  },
})

type Options = ValuesOf<typeof OPTIONS>

function refuseContradictions({ port: listened, register: isRegistered, publicUrl, poll }: Options): void {
  if (isRegistered && listened === undefined)
    throw new UsageError('--register needs --port, which says where to listen.')
  if (publicUrl !== undefined && !isRegistered)
    throw new UsageError('--public-url says what to register. Add --register.')
  if (poll < 1_000) throw new UsageError('--poll takes a second at least: services limit how often they are asked.')
}

/** The secret by which events are verified, before the service hands out another. */
async function secretOf({ port: listened, register: isRegistered }: Options, { settings }: Surroundings) {
  if (listened === undefined || isRegistered) return undefined
  const secret = await settings.requireSecret('signingSecret')
  // What is no secret is said before anything listens.
  createVerifier({ secret })
  return secret
}

function hooksOf(observer: PullObserver, bell: Bell, { clock, output }: Surroundings): MirrorHooks {
  const tellProblem = problemTeller(clock, output.warn)
  return {
    onProgress: (notice) => {
      observer.hooks.onProgress?.(notice)
      bell.ring()
    },
    onProblem: ({ error }) => tellProblem(error),
    onRemovalsHeld: ({ missing, live }) =>
      output.warn(
        `The service no longer shows ${amount(missing, 'note')} of ${live}, more than are removed unasked. See what to do: notewire status`,
      ),
  }
}

/** What watching is done with. */
interface Watch {
  readonly client: NotesClient
  readonly secret: string | undefined
  readonly options: Options
  readonly bell: Bell
  readonly observer: PullObserver
}

async function watchAll(
  { mirror, file }: KeptCopy,
  { client, secret, options, bell, observer }: Watch,
  surroundings: Surroundings,
): Promise<ExitCode> {
  const { output, signal } = surroundings
  const { port: listened } = options
  const place = listened === undefined ? undefined : { ...options, port: listened, secret }
  await using receiving = place === undefined ? NO_EVENTS : await receiveEvents(mirror, client, place, surroundings)
  const after = await catchUp(mirror, signal)
  observer.finish()
  const { notes } = await mirror.status()
  const listening = receiving.url === null ? '' : `, and listening on ${receiving.url}`
  await output.print(
    { watching: file.shown, listening: receiving.url, notes: notes.live },
    `Watching ${amount(notes.live, 'note')} in ${file.shown}${listening}`,
  )
  await watchCopy(mirror, { after, bell }, surroundings)
  const exitCode = await receiving.end()
  output.tell('Stopped.')
  return exitCode
}
