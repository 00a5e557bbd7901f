import {
  type Clock,
  OptionError,
  refuseUnknownOptions,
  refuseWithoutMethods,
  SIGNATURE_TOLERANCE_SECONDS,
  systemClock,
  type UnknownEvent,
} from '@notewire/protocol'
import type { Logger } from '../interfaces/logger.ts'
import type { EventQueue } from '../interfaces/queue.ts'
import type { GateMode } from '../interfaces/revision-gate.ts'
import type { ReceiverStore } from '../interfaces/store.ts'
import type { TransactionStore } from '../interfaces/transaction-store.ts'
import { HOOKS, type ReceiverHooks } from '../observing/receiver-hooks.ts'
import type {
  EventHandler,
  EventHandlers,
  HandlerContext,
  Prepare,
  TransactionContext,
} from '../processing/handlers.ts'
import type { EventSink } from '../processing/sink.ts'
import { isLookup, type SecretLookup, type SecretSource } from '../secrets/secret-source.ts'
import { memoryStore } from '../stores/memory-store.ts'
import {
  assertBoolean,
  assertHandlers,
  assertObject,
  assertOptionalFunction,
  assertValidOptions,
  DEFAULT_HANDLER_TIMEOUT_MS,
  LONGEST_HANDLER_TIMEOUT_MS,
  TRANSACTION_TIMEOUT_MS,
} from './option-checks.ts'

/** The options of every receiver, with handlers or a sink. */
interface DeliveryOptions<Secret> {
  /**
   * The endpoint's signing secret, a list of secrets during a rotation, or a function that the receiver calls at each delivery.
   *
   * A function that takes a parameter, `(integration) => …`, makes a receiver of many integrations: see {@link SecretLookup}. The receiver
   * caches what it returns for 60 s. The receiver checks the `length` of the function: a wrapper such as `(...args) => …` has the length
   * 0, and makes a receiver of one integration.
   */
  readonly secret: Secret
  /**
   * The id of the integration (one API key) to which this endpoint belongs. Receivers may share a store if their ids differ. 1 to 128 of
   * the characters `A-Z a-z 0-9 . _ ~ -`, and not `.` or `..`. A receiver of many integrations takes it from each request.
   *
   * @default 'default'
   */
  readonly integration?: string | undefined
  /**
   * The only path that the receiver answers: the whole path that the service requests, including a router's prefix. Other paths get 404
   * (contract §7). Omit it if the framework routes. A receiver of many integrations cannot have it.
   */
  readonly path?: string | undefined
  /**
   * How far an attempt's timestamp may be from now, in seconds (contract §5).
   *
   * @default 300
   */
  readonly toleranceSeconds?: number | undefined
  /**
   * The largest body that is read, in bytes; a larger one gets 413 (open point 25).
   *
   * @default 262_144
   */
  readonly maxBodyBytes?: number | undefined
  /**
   * Keeps a serverless instance alive for a handler or sink that still runs when the receiver answers: `waitUntil` of
   * `cloudflare:workers` or `@vercel/functions`, `after` of `next/server`.
   */
  readonly waitUntil?: ((work: Promise<unknown>) => void) | undefined
  readonly hooks?: ReceiverHooks | undefined
  /** @default console */
  readonly logger?: Logger | undefined
  /**
   * Adds the messages of errors that handlers, sinks, hooks, stores and queues throw to the log. **Only for development:** a message may
   * contain note content, a row of a database or a key. The receiver logs a warning when it is created with `true`.
   *
   * @default false: the log shows the class of an error, its code, and where it was thrown
   */
  readonly logErrorMessages?: boolean | undefined
  /** @default systemClock */
  readonly clock?: Clock | undefined
}

/** The options of a receiver that passes each event to a sink, without handlers, deduplication, revision gate and store. */
export interface EventSinkOptions<Secret = SecretSource> extends DeliveryOptions<Secret>, Excluded {
  /**
   * Called with each verified event about a note. The receiver answers 204 when it resolves, and 503 when it rejects or does not resolve
   * within 8 s. Events about the endpoint itself are answered 204 without a call.
   */
  readonly sink: EventSink
}

