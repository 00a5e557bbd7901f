import type { WebhookEvent } from '@notewire/protocol'
import type { IncomingAttempt, RoutedAttempt } from '../delivering/attempt.ts'
import type { Answer } from '../interfaces/answer.ts'
import type { ProcessOutcome } from '../processing/outcome.ts'

/** The receiver of one endpoint. Create it once, and mount it with an adapter, or with its own `fetch`. */
export interface Receiver {
  /**
   * Answers a Web `Request`: the handler of Next route files, `Bun.serve`, `Deno.serve` and Workers. It is bound, and ignores the other
   * arguments that frameworks pass. With Hono, pass the request of the context: `(c) => receiver.fetch(c.req.raw)`. Express and `node:http`
   * have no `Request`: use `expressHandler` or `nodeHandler`.
   *
   * @throws OptionError if it is given no `Request`, such as the context of a framework
   */
  readonly fetch: (request: Request) => Promise<Response>
  /** The option `integration`. */
  readonly integration: string
  /** Answers an attempt that an adapter passes. Never rejects. */
  readonly respond: (attempt: IncomingAttempt) => Promise<Answer>
  /**
   * Processes an event that was verified before, as queue workers do: claim, handler, commit; or the sink. Never rejects: a failure is an
   * outcome. The event is read like the body of a delivery; a value that is not an event has the outcome `malformed`, and so has an event
   * of another integration.
   *
   * @param about  whose event it is, as the queue was told
   * @default { integration } of this receiver
   */
  readonly process: (event: WebhookEvent, about?: AboutEvent) => Promise<ProcessOutcome>
  /**
   * Forgets that an event was processed, so that a replay is processed again. `unknown` if the event was not processed, or if no event can
   * have this id. A receiver with a sink has no records, and always returns `unknown`.
   *
   * @throws OptionError if it is given no string, such as the event itself
   */
  readonly forget: (eventId: string) => Promise<'forgotten' | 'unknown'>
  /**
   * Closes the receiver. It aborts the signals of running handlers, calls no more handlers, sinks or queues (deliveries get 503), and gives
   * running handlers `graceMs` to end. Then it releases the claims of handlers that still run, so that other instances can process their
   * events. Call it at SIGTERM. A second call resolves with the first.
   *
   * Resolves once every handler has ended, or after `graceMs` plus the time in which the store releases the claims: at most 5 s.
   *
   * @returns how many handlers, sinks and calls of the queue still run
   * @throws OptionError when `graceMs` is invalid
   */
  readonly close: (options?: CloseOptions) => Promise<number>
  /** Closes the receiver at the end of an `await using` block, with the default `graceMs`. */
  readonly [Symbol.asyncDispose]: () => Promise<void>
}

/** The receivers of many integrations. Mount them with an adapter, on a route with the id of the integration. */
export interface Receivers extends Pick<Receiver, 'close' | typeof Symbol.asyncDispose> {
  /**
   * The receiver of one of the integrations, for handlers that take a `Request`: `receivers.for(id).fetch(request)`. It has no state, so it
   * can be called for each request.
   *
   * @param integration  as the request names it, such as a parameter of the route: an id that is missing, malformed or unknown is
   * answered 404
   */
  readonly for: (integration: string | undefined) => Pick<Receiver, 'fetch' | 'respond'>
  /** Answers an attempt of the integration that it names. Never rejects. */
  readonly respond: (attempt: RoutedAttempt) => Promise<Answer>
  /** As `process` of a {@link Receiver}, for the given integration. It does not look up the secret. */
  readonly process: (event: WebhookEvent, about: AboutEvent) => Promise<ProcessOutcome>
  /** As `forget` of a {@link Receiver}, for the given integration. */
  readonly forget: (eventId: string, about: AboutEvent) => Promise<'forgotten' | 'unknown'>
  /**
   * Drops the cached secret of an integration in this process: the next delivery calls the function `secretOf` again. Call it when an
   * integration is added or removed, or when a secret has leaked.
   */
  readonly forgetSecret: (integration: string) => void
}

/** What an adapter needs of a receiver that answers for one integration. */
export type RespondingReceiver = Pick<Receiver, 'respond'>

/** What an adapter needs that passes the integration of each request: a receiver of one integration ignores it. */
export type RespondingReceivers = Pick<Receivers, 'respond'>

/** The integration of an event. */
export interface AboutEvent {
  /** The id of the integration. */
  readonly integration: string
}

/** What `close` of a receiver takes. */
export interface CloseOptions {
  /**
   * How long running handlers may take to end, in milliseconds.
   *
   * @default 10_000
   */
  readonly graceMs?: number | undefined
}
