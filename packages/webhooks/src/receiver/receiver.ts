import { isIdentifier, isIntegrationId, refuseUnknownOptions, type WebhookEvent } from '@notewire/protocol'
import type { IncomingAttempt } from '../delivering/attempt.ts'
import { eventFrom } from '../delivering/event-in.ts'
import { createResponder } from '../delivering/responder.ts'
import { attemptOf, responseOf } from '../delivering/web-attempt.ts'
import type { ReceiverStore } from '../interfaces/store.ts'
import { LostMemory } from '../observing/lost-memory.ts'
import { Observer } from '../observing/observer.ts'
import { assertValidGraceMs } from '../options/option-checks.ts'
import {
  type AnyReceiverOptions,
  type AnyStore,
  type EventSinkOptions,
  type OptionsWithStore,
  resolveReceiverOptions,
} from '../options/receiver-options.ts'
import type { ProcessOutcome } from '../processing/outcome.ts'
import { Processor } from '../processing/processor.ts'
import type { AttemptContext } from '../processing/received-event.ts'
import { type EventSink, SinkProcessor } from '../processing/sink.ts'
import { TransactionProcessor } from '../processing/transaction-processor.ts'
import { IntegrationSecrets } from '../secrets/integration-secrets.ts'
import { isLookup, type SecretLookup, type Secrets, secretOfOne } from '../secrets/secret-source.ts'
import type { CloseOptions, Receiver, ReceiverFor, ReceiverOfMany } from './receiver-interface.ts'

/**
 * Creates a receiver. It verifies every delivery (contract §5), skips duplicates and stale revisions (§6), calls the handler of the event's
 * kind, and answers in time (§8). With the option `sink`, it passes every verified event to one function instead, including duplicates and
 * stale events.
 *
 * If `secret` is a function that takes a parameter, the result is a {@link ReceiverOfMany}.
 *
 * @throws SecretError when `secret` is malformed or missing. If a function returns such a secret, the receiver answers 503 instead
 * @throws OptionError when another option is invalid; the message names the option and the fix
 * @example
 * ```ts
 * import { createReceiver } from '@notewire/webhooks'
 *
 * export const receiver = createReceiver({
 *   secret: () => process.env['NOTES_SIGNING_SECRET'],
 *   on: {
 *     'note.ended': async ({ data }) => console.log('fetch the transcript of', data.note_id),
 *     'note.deleted': async ({ data }) => console.log('remove', data.note_id),
 *   },
 * })
 *
 * export const POST = receiver.fetch
 * ```
 */
// One signature: TypeScript would report a mistake as "No overload matches this call". If neither type fits, it explains the one that is
// written last, or from version 7 on the one whose name is last in the alphabet: the receiver with handlers.
export function createReceiver<
  Secret extends Secrets | SecretLookup,
  Store extends AnyStore = ReceiverStore,
  Prepared = undefined,
