import type { Logger, UnknownEvent } from '@notewire/protocol'
import type { GateMode } from '../interfaces/revision-gate.ts'
import type { ReceiverStore } from '../interfaces/store.ts'
import type { TransactionStore } from '../interfaces/transaction-store.ts'
import type { ReceiverHooks } from '../observing/receiver-hooks.ts'
import type {
  EventHandler,
  EventHandlers,
  HandlerContext,
  Prepare,
  TransactionContext,
} from '../processing/handlers.ts'
import type { EventQueue, EventSink } from '../processing/sink.ts'
import type { SecretLookup, SecretSource } from '../secrets/secret-source.ts'
import type { TimestampOptions } from '../verifier/verifier.ts'

/** The options of every receiver. */
interface DeliveryOptions extends TimestampOptions {
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
}

/** The options of a receiver of one integration. */
export interface OneIntegration {
  /** The endpoint's signing secret, a list of secrets during a rotation, or a function that the receiver calls at each delivery. */
  readonly secret: SecretSource
  /**
   * The id of the integration (one API key) to which this endpoint belongs. Receivers may share a store if their ids differ. 1 to 128 of
   * the characters `A-Z a-z 0-9 . _ ~ -`, and not `.` or `..`.
   *
   * @default 'default'
   */
  readonly integration?: string | undefined
  /**
   * The only path that the receiver answers: the whole path that the service requests, including a router's prefix. Other paths get 404
   * (contract §7). Omit it if the framework routes.
   */
  readonly path?: string | undefined
}

/** The options of a receiver of many integrations. */
export interface ManyIntegrations {
  /** Finds the signing secret of an integration. The receiver keeps what it returns for 60 s: see {@link SecretLookup}. */
  readonly secretOf: SecretLookup
}

/** The options of a receiver that passes each event to a sink, without handlers, deduplication, revision gate and store. */
interface SinkOptions extends DeliveryOptions, Excluded {
  /**
   * Called with each verified event about a note. The receiver answers 204 when it resolves, and 503 when it rejects or does not resolve
   * within 8 s. Events about the endpoint itself are answered 204 without a call.
   */
  readonly sink: EventSink
}

/** The options of a receiver that calls handlers with this context. */
interface HandlerOptions<Context, Prepared> extends DeliveryOptions {
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
   * Puts verified events into a queue, for handlers that take long: `(event, { integration }) => queue.add(event.event_type, { integration,
   * event })`. The receiver answers 204 once it resolves, and 503 if it rejects. Workers call `process` of a receiver with the same handlers,
   * and with a store that all of them share. Events about the endpoint itself are processed here.
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
   * released with the outcome `handler-timeout`, and the event can be processed again. The handler may still be running: its effects are not
   * prevented. With a store that opens the transaction, it is the limit of `prepare` and the transaction together, which is then rolled back.
   *
   * @default 900_000 (15 min); 60_000 with a store that opens the transaction
   */
  readonly handlerTimeoutMs?: number | undefined
  readonly sink?: undefined
}

/** A store of a receiver: with leases, or with transactions. */
// The transactions of stores differ, so this is the constraint of a type parameter only.
export type AnyStore = ReceiverStore | TransactionStore<never>

/** What handlers get with a store. */
type ContextOf<Store, Prepared> =
  Store extends TransactionStore<infer Transaction>
    ? TransactionContext<Transaction, Prepared>
    : HandlerContext<Prepared>

/** The options of a receiver with handlers: its store decides what they get. */
export interface HandlingOptions<Store, Prepared = unknown>
  extends HandlerOptions<ContextOf<Store, Prepared>, Prepared> {
  /**
   * Remembers processed events and applied revisions. The default is in memory: it is lost with the process and is not shared between
   * instances. With `postgresTransactions`, `sqliteTransactions` or `durableObjectTransactions`, each event is processed in one transaction.
   *
   * @default memoryStore()
   */
  readonly store?: Store | undefined
}

/** The options of `createReceiver` with handlers. The type of the store decides what they get. */
export interface ReceiverOptions<Store = ReceiverStore, Prepared = unknown>
  extends HandlingOptions<Store, Prepared>,
    OneIntegration {}

/** The options of `createReceivers` with handlers. The type of the store decides what they get. */
export interface ReceiversOptions<Store = ReceiverStore, Prepared = unknown>
  extends HandlingOptions<Store, Prepared>,
    ManyIntegrations {}

/** The options of `createReceiver` with a sink. */
export interface EventSinkOptions extends SinkOptions, OneIntegration {}

/** The options of `createReceivers` with a sink. */
export interface EventSinkOptionsOfMany extends SinkOptions, ManyIntegrations {}

/** The options of a receiver with handlers that processes each event in one transaction. */
export interface TransactionOptions<Transaction> extends HandlerOptions<TransactionContext<Transaction>, unknown> {
  readonly store: TransactionStore<Transaction>
}

/** The options of either kind of receiver, without its secret. */
export type AnyOptions<Transaction> = HandlingOptions<ReceiverStore> | TransactionOptions<Transaction> | SinkOptions

/** An option that has no effect with a sink. */
export type ProcessingOption = Exclude<keyof HandlingOptions<ReceiverStore>, keyof DeliveryOptions | 'sink'>
type Excluded = { readonly [Option in ProcessingOption]?: undefined }