/** The options of a receiver that calls handlers with this context. */
interface HandlerOptions<Context, Prepared, Secret> extends DeliveryOptions<Secret> {
  /**
   * Runs before the handler of an event, and not for duplicates and stale events: for what takes long, such as a request. Its result is
   * `context.prepared`. If it throws, the event fails as if the handler had thrown. If the database asks to try again, it may run again. Write
   * it before `on`, so that TypeScript knows the type of its result.
   */
  readonly prepare?: Prepare<Prepared> | undefined
  /** Handlers by event kind. An event without a handler is acknowledged and does not raise the revision of its note. */
  readonly on: EventHandlers<Context>
  /** Handles the kinds that this version does not know (open point 26). Without it they are acknowledged. */
  readonly onUnknown?: EventHandler<UnknownEvent, Context> | undefined
  /**
   * Takes verified events for workers to process, for handlers that take long. The receiver answers 204 once the queue has stored the
   * event, and 503 if the queue does not confirm. Events about the endpoint itself are still processed here. The store must be one that all
   * workers share.
   *
   * @default none: events are processed before they are answered
   */
  readonly queue?: EventQueue | undefined
  /** @default 'deletions-at-equal' */
  readonly revisionGate?: GateMode | undefined
  /**
   * How long a processed event is remembered, in milliseconds: at least 27 h, because the service's retries span
   * 26 h 36 min 40 s.
   *
   * @default 259_200_000 (72 h)
   */
  readonly dedupWindowMs?: number | undefined
  /**
   * How long a handler may take, in milliseconds: at most 86_100_000 (23 h 55 min). After that, `context.signal` is aborted, the claim is
   * released with the outcome `handler-timeout`, and the event can be processed again. The handler may still be running: only a
   * transaction that calls `context.commit` is then rejected; its other effects are not prevented.
   *
   * With a store that opens the transaction, it is the limit of `prepare` and the transaction together, which is then rolled back.
   *
   * @default 900_000 (15 min) for deliveries; 86_100_000 for `process`, which queue workers call; 60_000 with a store that opens the
   * transaction
   */
  readonly handlerTimeoutMs?: number | undefined
  readonly sink?: undefined
}

/** The options of a receiver that calls a handler for each event. */
export interface ReceiverOptions<Transaction = never, Secret = SecretSource, Prepared = unknown>
  extends HandlerOptions<HandlerContext<Transaction, Prepared>, Prepared, Secret> {
  /**
   * Remembers processed events and applied revisions. The default is in memory: it is lost with the process and is not shared between
   * instances.
   *
   * @default memoryStore()
   */
  readonly store?: ReceiverStore<Transaction> | undefined
}

/** The options of a receiver that processes each event in one transaction, exactly once. */
export interface TransactionReceiverOptions<Transaction, Secret = SecretSource, Prepared = unknown>
  extends HandlerOptions<TransactionContext<Transaction, Prepared>, Prepared, Secret> {
  /** Opens the transactions: `postgresTransactions`, `sqliteTransactions` or `durableObjectTransactions`. */
  readonly store: TransactionStore<Transaction>
}

/** A store of a receiver: with leases, or with transactions. */
// The transactions of both kinds differ, so this is the constraint of a type parameter only.
export type AnyStore = ReceiverStore<never> | TransactionStore<never>

/** What handlers get with a store. */
type ContextOf<Store, Prepared> =
  Store extends TransactionStore<infer Transaction>
    ? TransactionContext<Transaction, Prepared>
    : Store extends ReceiverStore<infer Transaction>
      ? HandlerContext<Transaction, Prepared>
      : never

/** The options of a receiver with handlers: its store decides what they get. */
export interface OptionsWithStore<Store, Secret, Prepared>
  extends HandlerOptions<ContextOf<Store, Prepared>, Prepared, Secret> {
  /**
   * Remembers processed events and applied revisions. The default is in memory: it is lost with the process and is not shared between
   * instances. With `postgresTransactions`, `sqliteTransactions` or `durableObjectTransactions`, each event is processed in one transaction.
   *
   * @default memoryStore()
   */
  readonly store?: Store | undefined
}

/** The options of `createReceiver`. */
export type AnyReceiverOptions<Transaction> =
  | ReceiverOptions<Transaction, SecretSource | SecretLookup>
  | TransactionReceiverOptions<Transaction, SecretSource | SecretLookup>
  | EventSinkOptions<SecretSource | SecretLookup>

type ProcessingOption = Exclude<keyof ReceiverOptions, keyof DeliveryOptions<never> | 'sink'>
type Excluded = { readonly [Option in ProcessingOption]?: undefined }

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

