import {
  type Clock,
  ENDPOINT_EVENT_KINDS,
  isIntegrationId,
  NOTE_EVENT_KINDS,
  OptionError,
  RETRY_SPAN_MS,
  refuseUnknownOptions,
  refuseWithoutMethods,
  SIGNATURE_TOLERANCE_SECONDS,
  systemClock,
} from '@notewire/protocol'
import type { GateMode } from '../interfaces/revision-gate.ts'
import type { ReceiverStore } from '../interfaces/store.ts'
import { HOOKS } from '../observing/receiver-hooks.ts'
import { memoryStore } from '../stores/memory-store.ts'
import { refuseTolerance } from '../verifier/header-check.ts'
import { withNoteHandlerParts } from './note-handler-parts.ts'
import type {
  AnyOptions,
  HandlingOptions,
  ManyIntegrations,
  OneIntegration,
  ProcessingOption,
  TransactionOptions,
} from './receiver-options.ts'

const PROCESSING_OPTIONS: Readonly<Record<ProcessingOption, true>> = {
  on: true,
  onUnknown: true,
  prepare: true,
  store: true,
  queue: true,
  revisionGate: true,
  dedupWindowMs: true,
  handlerTimeoutMs: true,
}

const SHARED_OPTIONS: Readonly<Record<keyof AnyOptions<never>, true>> = {
  ...PROCESSING_OPTIONS,
  sink: true,
  toleranceSeconds: true,
  maxBodyBytes: true,
  waitUntil: true,
  hooks: true,
  logger: true,
  logErrorMessages: true,
  clock: true,
}

/** The names of these options in other libraries. */
const ALIASES: ReadonlyMap<string, string> = new Map([
  ['handlers', 'on'],
  ['handler', 'on'],
  ['events', 'on'],
  ['onEvent', 'on'],
  ['database', 'store'],
  ['bodyLimit', 'maxBodyBytes'],
])

/**
 * Fills in the defaults and checks the options of `createReceiver`.
 *
 * @throws OptionError naming the option and the fix
 */
export function resolveReceiverOptions<Transaction>(options: AnyOptions<Transaction> & OneIntegration) {
  refuseUnknownOptions(
    'createReceiver',
    options,
    { secret: true, ...SHARED_OPTIONS, integration: true, path: true },
    ALIASES,
  )
  const { secret, integration = 'default', path } = options
  if (typeof secret === 'function' && secret.length > 0) {
    throw new OptionError(
      'secret',
      'secret is a function with a parameter, but createReceiver calls it without arguments. For many integrations use ' +
        'createReceivers({ secretOf: (integration) => … }); for one, remove the parameter.',
    )
  }
  refuseWrongValues({ integration, path })
  return { ...resolveOptions(options), secret, integration, path }
}

/**
 * Fills in the defaults and checks the options of `createReceivers`.
 *
 * @throws OptionError naming the option and the fix
 */
export function resolveReceiversOptions<Transaction>(options: AnyOptions<Transaction> & ManyIntegrations) {
  refuseUnknownOptions('createReceivers', options, { secretOf: true, ...SHARED_OPTIONS }, ALIASES)
  const { secretOf } = options
  refuseWrongValues({ secretOf })
  return { ...resolveOptions(options), secretOf }
}

export type SharedSettings<Transaction> = ReturnType<typeof resolveOptions<Transaction>>

function resolveOptions<Transaction>(options: AnyOptions<Transaction>) {
  refuseNoFunction('sink', options.sink)
  refuseSinkWithHandlers(options)
  const { sink, queue, waitUntil, clock = systemClock, logger = console, hooks = {} } = options
  refuseWithoutMethods('clock', clock, ['now', 'sleep'])
  refuseWithoutMethods('logger', logger, ['info', 'warn', 'error'])
  const handling = handlingIn(options, clock)
  const { on: given, onUnknown, prepare } = handling
  const { revisionGate = 'deletions-at-equal', logErrorMessages = false } = options
  const { toleranceSeconds = SIGNATURE_TOLERANCE_SECONDS, maxBodyBytes = DEFAULTS.maxBodyBytes } = options
  const { dedupWindowMs = DEFAULTS.dedupWindowMs } = options
  // A transaction whose connection is interrupted holds a connection until then.
  const { handlerTimeoutMs = handling.mode === 'transactions' ? 60_000 : DEFAULTS.handlerTimeoutMs } = options
  const limits = { revisionGate, dedupWindowMs, handlerTimeoutMs, maxBodyBytes, logErrorMessages }
  refuseWrongValues({ on: given, hooks, ...limits })
  refuseTolerance(toleranceSeconds)
  refuseUnknownOptions('hooks', hooks, HOOKS)
  refuseUnknownKinds(given)
  for (const [option, value] of Object.entries({ ...given, ...hooks, onUnknown, prepare, queue, waitUntil })) {
    refuseNoFunction(option, value)
  }
  const on = withNoteHandlerParts(given, prepare, revisionGate)
  return {
    sink,
    handling: { ...handling, on } as typeof handling,
    queue,
    toleranceSeconds,
    waitUntil,
    hooks,
    logger,
    clock,
    ...limits,
  }
}

