import { Argument, InvalidArgumentError } from '@commander-js/extra-typings'
import { isLoopback } from '@notewire/protocol'
import { duration, httpUrl, path, repeated } from '../../configuration/value-readers.ts'
import type { Context, Run } from '../../context/context.ts'
import { EXIT_CODES, type ExitCode, UsageError } from '../../errors/failure.ts'
import { newCommand } from '../new-command.ts'
import { CHECKS, checksNamed, namesOfChecks } from './catalogue.ts'
import { secretOf } from './delivery.ts'
import { effectsAt } from './examination.ts'
import { examineReceiver } from './examine-receiver.ts'
import { isHealthy, isUnreachable, renderChecks, renderText } from './report.ts'

export const command = (run: Run) =>
  declare().action(
    run((context, receiverUrl, options) =>
      options.list ? listChecks(context) : examine(receiverUrl, options, context),
    ),
  )

const declare = () =>
  newCommand({
    description:
      'Checks a receiver in any language. It sends hundreds of valid, invalid and forged deliveries, signed with a test secret that the receiver uses, and compares each answer with the contract; with --effects-url, also what the receiver applied. The first line of the report is the diagnosis. The events are about notes that do not exist: every ID starts with "doctor_". Each problem names the section of the contract, the fix, and a curl command that repeats the request. The secret is never shown.',
    settings: ['signingSecret'],
    examples: {
      'doctor http://localhost:3000/webhooks/notes': 'check a receiver on this machine',
      'doctor https://staging.example/hook --json': 'in CI: exits with 1 if a "must" check fails',
      'doctor http://localhost:3000/hook --only signature': 'run one group of checks',
    },
    next: 'To see why a receiver rejects a delivery that you captured: notewire verify.',
  })
    .addArgument(new Argument('[receiver-url]', 'the URL to which the receiver accepts deliveries').argParser(httpUrl))
    .option('--second-secret-file <file>', 'a second secret that the receiver accepts', path)
    .option(
      '--effects-url <url>',
      'a URL that answers with a JSON array: the event_id of each event that the receiver applied',
      httpUrl,
    )
    .option('--only <check>', 'run only this check or group of checks; can be repeated', repeated(checkName))
    .option('--time-limit <time>', 'stop after this time (default: 5m)', duration)
    .option('--list', 'list the checks and send nothing')

type DoctorOptions = ReturnType<ReturnType<typeof declare>['opts']>

function checkName(given: string): string {
  if (namesOfChecks().includes(given)) return given
  const message = 'It takes a check or a group of checks, such as body.non-ascii or signature (see --list).'
  throw new InvalidArgumentError(message)
}

async function listChecks({ output }: Context): Promise<ExitCode> {
  const checks = CHECKS.map(({ id, group, title, section, severity }) => ({ id, group, title, section, severity }))
  await output.print({ schema_version: 1, checks }, renderChecks(CHECKS, output).split('\n'))
  return EXIT_CODES.done
}

async function examine(receiverUrl: string | undefined, options: DoctorOptions, context: Context): Promise<ExitCode> {
  const { settings, output, progress, signal } = context
  const { secondSecretFile: second, effectsUrl, only, timeLimit } = options
  if (receiverUrl === undefined) {
    throw new UsageError('the URL of the receiver is missing. Run: notewire doctor <receiver-url>.')
  }
  if (effectsUrl === undefined && only?.some((name) => name.split('.')[0] === 'effect')) {
    throw new UsageError(
      'the checks of effects need --effects-url, where the receiver lists the events that it applied.',
    )
  }
  const url = new URL(receiverUrl)
  const secret = await settings.requireSecret('signingSecret')
  const secondSecret = second === undefined ? undefined : await settings.secretOfFile(second, '--second-secret-file')
  // A malformed secret is reported before the command announces what it sends.
  for (const each of [secret, secondSecret]) if (each !== undefined) secretOf(each)
  announce(url, only, output)
  const bar = progress('Checks')
  const report = await examineReceiver({
    url,
    secret,
    secondSecret,
    effects: effectsUrl === undefined ? undefined : effectsAt(new URL(effectsUrl)),
    only,
    limits: timeLimit === undefined ? {} : { totalMs: timeLimit },
    signal,
    onFinding: (_finding, done, total) => bar.update(done, total),
  }).finally(() => bar.finish())
  await output.print(report, renderText(report, output).split('\n'))
  if (isUnreachable(report)) return EXIT_CODES.unreachable
  return isHealthy(report) ? EXIT_CODES.done : EXIT_CODES.failed
}

function announce(url: URL, only: readonly string[] | undefined, output: Context['output']): void {
  if (url.protocol === 'http:' && !isLoopback(url.hostname)) {
    output.warn(
      `${url.host} is not this machine, and http is not encrypted: anyone on the network can read and replay the deliveries.`,
    )
  }
  output.tell(
    `Sending deliveries to ${url.origin}${url.pathname} for ${checksNamed(only).length} checks. Some are valid and some are invalid. All are about notes that do not exist (doctor_…). A receiver with a database stores their IDs: use a test database.`,
  )
  output.tell('')
}
