import {
  type Clock,
  OptionError,
  refuseUnknownOptions,
  refuseWithoutMethods,
  SIGNATURE_TOLERANCE_SECONDS,
  systemClock,
} from '@notewire/protocol'
import { HOOKS } from '../observing/receiver-hooks.ts'
import type { SecretSource } from '../secrets/secret-source.ts'
import { memoryStore } from '../stores/memory-store.ts'
import {
  assertBoolean,
  assertHandlers,
  assertObject,
  assertOptionalFunction,
  assertValidIdentity,
  assertValidOptions,
  HANDLER_TIMEOUT_MS,
  TRANSACTION_TIMEOUT_MS,
} from './option-checks.ts'
import type {
  AnyOptions,
  LeaseOptions,
  ManyIntegrations,
  OneIntegration,
  ProcessingOption,
  TransactionOptions,
} from './receiver-options.ts'

const PROCESSING_OPTIONS: readonly ProcessingOption[] = [
  'on',
  'onUnknown',
  'prepare',
  'store',
  'queue',
  'revisionGate',
  'dedupWindowMs',
  'handlerTimeoutMs',
]

const SHARED_OPTIONS: readonly (keyof AnyOptions<never>)[] = [
  ...PROCESSING_OPTIONS,
  'sink',
  'toleranceSeconds',
  'maxBodyBytes',
  'waitUntil',
  'hooks',
  'logger',
  'logErrorMessages',
  'clock',
]

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
  refuseUnknownOptions('createReceiver', options, ['secret', ...SHARED_OPTIONS, 'integration', 'path'], ALIASES)
  refuseParameter(options.secret)
  const { secret, integration = 'default', path } = options
  assertValidIdentity(integration, path)
  return { ...resolveOptions(options), secret, integration, path }
}

/**
 * Fills in the defaults and checks the options of `createReceivers`.
 *
 * @throws OptionError naming the option and the fix
 */
export function resolveReceiversOptions<Transaction>(options: AnyOptions<Transaction> & ManyIntegrations) {
  refuseUnknownOptions('createReceivers', options, ['secretOf', ...SHARED_OPTIONS], ALIASES)
  if (typeof options.secretOf !== 'function') {
    throw new OptionError(
      'secretOf',
      'secretOf is not a function. Pass a function that returns the signing secret of an integration: (integration) => ….',
    )
  }
  return { ...resolveOptions(options), secretOf: options.secretOf }
}

function refuseParameter(secret: SecretSource): void {
  if (typeof secret !== 'function' || secret.length === 0) return
  throw new OptionError(
    'secret',
    'secret is a function with a parameter, but createReceiver calls it without arguments. For many integrations use ' +
      'createReceivers({ secretOf: (integration) => … }); for one, remove the parameter.',
  )
}

/** The settings that both kinds of receivers share. */
export type SharedSettings<Transaction> = ReturnType<typeof resolveOptions<Transaction>>

function resolveOptions<Transaction>(options: AnyOptions<Transaction>) {
  assertOptionalFunction('sink', options.sink)
  refuseSinkWithHandlers(options)
  const clock = options.clock ?? systemClock
  refuseWithoutMethods('clock', clock, ['now', 'sleep'])
  const handling = handlingIn(options, clock)
  const resolved = {
    sink: options.sink,
    handling,
    queue: options.queue,
    revisionGate: options.revisionGate ?? 'deletions-at-equal',
    toleranceSeconds: options.toleranceSeconds ?? SIGNATURE_TOLERANCE_SECONDS,
    maxBodyBytes: options.maxBodyBytes ?? 262_144,
    dedupWindowMs: options.dedupWindowMs ?? 259_200_000,
    handlerTimeoutMs:
      options.handlerTimeoutMs ?? (handling.mode === 'leases' ? HANDLER_TIMEOUT_MS : TRANSACTION_TIMEOUT_MS),
    waitUntil: options.waitUntil,
    hooks: options.hooks ?? {},
    logger: options.logger ?? console,
    logErrorMessages: options.logErrorMessages ?? false,
    clock,
  }
  assertStore(handling)
  assertOptionalFunction('queue', resolved.queue)
  refuseWithoutMethods('logger', resolved.logger, ['info', 'warn', 'error'])
  assertOptionalFunction('waitUntil', resolved.waitUntil)
  assertObject('hooks', resolved.hooks, '{ onOutcome: (outcome) => … }')
  refuseUnknownOptions('hooks', resolved.hooks, HOOKS)
  for (const hook of HOOKS) assertOptionalFunction(hook, resolved.hooks[hook])
  assertBoolean('logErrorMessages', resolved.logErrorMessages)
  assertHandlers(handling)
  assertValidOptions(resolved)
  return resolved
}

/** The handlers with their store: with leases, or with transactions. */
function handlingIn<Transaction>(options: AnyOptions<Transaction>, clock: Clock) {
  if (options.sink !== undefined) {
    return { mode: 'leases', store: memoryStore({ clock }), on: {}, onUnknown: undefined, prepare: undefined } as const
  }
  const { prepare } = options
  if (isOfTransactions(options)) {
    const { on, onUnknown, store } = options
    return { mode: 'transactions', store, on, onUnknown, prepare } as const
  }
  const { on, onUnknown, store = memoryStore({ clock }) } = options
  return { mode: 'leases', store, on, onUnknown, prepare } as const
}

function isOfTransactions<Transaction>(
  options: LeaseOptions<Transaction> | TransactionOptions<Transaction>,
): options is TransactionOptions<Transaction> {
  return typeof options.store === 'object' && options.store !== null && 'transact' in options.store
}

function assertStore<Transaction>({ mode, store }: ReturnType<typeof handlingIn<Transaction>>): void {
  if (mode === 'leases')
    refuseWithoutMethods('store', store, ['claim', 'renew', 'commit', 'release', 'forget', 'prune'])
  else refuseWithoutMethods('store', store, ['look', 'transact', 'forget', 'prune'])
}

function refuseSinkWithHandlers<Transaction>(options: AnyOptions<Transaction>): void {
  if (options.sink === undefined) return
  for (const option of PROCESSING_OPTIONS) {
    if (options[option] === undefined) continue
    throw new OptionError(
      option,
      `${option} has no effect with the option sink: the receiver gives every event to the sink, and calls no handler. Remove ${option} or sink.`,
    )
  }
}
