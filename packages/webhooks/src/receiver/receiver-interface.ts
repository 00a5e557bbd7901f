import type { WebhookEvent } from '@notewire/protocol'
import type { Answer } from './answer.ts'
import type { IncomingAttempt } from './attempt.ts'
import type { ProcessOutcome } from './outcome.ts'

/** One endpoint's receiver: made once, and mounted by an adapter, or by itself where a handler is a `fetch` function. */
export interface Receiver {
  /**
   * Answers a Web `Request`: the handler of Next route files, `Bun.serve`, `Deno.serve`, Workers, Hono and the like. It
   * is bound, and ignores the other arguments that frameworks pass.
   */
  readonly fetch: (request: Request) => Promise<Response>
  /** The integration whose events these are: the option of that name. */
  readonly integration: string
  /** Answers an attempt that an adapter presents. Never rejects. */
  readonly respond: (attempt: IncomingAttempt) => Promise<Answer>
  /**
   * Processes an event that was verified before, as workers of a queue do: claim, handler, commit; or gives it to the sink.
   * Never rejects: what went wrong is an outcome. The event is read as the body of a delivery is: `malformed` where it is none.
   */
  readonly process: (event: WebhookEvent) => Promise<ProcessOutcome>
  /**
   * Forgets that an event was processed, so that a replay of it passes again. `unknown` for an event that was not processed;
   * an identifier that no event can have is one of none. A receiver with a sink remembers no event.
   */
  readonly forget: (eventId: string) => Promise<'forgotten' | 'unknown'>
  /**
   * Closes the receiver: the signals of running handlers fire, no handler, sink or queue is called any more (503), and those
   * that run have `graceMs` to end. Then the claims of those that still run are given up, so that other instances can process their
   * events; `context.commit` rejects what they do after that. Call it when the process is asked to stop. A second call
   * resolves with the first.
   *
   * Resolves once every handler has ended, or after `graceMs` and the one operation of the store that gives the claims up:
   * at most 5 s later.
   *
   * @returns how many handlers, sinks and calls of the queue still run
   * @throws OptionError when `graceMs` cannot work
   */
  readonly close: (options?: CloseOptions) => Promise<number>
  /** Closes the receiver at the end of an `await using` block, with the default `graceMs`. */
  readonly [Symbol.asyncDispose]: () => Promise<void>
}

/** The receiver of many integrations: that of a `secret` function which takes the id of an integration. */
export interface ReceiverOfMany extends Pick<Receiver, 'close' | typeof Symbol.asyncDispose> {
  /**
   * The receiver's part for one integration, for handlers that take a `Request`: `receiver.for(id).fetch(request)`. It keeps
   * nothing, so that it can be called for each request.
   *
   * @param integration  as the request names it, such as a parameter of the route: an id that is missing, malformed or unknown is
   * answered 404
   */
  readonly for: (integration: string | undefined) => Pick<Receiver, 'fetch' | 'respond'>
  /** Answers an attempt of the integration that it names. Never rejects. */
  readonly respond: (attempt: IncomingAttempt) => Promise<Answer>
  /** As `process` of a {@link Receiver}, in the integration that is given. It does not ask for the secret. */
  readonly process: (event: WebhookEvent, about: AboutEvent) => Promise<ProcessOutcome>
  /** As `forget` of a {@link Receiver}, in the integration that is given. */
  readonly forget: (eventId: string, about: AboutEvent) => Promise<'forgotten' | 'unknown'>
  /**
   * Forgets what the function `secret` returned for an integration, in this process: the next delivery asks it again. Call it when an
   * integration is added or removed, or when a secret has leaked.
   */
  readonly forgetSecret: (integration: string) => void
}

/** The receiver that `createReceiver` makes of a secret of this type. */
export type ReceiverFor<Secret> = Secret extends (...parameters: infer Parameters extends readonly unknown[]) => unknown
  ? Parameters['length'] extends 0
    ? Receiver
    : ReceiverOfMany
  : Receiver

/** What an adapter needs of a receiver: of one, of many, or a part of one for an integration. */
export type RespondingReceiver = Pick<Receiver, 'respond'>

/** Whose event it is. */
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
