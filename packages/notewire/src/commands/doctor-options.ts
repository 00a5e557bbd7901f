import { namesOfChecks } from '../doctor/catalogue.ts'
import { UsageError } from '../usage-error.ts'
import type { Invocation } from './command.ts'
import { flag, longName, option, optional, repeated } from './declarations.ts'
import { type ChoiceReader, duration, httpUrl, path, Unreadable } from './value-readers.ts'

const checkName: ChoiceReader<string> = Object.assign(
  (given: string) => {
    if (namesOfChecks().includes(given)) return given
    throw new Unreadable('a check or a group of checks, such as body.non-ascii or signature (see --list)', given)
  },
  { choices: namesOfChecks() },
)

/** What `notewire doctor` examines. */
export const ARGUMENTS = { receiverUrl: optional('receiver-url', 'where the receiver takes deliveries', httpUrl) }

/** How it does. */
export const OPTIONS = {
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

/** A run of `notewire doctor`. */
export type DoctorInvocation = Invocation<typeof ARGUMENTS, typeof OPTIONS>

/** What would be ignored in an examination of a service. */
const OF_A_RECEIVER = ['secondSecretFile', 'effectsUrl', 'only', 'junit', 'timeLimit', 'list'] as const

/** @throws `UsageError` where options do not go together */
export function refuseContradictions({
  arguments: { receiverUrl },
  options,
}: Pick<DoctorInvocation, 'arguments' | 'options'>): void {
  const { service, write, endpointUrl } = options
  if (service !== undefined && receiverUrl !== undefined) {
    throw new UsageError('--service examines a service, and a receiver is named, too. Examine one after the other.')
  }
  if (write && service === undefined) throw new UsageError('--write goes with --service <base-url>.')
  if (endpointUrl !== undefined && !write)
    throw new UsageError('--endpoint-url says what --write creates. Add --write.')
  const stray = OF_A_RECEIVER.find((name) => isTyped(options[name]))
  if (service !== undefined && stray !== undefined) {
    throw new UsageError(`${longName(OPTIONS[stray].flags)} is about a receiver, and --service examines a service.`)
  }
}

function isTyped(value: unknown): boolean {
  return Array.isArray(value) ? value.length > 0 : value !== undefined && value !== false
}
