import { Argument } from '@commander-js/extra-typings'
import { path, repeated } from '../../configuration/value-readers.ts'
import type { Context, Run } from '../../context/context.ts'
import { EXIT_CODES, type ExitCode } from '../../errors/failure.ts'
import { newCommand } from '../new-command.ts'
import { readCapture } from './capture.ts'
import { deliveryInFile, deliveryOnStdin } from './read-delivery.ts'
import { describeVerdict, judgeDelivery, type NamedSecret, verdictRecord } from './verdict.ts'

export const command = (run: Run) => declare().action(run(verifyCaptured))

const declare = () =>
  newCommand({
    description:
      'Verifies a captured delivery and, if it does not verify, names the cause. It reads a JSON object with the headers and the body, as notewire listen --save writes it, from a file or from stdin. It never shows the secret or the body.',
    settings: ['signingSecret'],
    examples: {
      'verify delivery.json --secret-file secret.txt --ignore-time': 'is it signed with this secret?',
      'verify --json < delivery.json': 'for a program',
    },
    next: 'If the delivery is valid and the receiver still rejects it, `notewire doctor <receiver-url>` finds out why.',
  })
    .addArgument(new Argument('[file]', 'the captured delivery; "-", or nothing: stdin').argParser(path))
    .option(
      '--other-secret-file <file>',
      'a file with another secret that may have signed it; can be repeated',
      repeated(path),
    )
    .option('--ignore-time', 'judge the signature alone, however old it is')

type Options = ReturnType<ReturnType<typeof declare>['opts']>

async function verifyCaptured(context: Context, file: string | undefined, options: Options): Promise<ExitCode> {
  const { settings, output, stdin, clock } = context
  const isFromStdin = file === undefined || file === '-'
  if (isFromStdin && stdin.isTTY) output.tell('Paste the captured delivery, then type Ctrl-D on a line of its own.')
  const delivery = readCapture(isFromStdin ? await deliveryOnStdin(context) : await deliveryInFile(file, context))
  const secrets: NamedSecret[] = [{ name: 'the signing secret', text: await settings.requireSecret('signingSecret') }]
  for (const other of options.otherSecretFile ?? []) {
    secrets.push({ name: other, text: await settings.secretOfFile(other, '--other-secret-file') })
  }
  const verdict = await judgeDelivery(delivery, secrets, options.ignoreTime ? 'ignore-time' : clock.now())
  await output.print(verdictRecord(verdict), describeVerdict(verdict, output))
  return verdict.verdict === 'valid' ? EXIT_CODES.done : EXIT_CODES.failed
}
