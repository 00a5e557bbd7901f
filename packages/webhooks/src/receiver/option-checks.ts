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
  refuseTolerance(resolved.toleranceSeconds)
  if (!GATE_MODES.includes(resolved.revisionGate)) {
    throw new OptionError('revisionGate', `revisionGate must be one of ${GATE_MODES.join(', ')}.`)
  }
  if (resolved.scope === '') throw new OptionError('scope', 'scope is empty. Name the integration, or leave it out.')
  if (resolved.path !== undefined && !resolved.path.startsWith('/')) {
    throw new OptionError('path', 'path must start with "/", as in "/webhooks/notes".')
  }
  if (!Number.isInteger(resolved.maxBodyBytes) || resolved.maxBodyBytes < 1) {
    throw new OptionError('maxBodyBytes', 'maxBodyBytes must be a whole number from 1. Leave it out for 262144.')
  }
  // Shorter than the retries of one delivery, and the last of them would be applied a second time.
  if (!(resolved.dedupWindowMs >= Math.ceil(RETRY_SPAN_MS / HOUR_MS) * HOUR_MS)) {
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
  readonly on: EventHandlers
  readonly onUnknown: EventHandler<UnknownEvent> | undefined
}): void {
  if (typeof on !== 'object' || on === null) {
    throw new OptionError('on', `on must be an object of handlers, such as { 'note.ended': async (event) => … }.`)
  }
  const kinds: readonly string[] = [...NOTE_EVENT_KINDS, ...ENDPOINT_EVENT_KINDS]
  for (const [kind, handler] of [...Object.entries(on), ['onUnknown', onUnknown] as const]) {
    if (kind !== 'onUnknown' && !kinds.includes(kind)) {
      throw new OptionError('on', `on has no event "${kind}". It takes: ${kinds.join(', ')}; others go to onUnknown.`)
    }
    if (handler !== undefined && typeof handler !== 'function') {
      throw new OptionError(
        kind,
        `the handler "${kind}" is no function but ${typeof handler}. Give a function or nothing.`,
      )
    }
  }
}
