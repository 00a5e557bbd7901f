import { Argument } from '@commander-js/extra-typings'
import { NOTE_EVENT_KINDS, RETRY_DELAYS_MS, type WebhookEndpoint } from '@notewire/protocol'
import { duration, httpUrl, oneOf, path, repeated, text } from '../../configuration/value-readers.ts'
import type { Run } from '../../context/context.ts'
import { openClient } from '../../context/notes-client.ts'
import { EXIT_CODES, UsageError } from '../../errors/failure.ts'
import { shellCommand } from '../../terminal/shell-quoted.ts'
import { type CommandHelp, newCommand } from '../new-command.ts'
import { endpointLines, keepSecret } from './signing-secret.ts'

const eventKinds = repeated(oneOf(NOTE_EVENT_KINDS))

export const command = (run: Run) =>
  newCommand({
    description:
      'An endpoint is a URL to which the service sends its events. All of these commands need an API key with the scope webhooks:manage.',
    examples: {
      'endpoints create https://example.com/hook --secret-out secret': 'registers a receiver',
      'endpoints list': 'shows which endpoints are active',
    },
    next: 'Check a receiver before you register it: notewire doctor <receiver-url>',
  })
    .usage('<command> [options]')
    .helpCommand(false)
    .addCommand(create(run))
    .addCommand(list(run))
    .addCommand(update(run))
    .addCommand(test(run))
    .addCommand(rotate(run))
    .addCommand(remove(run))

function subcommand(help: Omit<CommandHelp, 'settings'>) {
  return newCommand({ ...help, settings: ['baseUrl', 'apiKey'] })
}

const endpointId = () => new Argument('<endpoint>', 'the id of the endpoint').argParser(text)

const create = (run: Run) =>
  subcommand({
    name: 'create',
    summary: 'register a URL, and get its signing secret',
    description:
      'Registers a URL. The service sends endpoint.verification there; the endpoint is active once the receiver has answered it with a 2xx. The service shows the signing secret only this once. The receiver verifies deliveries with it.',
    examples: {
      'endpoints create https://example.com/hook --secret-out secret': 'keeps the secret in a file',
      'endpoints create http://localhost:3000/hook --wait': 'with a service on this machine',
    },
    next: 'Give the secret to the receiver, have the endpoint verified, then send a test event: notewire endpoints update <endpoint> --verify, notewire endpoints test <endpoint>',
  })
    .addArgument(new Argument('<url>', 'where the service sends events: public, https, no redirect').argParser(httpUrl))
    .option('--event <kind>', 'a kind of event (default: all four); can be repeated', eventKinds)
    .option('--secret-out <file>', 'write the secret to a file that only you can read, not to stdout', path)
    .option('--wait', 'wait until the endpoint is active')
    .option('--timeout <time>', 'how long to wait (default: 2m)', duration)
    .action(
      run(
        async (
          { signal, ...context },
          url,
          { event: events = NOTE_EVENT_KINDS, secretOut, wait, timeout: timeoutMs = 120_000 },
        ) => {
          const { output } = context
          const client = await openClient(context)
          const make = () => client.webhookEndpoints.create({ url, events }, { signal })
          const { endpoint, exitCode } = await keepSecret(make, secretOut, false, context)
          const { endpoint_id } = endpoint
          if (!wait) {
            if (endpoint.status !== 'active') output.tell(nextVerification(endpoint_id))
            return exitCode
          }
          output.tell('Waiting until the receiver has answered the verification …')
          const { status } = await client.webhookEndpoints.waitUntilActive(endpoint_id, { timeoutMs, signal })
          await output.print({ endpoint_id, status }, `The endpoint is ${output.paint('green', 'active')}.`)
          return exitCode
        },
      ),
    )

/** What to do while an endpoint is not verified, and when the service sends the verification again (contract §8; open point 27). */
function nextVerification(endpointId: string): string {
  const [first = 0, second = 0] = RETRY_DELAYS_MS
  return `The service sends endpoint.verification now. If the receiver does not answer 2xx, the service sends it again ${first / 1_000} s later, then ${second / 60_000} min later, then less often. Give the receiver the secret and start it. Then, instead of waiting, have the endpoint verified at once: ${shellCommand`notewire endpoints update ${endpointId} --verify`}`
}

const list = (run: Run) =>
  subcommand({
    name: 'list',
    summary: 'show all endpoints',
    description:
      'Shows the endpoints of the integration that the API key belongs to. With --json, one object per line.',
    examples: {
      'endpoints list': 'all endpoints',
      'endpoints list --json | jq -r .endpoint_id': 'only their ids',
    },
    next: 'The service sends no events to an endpoint that is not active. Check what its receiver answers: notewire doctor <url>',
  }).action(
    run(async ({ signal, output, ...context }) => {
      const client = await openClient(context)
      const found = await client.webhookEndpoints.list({ signal })
      for (const [index, endpoint] of found.entries()) {
        await output.print(endpoint, [...(index === 0 ? [] : ['']), ...endpointLines(endpoint, output)])
      }
      if (found.length === 0) output.tell('There is no endpoint. Register one: notewire endpoints create <url>')
      return EXIT_CODES.done
    }),
  )