>(options: EventSinkOptions<Secret> | OptionsWithStore<Store, Secret, Prepared>): ReceiverFor<Secret>
export function createReceiver<Transaction>(options: AnyReceiverOptions<Transaction>): Receiver | ReceiverOfMany {
  const {
    hooks,
    integration: ownIntegration,
    logErrorMessages,
    maxBodyBytes,
    path,
    queue,
    queuedHandlerTimeoutMs,
    secret,
    sink,
    toleranceSeconds,
    waitUntil,
    handling,
    ...processing
  } = resolveReceiverOptions(options)
  const { clock, logger } = processing
  const { store } = handling
  const observer = new Observer({ hooks, logger, logErrorMessages, clock })
  const secrets = isLookup(secret) ? new IntegrationSecrets(secret, clock) : secretOfOne(secret)
  const reporting = { reportOutcome: observer.outcome, reportLateEnd: observer.lateEnd }
  const processor = processorOf()
  const queueSink: EventSink | undefined = queue && ((event, { integration }) => queue.enqueue(integration, event))
  // The outcome of a queued event is reported by the worker that processes it.
  const queueing = queueSink && new SinkProcessor(queueSink, { ...processing, reportOutcome: observer.queued })
  const respond = createResponder({
    path,
    maxBodyBytes,
    toleranceSeconds,
    waitUntil,
    clock,
    secrets,
    observer,
    consumer: {
      kind: sink === undefined ? 'handler' : 'sink',
      process: processInHook,
    },
    enqueue: queueing && ((event, context) => queueing.process(event, context)),
  })

  function processorOf() {
    if (sink !== undefined) return new SinkProcessor(sink, { ...processing, ...reporting })
    return handling.mode === 'transactions'
      ? new TransactionProcessor({ ...processing, ...reporting, ...handling })
      : new Processor({ ...processing, ...reporting, ...handling })
  }

  function processInHook(event: WebhookEvent, context: AttemptContext): Promise<ProcessOutcome> {
    if (sink === undefined && lostMemory.isFound(store, context.integration, clock.now())) observer.memoryLost()
    return observer.runAroundHook(event, context.integration, () => processor.process(event, context))
  }

  async function process(event: WebhookEvent, integration: string): Promise<ProcessOutcome> {
    const parsed = eventFrom(event)
    if (parsed.status === 'malformed') return cannotProcess(event, parsed.problem, integration)
    observer.drifted(parsed.event, parsed.drift, integration)
    return await processInHook(parsed.event, { integration, handlerTimeoutMs: queuedHandlerTimeoutMs })
  }

  function cannotProcess(event: WebhookEvent, problem: string, integration: string | undefined): ProcessOutcome {
    observer.malformed(problem, integration)
    return { status: 'malformed', event, problem }
  }

  async function forget(eventId: string, integration: string): Promise<'forgotten' | 'unknown'> {
    return isIdentifier(eventId) ? await store.forget(integration, eventId) : 'unknown'
  }

  async function close(given?: CloseOptions): Promise<number> {
    // `process.once('SIGTERM', receiver.close)` passes the name of the signal.
    const options: CloseOptions = typeof given === 'object' ? given : {}
    refuseUnknownOptions('close', options, ['graceMs'])
    const { graceMs = 10_000 } = options
    assertValidGraceMs(graceMs)
    const [processing, enqueuing] = await Promise.all([processor.close(graceMs), queueing?.close(graceMs)])
    return processing + (enqueuing ?? 0)
  }

  function receiverFor(integration: string | undefined) {
    const respondTo = (attempt: IncomingAttempt) => respond(attempt, integration)
    return { respond: respondTo, fetch: async (request: Request) => responseOf(await respondTo(attemptOf(request))) }
  }

  const closing = { close, [Symbol.asyncDispose]: async () => void (await close()) }
  const singleReceiver: Receiver = {
    ...receiverFor(ownIntegration),
    integration: ownIntegration,
    process: (event) => process(event, ownIntegration),
    forget: (eventId) => forget(eventId, ownIntegration),
    ...closing,
  }
  if (!(secrets instanceof IntegrationSecrets)) return singleReceiver
  const multiReceiver: ReceiverOfMany = {
    for: receiverFor,
    respond: (attempt) => respond(attempt, attempt.integration),
    process: async (event, about) =>
      isIntegrationId(about?.integration)
        ? await process(event, about.integration)
        : cannotProcess(event, NO_INTEGRATION, undefined),
    forget: async (eventId, about) =>
      isIntegrationId(about?.integration) ? await forget(eventId, about.integration) : 'unknown',
    forgetSecret: (integration) => secrets.forget(integration),
    ...closing,
  }
  return multiReceiver
}

/** Of all receivers of this process. */
const lostMemory = new LostMemory()

const NO_INTEGRATION =
  'the integration is missing or malformed. Pass { integration } with the id that the handler or queue got.'
