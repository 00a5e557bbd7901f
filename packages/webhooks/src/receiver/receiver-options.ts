import {
  type Clock,
  refuseUnknownOptions,
  SIGNATURE_TOLERANCE_SECONDS,
  systemClock,
  type UnknownEvent,
} from '@notewire/protocol'
import type { EventQueue } from '../queues/queue.ts'
import { memoryStore } from '../stores/memory-store.ts'
import type { ReceiverStore } from '../stores/store.ts'
import type { EventHandler, EventHandlers } from './handlers.ts'
import type { Logger } from './logger.ts'
import {
  refuseHandlersThatAreNoFunctions,
  refuseValuesThatCannotWork,
  refuseWhatIsNoFunction,
  refuseWhatIsNoObject,
  refuseWithoutMethods,
} from './option-checks.ts'
import { HOOKS, type ReceiverHooks } from './receiver-hooks.ts'
import type { GateMode } from './revision-gate.ts'
import type { SecretSource } from './secret-source.ts'

/** What `createReceiver` takes. */
export interface ReceiverOptions<Transaction = never> {
  /** The endpoint's signing secret, a list of them during a rotation, or a function that is asked at each delivery. */
  readonly secret: SecretSource
  /** Handlers by event kind. An event without one is acknowledged, and raises no revision. */
  readonly on: EventHandlers<Transaction>
  /** Handles the kinds that this version does not know (open point 26). Without it they are acknowledged. */
  readonly onUnknown?: EventHandler<UnknownEvent, Transaction> | undefined
  /**
   * Where processed events and revisions are remembered. The default forgets them with the process and is not shared
   * between instances.
   *
   * @default memoryStore()
   */
  readonly store?: ReceiverStore<Transaction> | undefined
  /**
   * Takes verified events for workers to process, so that a handler may take its time: a delivery is answered 204 once the
   * queue holds its event, and 503 when the queue does not confirm. Events about the endpoint itself are still processed here.
   * The store must be one that all workers share.
   *
   * @default none: events are processed before they are answered
   */
  readonly queue?: EventQueue | undefined
  /**
   * The integration, hence the API key, that this endpoint belongs to. Receivers of several integrations may share a
   * store if each has a scope of its own.
   *
   * @default 'default'
   */
  readonly scope?: string | undefined
  /**
   * The one path that is answered, as the service requests it, mount points included; any other gets 404 (contract §7).
   * Leave it out where the framework routes.
   */
  readonly path?: string | undefined
  /** @default 'deletions-at-equal' */
  readonly revisionGate?: GateMode | undefined
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
   * How long a processed event is remembered, in milliseconds: at least 27 h, because the service's retries span
   * 26 h 36 min 40 s.
   *
   * @default 259_200_000 (72 h)
   */
  readonly dedupWindowMs?: number | undefined
  /**
   * Keeps a serverless instance alive for a handler that is still at work when the answer leaves: `waitUntil` of
   * `cloudflare:workers` or `@vercel/functions`, `after` of `next/server`.
   */
  readonly waitUntil?: ((work: Promise<unknown>) => void) | undefined
  readonly hooks?: ReceiverHooks | undefined
  /** @default console */
  readonly logger?: Logger | undefined
  /** @default systemClock */
  readonly clock?: Clock | undefined
}

const OPTIONS: readonly (keyof ReceiverOptions)[] = [
  'secret',
  'on',
  'onUnknown',
  'store',
  'queue',
  'scope',
  'path',
  'revisionGate',
  'toleranceSeconds',
  'maxBodyBytes',
  'dedupWindowMs',
  'waitUntil',
  'hooks',
  'logger',
  'clock',
]

/**
 * Fills the defaults in and refuses what cannot work.
 *
 * @throws OptionError naming the option and the fix
 */
export function resolveReceiverOptions<Transaction>(options: ReceiverOptions<Transaction>) {
  refuseWhatIsNoObject('options', options, "{ secret: process.env['NOTES_SIGNING_SECRET'], on: {} }")
  refuseUnknownOptions('createReceiver', options, OPTIONS)
  const clock = options.clock ?? systemClock
  refuseWithoutMethods('clock', clock, ['now', 'sleep'])
  const resolved = {
    secret: options.secret,
    on: options.on,
    onUnknown: options.onUnknown,
    store: options.store ?? memoryStore({ clock }),
    queue: options.queue,
    scope: options.scope ?? 'default',
    path: options.path,
    revisionGate: options.revisionGate ?? 'deletions-at-equal',
    toleranceSeconds: options.toleranceSeconds ?? SIGNATURE_TOLERANCE_SECONDS,
    maxBodyBytes: options.maxBodyBytes ?? 262_144,
    dedupWindowMs: options.dedupWindowMs ?? 259_200_000,
    waitUntil: options.waitUntil,
    hooks: options.hooks ?? {},
    logger: options.logger ?? console,
    clock,
  }
  refuseWithoutMethods('store', resolved.store, ['claim', 'renew', 'commit', 'release', 'forget', 'prune'])
  if (resolved.queue !== undefined) refuseWithoutMethods('queue', resolved.queue, ['enqueue'])
  refuseWithoutMethods('logger', resolved.logger, ['info', 'warn', 'error'])
  refuseWhatIsNoFunction('waitUntil', resolved.waitUntil)
  refuseWhatIsNoObject('hooks', resolved.hooks, '{ onOutcome: (outcome) => … }')
  refuseUnknownOptions('hooks', resolved.hooks, HOOKS)
  for (const hook of HOOKS) refuseWhatIsNoFunction(hook, resolved.hooks[hook])
  refuseHandlersThatAreNoFunctions(resolved)
  refuseValuesThatCannotWork(resolved)
  return resolved
}
