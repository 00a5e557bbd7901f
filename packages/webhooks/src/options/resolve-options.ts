import {
  type Clock,
  ENDPOINT_EVENT_KINDS,
  NOTE_EVENT_KINDS,
  OptionError,
  refuseUnknownOptions,
  refuseWithoutMethods,
  SIGNATURE_TOLERANCE_SECONDS,
  systemClock,
} from '@notewire/protocol'
import type { ReceiverStore } from '../interfaces/store.ts'
import { HOOKS } from '../observing/receiver-hooks.ts'
import { memoryStore } from '../stores/memory-store.ts'
import { refuseTolerance } from '../verifier/header-check.ts'
import { withNoteHandlerParts } from './note-handler-parts.ts'
import { DEFAULTS, refuseNoFunction, refuseWrongValues } from './option-rules.ts'
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
