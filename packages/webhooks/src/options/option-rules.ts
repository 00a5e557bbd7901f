import { isIntegrationId, OptionError, RETRY_SPAN_MS } from '@notewire/protocol'
import type { GateMode } from '../interfaces/revision-gate.ts'

/** Throws an OptionError for the first value that cannot work. */
export function refuseWrongValues(values: { readonly [Option in keyof typeof RULES]?: unknown }): void {
  for (const option of Object.keys(values) as (keyof typeof RULES)[]) {
    const [works, rule] = RULES[option]
    if (!works(values[option])) throw new OptionError(option, `${option} ${rule}`)
  }
}

/** @throws OptionError if the value of an option is given, and is no function */
export function refuseNoFunction(option: string, value: unknown): void {
  if (value === undefined || typeof value === 'function') return
  throw new OptionError(option, `"${option}" is not a function but ${typeof value}. Pass a function, or omit it.`)
}

const GATE_MODES: readonly unknown[] = Object.keys({
  strict: true,
  'deletions-at-equal': true,
  'per-kind': true,
  off: true,
} satisfies Record<GateMode, true>)

/** pg-boss expires a job after at most 24 h, and the receiver must end the handler before. */
const LONGEST_HANDLER_TIMEOUT_MS = 86_100_000
/** The longest that timers can wait: about 24 days. */
const LONGEST_TIMER_MS = 2 ** 31 - 1
/** With a shorter window, the last retry of a delivery would be applied a second time. */
const SHORTEST_WINDOW_MS = Math.ceil(RETRY_SPAN_MS / 3_600_000) * 3_600_000

/** Not a list, a map or a promise, whose handlers would never be called. `import * as handlers` is a `Module`. */
const isObject = (value: unknown) => /^\[object (?:Object|Module)\]$/.test(Object.prototype.toString.call(value))

const isWithin = (least: number, most: number) => (value: unknown) =>
  typeof value === 'number' && value >= least && value <= most

/** The defaults that errors name. */
export const DEFAULTS = { maxBodyBytes: 262_144, dedupWindowMs: 259_200_000, handlerTimeoutMs: 900_000 } as const

/** What the value of an option must be: a check, and the sentence that follows the name of the option. */
const RULES = {
  secretOf: [
    (value: unknown) => typeof value === 'function',
    'is not a function. Pass a function that returns the signing secret of an integration: (integration) => ….',
  ],
  integration: [
    isIntegrationId,
    'must be 1 to 128 of the characters A-Z a-z 0-9 . _ ~ - and not "." or "..", so that it can be part of a URL. Pass an id ' +
      'for the integration, or omit the option.',
  ],
  path: [
    (path: unknown) =>
      path === undefined || (typeof path === 'string' && /^\/[^?#*{}[\]]*$/.test(path) && !path.includes('/:')),
    'must start with "/" and have no query, such as "/webhooks/notes". It is the whole path, without parameters and wildcards.',
  ],
  on: [isObject, "must be an object, such as { 'note.ended': async (event) => … }."],
  hooks: [isObject, 'must be an object, such as { onOutcome: (outcome) => … }.'],
  revisionGate: [(value: unknown) => GATE_MODES.includes(value), `must be one of ${GATE_MODES.join(', ')}.`],
  maxBodyBytes: [
    (value: unknown) => Number.isInteger(value) && isWithin(1, Number.POSITIVE_INFINITY)(value),
    `must be a whole number, 1 or more. Omit it to use ${DEFAULTS.maxBodyBytes}.`,
  ],
  dedupWindowMs: [
    isWithin(SHORTEST_WINDOW_MS, Number.POSITIVE_INFINITY),
    'must be at least 27 h (97200000 ms), because the service retries an event for up to 26 h 36 min 40 s. ' +
      `Pass at least 97200000, or omit it to use ${DEFAULTS.dedupWindowMs / 3_600_000} h.`,
  ],
  handlerTimeoutMs: [
    (value: unknown) => Number.isInteger(value) && isWithin(1, LONGEST_HANDLER_TIMEOUT_MS)(value),
    `must be a whole number from 1 to ${LONGEST_HANDLER_TIMEOUT_MS} (23 h 55 min). Omit it to use ${DEFAULTS.handlerTimeoutMs / 60_000} min.`,
  ],
  logErrorMessages: [
    // The text of a variable, such as 'false', would count as true.
    (value: unknown) => typeof value === 'boolean',
    'must be true or false, not a text. Pass a boolean, or omit it.',
  ],
  graceMs: [
    isWithin(0, LONGEST_TIMER_MS),
    `must be a number of milliseconds from 0 to ${LONGEST_TIMER_MS}. Omit it to use 10000.`,
  ],
} as const satisfies Readonly<Record<string, readonly [works: (value: unknown) => boolean, rule: string]>>