const update = (run: Run) =>
  subcommand({
    name: 'update',
    summary: 'change an endpoint, or have it verified now',
    description:
      'Changes an endpoint, or has it verified now: the service sends endpoint.verification whenever the URL is set, even to the same one, and when a disabled endpoint is activated.',
    examples: {
      'endpoints update ep_1 --verify': 'once the receiver runs',
      'endpoints update ep_1 --url https://example.com/other': 'moves the endpoint',
    },
    next: 'See whether the endpoint is active: notewire endpoints list',
  })
    .addArgument(endpointId())
    .option('--url <url>', 'where the service sends events from now on', httpUrl)
    .option('--event <kind>', 'a kind of event to send from now on; can be repeated', eventKinds)
    .option('--verify', 'have the current URL verified again, now')
    .option('--activate', 'enable a disabled endpoint again')
    .action(
      run(async ({ signal, output, ...context }, endpoint, { event: events, verify, activate, url: newUrl }) => {
        if ([newUrl, events, verify, activate].every((each) => each === undefined)) {
          throw new UsageError('the command has nothing to change. Pass --url, --event, --verify or --activate.')
        }
        const { webhookEndpoints } = await openClient(context)
        const url = newUrl ?? (verify ? urlOf(await webhookEndpoints.get(endpoint, { signal })) : undefined)
        const changes = { url, events, status: activate ? ('active' as const) : undefined }
        const updated = await webhookEndpoints.update(endpoint, changes, { signal })
        await output.print(updated, endpointLines(updated, output))
        if (url !== undefined || activate)
          output.tell('The service sends endpoint.verification now. The receiver must answer it with a 2xx.')
        return EXIT_CODES.done
      }),
    )

function urlOf({ url }: WebhookEndpoint): string {
  if (typeof url === 'string') return url
  throw new UsageError('the service does not say which URL the endpoint has. Pass it: --url <url>.')
}

const test = (run: Run) =>
  subcommand({
    name: 'test',
    summary: 'have the service send endpoint.test',
    description: 'Has the service send the event endpoint.test, signed like every event.',
    examples: { 'endpoints test ep_1': 'sends to one endpoint' },
    next: 'Look at the log of the receiver. To see deliveries arrive on this machine: notewire listen',
  })
    .addArgument(endpointId())
    .action(
      run(async ({ signal, output, ...context }, endpoint) => {
        const client = await openClient(context)
        await client.webhookEndpoints.sendTest(endpoint, { signal })
        await output.print({ endpoint_id: endpoint, sent: 'endpoint.test' }, 'The service sends endpoint.test now.')
        return EXIT_CODES.done
      }),
    )

const rotate = (run: Run) =>
  subcommand({
    name: 'rotate',
    summary: 'get a new signing secret; the old one stays valid for 24 hours',
    description:
      'Gives an endpoint a new signing secret. The service shows it only this once. For 24 hours the service signs with both secrets, so a receiver that has either of them accepts every delivery.',
    examples: {
      'endpoints rotate ep_1 --secret-out secret': 'replaces the secret in a file',
      'endpoints rotate ep_1 --json': 'for a program that keeps secrets',
    },
    next: 'Give the new secret to the receiver within 24 hours. Until the receiver has both secrets, keep the old secret.',
  })
    .addArgument(endpointId())
    .option('--secret-out <file>', 'write the secret to a file that only you can read, not to stdout', path)
    .action(
      run(async ({ signal, ...context }, endpoint, { secretOut }) => {
        const client = await openClient(context)
        const make = () => client.webhookEndpoints.rotateSecret(endpoint, { signal })
        return (await keepSecret(make, secretOut, true, context)).exitCode
      }),
    )

const remove = (run: Run) =>
  subcommand({
    name: 'delete',
    summary: 'remove an endpoint',
    description: 'Removes an endpoint. The service sends nothing to it any more, and its secret is no longer valid.',
    examples: {
      'endpoints delete ep_1': 'asks first',
      'endpoints delete ep_1 --yes': 'for scripts',
    },
    next: 'Polling finds the changes that happen from now on: notewire pull',
  })
    .addArgument(endpointId())
    .option('-y, --yes', 'do not ask')
    .action(
      run(async ({ signal, output, prompts, ...context }, endpoint, { yes }) => {
        if (!yes) prompts.require('delete the endpoint')
        const client = await openClient(context)
        if (!(await prompts.confirm(`Delete ${endpoint}?`, yes))) {
          output.tell('Nothing was deleted.')
          return EXIT_CODES.failed
        }
        await client.webhookEndpoints.delete(endpoint, { signal })
        await output.print({ endpoint_id: endpoint, deleted: true }, 'The endpoint is deleted.')
        return EXIT_CODES.done
      }),
    )
