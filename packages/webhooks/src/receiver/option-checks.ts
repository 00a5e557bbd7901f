import {
  ENDPOINT_EVENT_KINDS,
  NOTE_EVENT_KINDS,
  OptionError,
  RETRY_SPAN_MS,
  type UnknownEvent,
} from '@notewire/protocol'
import { refuseTolerance } from '../verifier/timestamp.ts'
import type { EventHandler, EventHandlers } from './handlers.ts'
import type { GateMode } from './revision-gate.ts'

const HOUR_MS = 3_600_000

const GATE_MODES: readonly GateMode[] = ['strict', 'deletions-at-equal', 'per-kind', 'off']

/** Refuses, by an error that names the option and the fix, values that cannot work. */
export function refuseValuesThatCannotWork(resolved: {
  readonly revisionGate: GateMode
  readonly scope: string
  readonly path: string | undefined
  readonly toleranceSeconds: number
  readonly maxBodyBytes: number
  readonly dedupWindowMs: number
}): void {
  const { revisionGate, scope, path, toleranceSeconds, maxBodyBytes, dedupWindowMs } = resolved
  refuseTolerance(toleranceSeconds)
  if (!GATE_MODES.includes(revisionGate)) {
    throw new OptionError('revisionGate', `revisionGate must be one of ${GATE_MODES.join(', ')}.`)
  }
  if (typeof scope !== 'string' || scope === '') {
    throw new OptionError('scope', 'scope must be text, and not empty. Name the integration, or leave it out.')
  }
  if (path !== undefined && !(typeof path === 'string' && /^\/[^?#]*$/.test(path))) {
    throw new OptionError('path', 'path must start with "/" and have no query, as in "/webhooks/notes".')
  }
  if (!Number.isInteger(maxBodyBytes) || maxBodyBytes < 1) {
    throw new OptionError('maxBodyBytes', 'maxBodyBytes must be a whole number from 1. Leave it out for 262144.')
  }
  // Shorter than the retries of one delivery, and the last of them would be applied a second time.
  if (typeof dedupWindowMs !== 'number' || !(dedupWindowMs >= Math.ceil(RETRY_SPAN_MS / HOUR_MS) * HOUR_MS)) {
    throw new OptionError(
      'dedupWindowMs',
      'dedupWindowMs is under 27 h (97200000 ms), but the service repeats one event for up to 26 h 36 min 40 s. ' +
        'Give at least 97200000, or leave it out for 72 h.',
    )
  }
}

/** Refuses handlers of unknown kinds, which would never run, and handlers that cannot be called. */
export function refuseHandlersThatAreNoFunctions({
  on,
  onUnknown,
}: {
  readonly on: EventHandlers<never>
  readonly onUnknown: EventHandler<UnknownEvent, never> | undefined
}): void {
  refuseWhatIsNoObject('on', on, "{ 'note.ended': async (event) => … }")
  const kinds: readonly string[] = [...NOTE_EVENT_KINDS, ...ENDPOINT_EVENT_KINDS]
  for (const [kind, handler] of Object.entries(on)) {
    if (!kinds.includes(kind)) {
      throw new OptionError('on', `on has no event "${kind}". It takes: ${kinds.join(', ')}; others go to onUnknown.`)
    }
    refuseWhatIsNoFunction(kind, handler)
  }
  refuseWhatIsNoFunction('onUnknown', onUnknown)
}

/** Refuses what options cannot be read from: nothing at all, or a function where its result was meant. */
export function refuseWhatIsNoObject(option: string, value: unknown, example: string): void {
  if (typeof value === 'object' && value !== null) return
  throw new OptionError(option, `${option} must be an object, such as ${example}.`)
}

/** Refuses what could not be called when its time comes. */
export function refuseWhatIsNoFunction(option: string, value: unknown): void {
  if (value === undefined || typeof value === 'function') return
  throw new OptionError(option, `"${option}" is no function but ${typeof value}. Give a function or nothing.`)
}

/** Refuses what is not the object that it should be, such as the promise of a store or a function that makes one. */
export function refuseWithoutMethods<Thing extends object>(
  option: string,
  thing: Thing,
  methods: readonly (keyof Thing & string)[],
): void {
  const missing = methods.find((method) => typeof thing[method] !== 'function')
  if (missing === undefined) return
  throw new OptionError(
    option,
    `${option} has no method "${missing}". Give an object with ${methods.join(', ')}, or leave it out.`,
  )
}
