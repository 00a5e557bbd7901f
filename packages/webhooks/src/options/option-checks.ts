import {
  ENDPOINT_EVENT_KINDS,
  isIntegrationId,
  NOTE_EVENT_KINDS,
  OptionError,
  RETRY_SPAN_MS,
  type UnknownEvent,
} from '@notewire/protocol'
import type { GateMode } from '../interfaces/revision-gate.ts'
import type { EventHandler, EventHandlers, Prepare } from '../processing/handlers.ts'
import { refuseTolerance } from '../verifier/timestamp.ts'

const HOUR_MS = 3_600_000

/** The default time limit of a handler: longer than serverless platforms let a function run. */
export const HANDLER_TIMEOUT_MS = 900_000

/** The default time limit of `prepare` and the transaction. A transaction whose connection is interrupted holds a connection until then. */
export const TRANSACTION_TIMEOUT_MS = 60_000

/** The longest time limit: pg-boss expires a job after at most 24 h, and the receiver must end the handler before. */
const LONGEST_HANDLER_TIMEOUT_MS = 86_100_000

/** The longest that timers can wait, in milliseconds: about 24 days. */
const LONGEST_TIMER_MS = 2 ** 31 - 1

const GATE_MODES: readonly GateMode[] = ['strict', 'deletions-at-equal', 'per-kind', 'off']

/** Throws an OptionError for a value that cannot work. */
export function assertValidOptions(resolved: {
  readonly revisionGate: GateMode
  readonly toleranceSeconds: number
  readonly maxBodyBytes: number
  readonly dedupWindowMs: number
  readonly handlerTimeoutMs: number
}): void {
  const { revisionGate, toleranceSeconds, maxBodyBytes, dedupWindowMs, handlerTimeoutMs } = resolved
  refuseTolerance(toleranceSeconds)
  refuseUnless(GATE_MODES.includes(revisionGate), 'revisionGate', `must be one of ${GATE_MODES.join(', ')}.`)
  refuseUnless(
    Number.isInteger(maxBodyBytes) && maxBodyBytes >= 1,
    'maxBodyBytes',
    'must be a whole number, 1 or more. Omit it to use 262144.',
  )
  // With a shorter window, the last retry of a delivery would be applied a second time.
  refuseUnless(
    typeof dedupWindowMs === 'number' && dedupWindowMs >= Math.ceil(RETRY_SPAN_MS / HOUR_MS) * HOUR_MS,
    'dedupWindowMs',
    'must be at least 27 h (97200000 ms), because the service retries an event for up to 26 h 36 min 40 s. ' +
      'Pass at least 97200000, or omit it to use 72 h.',
  )
  refuseUnless(
    Number.isInteger(handlerTimeoutMs) && handlerTimeoutMs >= 1 && handlerTimeoutMs <= LONGEST_HANDLER_TIMEOUT_MS,
    'handlerTimeoutMs',
    `must be a whole number from 1 to ${LONGEST_HANDLER_TIMEOUT_MS} (23 h 55 min). Omit it to use 15 min.`,
  )
}

/** Throws an OptionError for the id or the path of a receiver of one integration that cannot work. */
export function assertValidIdentity(integration: string, path: string | undefined): void {
  refuseUnless(
    isIntegrationId(integration),
    'integration',
    'must be 1 to 128 of the characters A-Z a-z 0-9 . _ ~ - and not "." or "..", so that it can be part of a URL. Pass an id ' +
      'for the integration, or omit the option.',
  )
  refuseUnless(
    path === undefined || (typeof path === 'string' && /^\/[^?#]*$/.test(path)),
    'path',
    'must start with "/" and have no query, such as "/webhooks/notes".',
  )
}

/** Throws an OptionError for a `graceMs` that `close` cannot wait for. */
export function assertValidGraceMs(graceMs: number): void {
  refuseUnless(
    typeof graceMs === 'number' && graceMs >= 0 && graceMs <= LONGEST_TIMER_MS,
    'graceMs',
    `must be a number of milliseconds from 0 to ${LONGEST_TIMER_MS}. Omit it to use 10000.`,
  )
}

/** Throws an OptionError for handlers of unknown kinds, which would never run, and for handlers that are not functions. */
export function assertHandlers({
  on,
  onUnknown,
  prepare,
}: {
  readonly on: EventHandlers<never>
  readonly onUnknown: EventHandler<UnknownEvent, never> | undefined
  readonly prepare: Prepare | undefined
}): void {
  assertObject('on', on, "{ 'note.ended': async (event) => … }")
  const kinds: readonly string[] = [...NOTE_EVENT_KINDS, ...ENDPOINT_EVENT_KINDS]
  for (const [kind, handler] of Object.entries(on)) {
    if (!kinds.includes(kind)) {
      throw new OptionError(
        'on',
        `on has no event "${kind}". It takes: ${kinds.join(', ')}. Handle other events in onUnknown.`,
      )
    }
    assertOptionalFunction(kind, handler)
  }
  assertOptionalFunction('onUnknown', onUnknown)
  assertOptionalFunction('prepare', prepare)
}

/** Throws an OptionError unless the value is an object. */
export function assertObject(option: string, value: unknown, example: string): void {
  refuseUnless(typeof value === 'object' && value !== null, option, `must be an object, such as ${example}.`)
}

/** Throws an OptionError unless the value is `true` or `false`: the text of a variable, such as 'false', would count as true. */
export function assertBoolean(option: string, value: unknown): void {
  refuseUnless(typeof value === 'boolean', option, 'must be true or false, not a text. Pass a boolean, or omit it.')
}

/** Throws an OptionError unless the value is a function or absent. */
export function assertOptionalFunction(option: string, value: unknown): void {
  if (value === undefined || typeof value === 'function') return
  throw new OptionError(option, `"${option}" is not a function but ${typeof value}. Pass a function, or omit it.`)
}

function refuseUnless(works: boolean, option: string, rule: string): void {
  if (!works) throw new OptionError(option, `${option} ${rule}`)
}
