import { writeFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import { readSecretFile } from '../configuration/secret-file.ts'
import { CATALOGUE, namesOfChecks } from '../doctor/catalogue.ts'
import { effectsAt } from '../doctor/effects.ts'
import { examineReceiver, sizeOf } from '../doctor/examine-receiver.ts'
import { renderJunit } from '../doctor/render-junit.ts'
import { renderCatalogue, renderText } from '../doctor/render-text.ts'
import { isHealthy, isUnreachable, type ReceiverReport } from '../doctor/report.ts'
import { isLoopback } from '../doctor/target.ts'
import { EXIT_CODES, type ExitCode } from '../exit-code.ts'
import { describeServiceReport } from '../service-probe/describe-report.ts'
import { probeService } from '../service-probe/probe-service.ts'
import { UsageError } from '../usage-error.ts'
import { defineCommand, type Invocation } from './command.ts'
import { flag, option, optional, repeated } from './declarations.ts'
import { type ChoiceReader, duration, httpUrl, path, Unreadable } from './value-readers.ts'

const checkName: ChoiceReader<string> = Object.assign(
  (given: string) => {
    if (namesOfChecks().includes(given)) return given
    throw new Unreadable('a check or a group of checks, such as body.non-ascii or signature (see --list)', given)
  },
  { choices: namesOfChecks() },
)

const ARGUMENTS = { receiverUrl: optional('receiver-url', 'where the receiver takes deliveries', httpUrl) }

const OPTIONS = {
  // Of a receiver:
  secondSecretFile: option('--second-secret-file <file>', 'another secret that the receiver knows (rotation)', path),
  effectsUrl: option('--effects-url <url>', 'where the receiver tells, as JSON, which events it applied', httpUrl),
  only: repeated('--only <check>', 'a check or a group of checks', checkName),
  junit: option('--junit <file>', 'also write the report as JUnit XML', path),
  timeLimit: option('--time-limit <time>', 'the longest that all of it may take (default: 5m)', duration),
  list: flag('--list', 'list the checks and send nothing'),
  // Of a service:
  service: option('--service <base-url>', 'examine a notes service instead of a receiver', httpUrl),
  write: flag('--write', 'with --service: also create a webhook endpoint, and delete it again'),
  endpointUrl: option('--endpoint-url <url>', 'with --write: the URL of that endpoint', httpUrl),
}

/** `notewire doctor`: finds out what is wrong with a receiver. */
export const doctor = defineCommand({
  description:
    'Examines a receiver in any language: sends it up to 160 deliveries, right and wrong ones, signed with a test secret that it knows, and holds its answers against the contract. They are about notes that do not exist (doctor_…). Each finding names the section of the contract, the fix, and a curl command that repeats the request; the secret is never shown. With --service, it examines a notes service: asks it up to 60 questions, and tells where it does something else than Notewire expects, and which options fit it.',
  arguments: ARGUMENTS,
  options: OPTIONS,
  settings: ['signingSecret', 'apiKey'],
  examples: [
    ['doctor http://localhost:3000/webhooks/notes', 'examine a receiver on this machine'],
    ['doctor https://staging.example/hook --junit doctor.xml', 'in CI; it ends with 1 when a "must" fails'],
    ['doctor http://localhost:3000/hook --only signature', 'one group of checks, while you mend it'],
    ['doctor --service https://notes.example', 'which options fit this service; it only reads'],
  ],
  next: 'To see why a delivery that was captured is refused: notewire verify.',
  run: (invocation) => {
    refuseContradictions(invocation)
    if (invocation.options.list) return listChecks(invocation)
    const { service } = invocation.options
    return service === undefined ? examine(invocation) : probe(service, invocation)
  },
})

type DoctorInvocation = Invocation<typeof ARGUMENTS, typeof OPTIONS>

function refuseContradictions({ arguments: { receiverUrl }, options }: DoctorInvocation): void {
  const { service, write, endpointUrl } = options
  if (service !== undefined && receiverUrl !== undefined) {
    throw new UsageError('--service examines a service, and a receiver is named, too. Examine one after the other.')
  }
  if (write && service === undefined) throw new UsageError('--write goes with --service <base-url>.')
  if (endpointUrl !== undefined && !write)
    throw new UsageError('--endpoint-url says what --write creates. Add --write.')
}

async function probe(baseUrl: string, { options, settings, output, progress, signal, clock }: DoctorInvocation) {
  const apiKey = await settings.requireSecret('apiKey')
  const bar = progress('Requests')
  const report = await probeService({
    baseUrl,
    apiKey,
    signal,
    clock,
    write: options.write,
    endpointUrl: options.endpointUrl,
    onRequest: (sent, most) => bar.update(sent, most),
  }).finally(() => bar.finish())
  await output.print(report, describeServiceReport(report, output))
  return report.fits ? EXIT_CODES.done : EXIT_CODES.failed
}

async function listChecks({ output }: DoctorInvocation): Promise<ExitCode> {
  const checks = CATALOGUE.flatMap(({ title: group, checks }) =>
    checks.map(({ id, title, section, severity }) => ({ id, group, title, section, severity })),
  )
  await output.print({ checks }, renderCatalogue(CATALOGUE, output))
  return EXIT_CODES.done
}

async function examine(invocation: DoctorInvocation): Promise<ExitCode> {
  const { arguments: given, options, settings, output, progress, signal, workingFolder } = invocation
  if (given.receiverUrl === undefined) {
    throw new UsageError('there is nothing to examine. Say where the receiver is: notewire doctor <receiver-url>.')
  }
  const url = new URL(given.receiverUrl)
  const secret = await settings.requireSecret('signingSecret')
  const secondSecret = await secondSecretOf(invocation)
  announce(url, invocation)
  const bar = progress('Checks')
  const report = await examineReceiver({
    url,
    secret,
    secondSecret,
    effects: options.effectsUrl === undefined ? undefined : effectsAt(new URL(options.effectsUrl)),
    only: options.only,
    limits: options.timeLimit === undefined ? {} : { totalMs: options.timeLimit },
    signal,
    onFinding: (_finding, done, total) => bar.update(done, total),
  }).finally(() => bar.finish())
  await output.print(report, renderText(report, output))
  if (options.junit !== undefined)
    await writeFile(resolve(workingFolder, options.junit), renderJunit(report), { signal })
  return exitCodeOf(report)
}

async function secondSecretOf({ options, workingFolder }: DoctorInvocation): Promise<string | undefined> {
  const { secondSecretFile: file } = options
  if (file === undefined) return undefined
  return (await readSecretFile(resolve(workingFolder, file), file, '--second-secret-file')).secret
}

/** Says what will be sent, before it is. */
function announce(url: URL, { options, output }: DoctorInvocation): void {
  if (url.protocol === 'http:' && !isLoopback(url)) {
    output.warn(`${url.host} is not this machine, and http is not encrypted: whoever listens can repeat what is sent.`)
  }
  const { checks, requests } = sizeOf(options.only)
  output.tell(
    `Sending up to ${requests} deliveries to ${url.origin}${url.pathname} for ${checks} checks: right and wrong ones, about notes that do not exist (doctor_…). A receiver with a real database remembers their ids.\n`,
  )
}

function exitCodeOf(report: ReceiverReport): ExitCode {
  if (isUnreachable(report)) return EXIT_CODES.unreachable
  return isHealthy(report) ? EXIT_CODES.done : EXIT_CODES.failed
}
