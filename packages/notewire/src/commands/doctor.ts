import { writeFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import { CATALOGUE } from '../doctor/catalogue.ts'
import { effectsAt } from '../doctor/effects.ts'
import { examineReceiver, sizeOf } from '../doctor/examine-receiver.ts'
import { renderJunit } from '../doctor/render-junit.ts'
import { renderCatalogue, renderText } from '../doctor/render-text.ts'
import { isHealthy, isUnreachable, type ReceiverReport } from '../doctor/report.ts'
import { signerOf } from '../doctor/signer.ts'
import { EXIT_CODES, type ExitCode } from '../exit-code.ts'
import { isLoopback } from '../loopback.ts'
import { describeServiceReport } from '../service-probe/describe-report.ts'
import { probeService } from '../service-probe/probe-service.ts'
import { UsageError } from '../usage-error.ts'
import { defineCommand } from './command.ts'
import { ARGUMENTS, type DoctorInvocation, OPTIONS, refuseContradictions } from './doctor-options.ts'

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
  const { secondSecretFile: second } = options
  const secondSecret = second === undefined ? undefined : await settings.secretOfFile(second, '--second-secret-file')
  // What is no secret is said before anything is announced.
  for (const each of [secret, secondSecret]) if (each !== undefined) signerOf(each)
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

/** Says what will be sent, before it is. */
function announce(url: URL, { options, output }: DoctorInvocation): void {
  if (url.protocol === 'http:' && !isLoopback(url.hostname)) {
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
