import { readFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import { SIGNATURE_TOLERANCE_SECONDS } from '@notewire/protocol'
import { CaptureError } from '../captured/capture-error.ts'
import { CAPTURE_FORMATS } from '../captured/captured-request.ts'
import { describeExamination } from '../captured/describe-examination.ts'
import { examine, type NamedSecret } from '../captured/examination.ts'
import { instant } from '../captured/instant.ts'
import { notificationsIn } from '../captured/notifications.ts'
import { readCapture } from '../captured/read-capture.ts'
import { readInput } from '../captured/read-input.ts'
import { EXIT_CODES } from '../exit-code.ts'
import { systemReason } from '../system-reason.ts'
import { defineCommand } from './command.ts'
import { flag, option, optional, repeated } from './declarations.ts'
import { oneOf, path, wholeNumber } from './value-readers.ts'

/** `notewire verify`: verifies a captured request and, where it fails, says why. */
export const verify = defineCommand({
  description:
    'Verifies a captured delivery: a curl command ("Copy as cURL (bash)"), an HTTP archive (HAR), or the raw request (request line, headers, empty line, body), from a file or from stdin. Where the signature does not match, everything known to happen to bodies, headers and secrets is undone and tried, and what makes it match is named. Neither the secret nor the body is ever shown.',
  arguments: { file: optional('file', 'the captured request; "-", or nothing: stdin', path) },
  options: {
    format: option('--format <form>', 'how to read it, where its looks deceive', oneOf(CAPTURE_FORMATS)),
    entry: option(
      '--entry <number>',
      'which request of an HTTP archive, from 1; else all notifications',
      wholeNumber(1),
    ),
    otherSecrets: repeated('--other-secret-file <file>', 'a file with another secret that may have signed it', path),
    at: option('--at <time>', 'judge the timestamp by this time: ISO 8601, or Unix time in seconds', instant),
    ignoreTime: flag('--ignore-time', 'judge the signature alone, however old it is'),
    tolerance: option(
      '--tolerance <seconds>',
      'how far the timestamp may be off',
      wholeNumber(0, 10_000_000_000),
      SIGNATURE_TOLERANCE_SECONDS,
    ),
  },
  settings: ['signingSecret'],
  examples: [
    ['verify delivery.http --secret-file secret.txt --ignore-time', 'is it signed by this secret?'],
    ['verify requests.har --entry 3 --at 2026-01-01T09:00:00Z', 'the third request, as of that time'],
    ['verify --json < copied-as-curl.sh', 'a curl command, for a program'],
  ],
  next: 'When the request is valid and the receiver refuses it all the same, `notewire doctor <receiver-url>` finds out why.',
  run: async ({ arguments: { file }, options, settings, output, stdin, workingFolder, clock, signal }) => {
    const fromStdin = file === undefined || file === '-'
    if (fromStdin && stdin.isTTY) output.tell('Paste the captured request, then type Ctrl-D on a line of its own.')
    const bytes = fromStdin ? await readInput(stdin, signal) : await readCaptured(resolve(workingFolder, file), file)
    const readFileOfCapture = (name: string) => readFileSync(resolve(workingFolder, name))
    const requests = readCapture(bytes, { format: options.format, readFile: readFileOfCapture })
    const notifications = notificationsIn(requests, options.entry)
    const secrets: NamedSecret[] = [{ name: 'the signing secret', text: await settings.requireSecret('signingSecret') }]
    for (const other of options.otherSecrets) {
      secrets.push({ name: other, text: await settings.secretOfFile(other, '--other-secret-file') })
    }
    const at = options.at ?? clock.now()
    const tolerance = options.ignoreTime ? 'any' : options.tolerance
    let allValid = true
    for (const [index, request] of notifications.entries()) {
      signal.throwIfAborted()
      const examination = await examine(request, { secrets, at, tolerance })
      const gap = index === 0 ? '' : '\n'
      await output.print(examination, gap + describeExamination(examination, output))
      allValid &&= examination.verdict === 'valid'
    }
    return allValid ? EXIT_CODES.done : EXIT_CODES.failed
  },
})

async function readCaptured(absolute: string, shown: string): Promise<Uint8Array> {
  try {
    return await readFile(absolute)
  } catch (error) {
    throw new CaptureError(`cannot be read from ${shown}: ${systemReason(error)}. Name the file that holds it.`)
  }
}
