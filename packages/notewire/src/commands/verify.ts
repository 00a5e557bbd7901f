import { Argument } from '@commander-js/extra-typings'
import { chooseDeliveries, readCapture, readCaptureFile, readCaptureStream } from '../captured/read-capture.ts'
import { describeVerdict, judgeRequest, type NamedSecret, verdictRecord } from '../captured/verdict.ts'
import { path, repeated, wholeNumber } from '../configuration/value-readers.ts'
import type { Context, Run } from '../context/context.ts'
import { EXIT_CODES, type ExitCode } from '../errors/failure.ts'
import { newCommand } from './new-command.ts'

export const command = (run: Run) => declare().action(run(verifyCaptured))

const declare = () =>
  newCommand({
    description:
      'Verifies a captured delivery and, if it does not verify, names the cause. It reads what notewire listen --save writes, a raw HTTP request (request line, headers, an empty line, body), and an HTTP archive (HAR), from a file or from stdin. It never shows the secret or the body.',
    settings: ['signingSecret'],
    examples: {
      'verify delivery.http --secret-file secret.txt --ignore-time': 'is it signed with this secret?',
      'verify requests.har --entry 3': 'the third request of an HTTP archive',
      'verify --json < delivery.http': 'for a program',
    },
    next: 'If the delivery is valid and the receiver still rejects it, `notewire doctor <receiver-url>` finds out why.',
  })
    .addArgument(new Argument('[file]', 'the captured delivery; "-", or nothing: stdin').argParser(path))
    .option('--entry <number>', 'which request of an HTTP archive, from 1; else all deliveries', wholeNumber(1))
    .option(
      '--other-secret-file <file>',
      'a file with another secret that may have signed it; can be repeated',
      repeated(path),
    )
    .option('--ignore-time', 'judge the signature alone, however old it is')

type Options = ReturnType<ReturnType<typeof declare>['opts']>

async function verifyCaptured(context: Context, file: string | undefined, options: Options): Promise<ExitCode> {
  const { settings, output, stdin, workingFolder, clock, signal } = context
  const isFromStdin = file === undefined || file === '-'
  if (isFromStdin && stdin.isTTY) output.tell('Paste the captured delivery, then type Ctrl-D on a line of its own.')
  const bytes = isFromStdin ? await readCaptureStream(stdin, signal) : await readCaptureFile(workingFolder, file)
  const deliveries = chooseDeliveries(readCapture(bytes), options.entry)
  const secrets: NamedSecret[] = [{ name: 'the signing secret', text: await settings.requireSecret('signingSecret') }]
  for (const other of options.otherSecretFile ?? []) {
    secrets.push({ name: other, text: await settings.secretOfFile(other, '--other-secret-file') })
  }
  const now = options.ignoreTime ? 'ignore-time' : clock.now()
  let areValid = true
  for (const [index, delivery] of deliveries.entries()) {
    signal.throwIfAborted()
    const verdict = await judgeRequest(delivery, secrets, now)
    const gap = index === 0 ? '' : '\n'
    await output.print(verdictRecord(verdict), gap + describeVerdict(verdict, output))
    areValid &&= verdict.verdict === 'valid'
  }
  return areValid ? EXIT_CODES.done : EXIT_CODES.failed
}