const OPTIONS: readonly (keyof ReceiverOptions)[] = [
  'secret',
  ...PROCESSING_OPTIONS,
  'sink',
  'integration',
  'path',
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
 * Fills in the defaults and checks the options.
 *
 * @throws OptionError naming the option and the fix
 */
export function resolveReceiverOptions<Transaction>(options: AnyReceiverOptions<Transaction>) {
  refuseUnknownOptions('createReceiver', options, OPTIONS, ALIASES)
  assertOptionalFunction('sink', options.sink)
  refuseSinkWithHandlers(options)
  refuseOptionsOfOne(options)
  const clock = options.clock ?? systemClock
  refuseWithoutMethods('clock', clock, ['now', 'sleep'])
  const resolved = {
    secret: options.secret,
    sink: options.sink,
    handling: handlingIn(options, clock),
    queue: options.queue,
    integration: options.integration ?? 'default',
    path: options.path,
    revisionGate: options.revisionGate ?? 'deletions-at-equal',
    toleranceSeconds: options.toleranceSeconds ?? SIGNATURE_TOLERANCE_SECONDS,
    maxBodyBytes: options.maxBodyBytes ?? 262_144,
    dedupWindowMs: options.dedupWindowMs ?? 259_200_000,
    ...handlerTimeouts(options),
    waitUntil: options.waitUntil,
    hooks: options.hooks ?? {},
    logger: options.logger ?? console,
    logErrorMessages: options.logErrorMessages ?? false,
    clock,
  }
  assertStore(resolved.handling)
  if (resolved.queue !== undefined) refuseWithoutMethods('queue', resolved.queue, ['enqueue'])
  refuseWithoutMethods('logger', resolved.logger, ['info', 'warn', 'error'])
  assertOptionalFunction('waitUntil', resolved.waitUntil)
  assertObject('hooks', resolved.hooks, '{ onOutcome: (outcome) => … }')
  refuseUnknownOptions('hooks', resolved.hooks, HOOKS)
  for (const hook of HOOKS) assertOptionalFunction(hook, resolved.hooks[hook])
  assertBoolean('logErrorMessages', resolved.logErrorMessages)
  assertHandlers(resolved.handling)
  assertValidOptions(resolved)
  return resolved
}

/** The handlers with their store: with leases, or with transactions. */
function handlingIn<Transaction>(options: AnyReceiverOptions<Transaction>, clock: Clock) {
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

function isOfTransactions<Transaction, Secret>(
  options: ReceiverOptions<Transaction, Secret> | TransactionReceiverOptions<Transaction, Secret>,
): options is TransactionReceiverOptions<Transaction, Secret> {
  return typeof options.store === 'object' && options.store !== null && 'transact' in options.store
}

function assertStore<Transaction>({ mode, store }: ReturnType<typeof handlingIn<Transaction>>): void {
  if (mode === 'leases')
    refuseWithoutMethods('store', store, ['claim', 'renew', 'commit', 'release', 'forget', 'prune'])
  else refuseWithoutMethods('store', store, ['look', 'transact', 'forget', 'prune'])
}

function refuseSinkWithHandlers<Transaction>(options: AnyReceiverOptions<Transaction>): void {
  if (options.sink === undefined) return
  for (const option of PROCESSING_OPTIONS) {
    if (options[option] === undefined) continue
    throw new OptionError(
      option,
      `${option} has no effect with the option sink: the receiver gives every event to the sink, and calls no handler. Remove ${option} or sink.`,
    )
  }
}

/** Throws an OptionError for options that a receiver of many integrations cannot have, because they differ for each integration. */
function refuseOptionsOfOne<Transaction>({ secret, integration, path }: AnyReceiverOptions<Transaction>): void {
  if (!isLookup(secret)) return
  if (integration !== undefined) {
    throw new OptionError(
      'integration',
      'integration has no effect with a secret function that takes a parameter: the receiver takes the integration from each request. ' +
        'Remove the option integration, or the parameter of the function.',
    )
  }
  if (path !== undefined) {
    throw new OptionError(
      'path',
      'path cannot be used with a secret function that takes a parameter: each integration has a path of its own. Remove the ' +
        'option path, and mount the receiver on a route with the parameter ":integration".',
    )
  }
}

function handlerTimeouts<Transaction>(options: AnyReceiverOptions<Transaction>) {
  const chosen = options.handlerTimeoutMs
  if (chosen === undefined && options.sink === undefined && isOfTransactions(options)) {
    return { handlerTimeoutMs: TRANSACTION_TIMEOUT_MS, queuedHandlerTimeoutMs: TRANSACTION_TIMEOUT_MS }
  }
  return {
    handlerTimeoutMs: chosen ?? DEFAULT_HANDLER_TIMEOUT_MS,
    queuedHandlerTimeoutMs: chosen ?? LONGEST_HANDLER_TIMEOUT_MS,
  }
}