/** @throws OptionError for a store of a mirror */
function refuseMirrorStore(store: object | null | undefined): void {
  if (typeof store !== 'object' || store === null || !('listNotes' in store)) return
  throw new OptionError(
    'store',
    "store is the store of a mirror. Pass the store of a receiver, such as sqliteStore('events.db'), or let the mirror make its receiver: mirror.receiver({ secret }).",
  )
}

/** The handlers with their store: with leases, or with transactions. */
function handlingIn<Transaction>(options: AnyOptions<Transaction>, clock: Clock) {
  if (options.sink !== undefined) {
    return { mode: 'leases', store: memoryStore({ clock }), on: {}, onUnknown: undefined, prepare: undefined } as const
  }
  const { prepare } = options
  refuseMirrorStore(options.store)
  if (isOfTransactions(options)) {
    const { on, onUnknown, store } = options
    refuseWithoutMethods('store', store, ['look', 'transact', 'forget', 'prune'])
    return { mode: 'transactions', store, on, onUnknown, prepare } as const
  }
  const { on, onUnknown, store = memoryStore({ clock }) } = options
  refuseWithoutMethods('store', store, ['claim', 'renew', 'commit', 'release', 'forget', 'prune'])
  return { mode: 'leases', store, on, onUnknown, prepare } as const
}

function isOfTransactions<Transaction>(
  options: HandlingOptions<ReceiverStore> | TransactionOptions<Transaction>,
): options is TransactionOptions<Transaction> {
  return typeof options.store === 'object' && options.store !== null && 'transact' in options.store
}

function refuseSinkWithHandlers<Transaction>(options: AnyOptions<Transaction>): void {
  if (options.sink === undefined) return
  for (const option of Object.keys(PROCESSING_OPTIONS) as ProcessingOption[]) {
    if (options[option] === undefined) continue
    throw new OptionError(
      option,
      `${option} has no effect with the option sink: the receiver gives every event to the sink, and calls no handler. Remove ${option} or sink.`,
    )
  }
}

// A handler of an unknown kind would never run.
function refuseUnknownKinds(on: object): void {
  const kinds: readonly string[] = [...NOTE_EVENT_KINDS, ...ENDPOINT_EVENT_KINDS]
  if ('on' in on && ('prepare' in on || 'revisionGate' in on)) {
    throw new OptionError(
      'on',
      'on is the whole object that noteHandlers returned. Spread it into the options: createReceiver({ secret, ...noteHandlers(client, { … }) }).',
    )
  }
  const unknown = Object.keys(on).find((kind) => !kinds.includes(kind))
  if (unknown === undefined) return
  throw new OptionError(
    'on',
    `on has no event "${unknown}". It takes: ${kinds.join(', ')}. Handle other events in onUnknown.`,
  )
}

function refuseNoFunction(option: string, value: unknown): void {
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

const isObject = (value: unknown) => typeof value === 'object' && value !== null

const isWithin = (least: number, most: number) => (value: unknown) =>
  typeof value === 'number' && value >= least && value <= most

/** The defaults that errors name. */
const DEFAULTS = { maxBodyBytes: 262_144, dedupWindowMs: 259_200_000, handlerTimeoutMs: 900_000 } as const

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
    (path: unknown) => path === undefined || (typeof path === 'string' && /^\/[^?#]*$/.test(path)),
    'must start with "/" and have no query, such as "/webhooks/notes".',
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

/** Throws an OptionError for the first value that cannot work. */
export function refuseWrongValues(values: { readonly [Option in keyof typeof RULES]?: unknown }): void {
  for (const option of Object.keys(values) as (keyof typeof RULES)[]) {
    const [works, rule] = RULES[option]
    if (!works(values[option])) throw new OptionError(option, `${option} ${rule}`)
  }
}
