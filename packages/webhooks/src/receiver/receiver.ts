import {
  isEndpointEvent,
  isIdentifier,
  isIntegrationId,
  refuseUnknownOptions,
  type WebhookEvent,
} from '@notewire/protocol'
import { type CheckedHeaders, checkHeaders } from '../verifier/header-check.ts'
import type { SignatureCheck } from '../verifier/signature-check.ts'
import type { Refusal, Verified } from '../verifier/verification.ts'
import { turnAway } from './admission.ts'
import { type Answer, answers, answerTo, answerWithoutSecret } from './answer.ts'
import type { BodyReading, IncomingAttempt } from './attempt.ts'
import { ANSWER_WITHIN_MS, type Deadline, startDeadline } from './deadline.ts'
import { createDiagnosis } from './diagnosis.ts'
import { eventFrom, eventIn } from './event-in.ts'
import { IntegrationSecrets } from './integration-secrets.ts'
import { Observer } from './observer.ts'
import { refuseGraceThatCannotBe } from './option-checks.ts'
import type { ProcessOutcome } from './outcome.ts'
import { Processor } from './processor.ts'
import type { CloseOptions, Receiver, ReceiverFor, ReceiverOfMany } from './receiver-interface.ts'
import {
  type AnyReceiverOptions,
  type ReceiverOptions,
  resolveReceiverOptions,
  type SinkReceiverOptions,
} from './receiver-options.ts'
import { isLookup, type SecretFinding, type SecretLookup, type Secrets, secretOfOne } from './secret-source.ts'
import { type EventSink, SinkProcessor } from './sink.ts'
import { attemptOf, responseOf } from './web-attempt.ts'

/**
 * Makes a receiver: it verifies every delivery (contract §5), skips events that were processed, ignores revisions that
 * are no news (§6), calls the handler of the event's kind, and answers in time (§8). With the option `sink`, it gives every
 * verified event to one function instead, also repeated and stale events.
 *
 * A function `secret` that takes a parameter makes a {@link ReceiverOfMany}.
 *
 * @throws SecretError when `secret` is malformed; a missing one answers 503 instead
 * @throws OptionError when another option cannot work, naming it and the fix
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
export function createReceiver<Secret extends Secrets | SecretLookup, Transaction = never>(
  options: ReceiverOptions<Transaction, Secret> | SinkReceiverOptions<Secret>,
): ReceiverFor<Secret>
export function createReceiver<Transaction = never>(
  options: ReceiverOptions<Transaction> | SinkReceiverOptions,
): Receiver
export function createReceiver<Transaction>(options: AnyReceiverOptions<Transaction>): Receiver | ReceiverOfMany {
  const {
    hooks,
    integration: ownIntegration,
    maxBodyBytes,
    path,
    queue,
    queuedHandlerTimeoutMs,
    secret,
    sink,
    toleranceSeconds,
    waitUntil,
    ...processing
  } = resolveReceiverOptions(options)
  const { clock, logger, store } = processing
  const observer = new Observer({ hooks, logger, clock })
  const secrets = isLookup(secret) ? new IntegrationSecrets(secret, clock) : secretOfOne(secret)
  const isOfMany = secrets instanceof IntegrationSecrets
  const diagnose = createDiagnosis(clock)
  const reporting = { tellOutcome: observer.outcome, tellLateEnd: observer.lateEnd }
  const processor =
    sink === undefined
      ? new Processor({ ...processing, ...reporting })
      : new SinkProcessor(sink, { ...processing, ...reporting })
  const queueSink: EventSink | undefined = queue && ((event, { integration }) => queue.enqueue(integration, event))
  // The outcome of a queued event is reported by the worker that processes it.
  const queueing = queueSink && new SinkProcessor(queueSink, { ...processing, tellOutcome: observer.queued })

  async function respond(attempt: IncomingAttempt, integration: string | undefined): Promise<Answer> {
    const answer = isIntegrationId(integration) ? await answerOf(attempt, integration) : answers.integrationUnknown
    if (answer.error !== undefined) observer.answeredError(answer.error, nameOf(integration))
    return answer
  }

  async function answerOf(attempt: IncomingAttempt, integration: string): Promise<Answer> {
    try {
      const turnedAway = turnAway(attempt, path, maxBodyBytes)
      if (turnedAway !== undefined) return turnedAway
      // Before the secret is asked for and the body is read: a request that nobody signed gets neither.
      const headers = checkHeaders(attempt.headers, { toleranceSeconds, clock })
      if (headers.status === 'checked') return await readAndVerify({ attempt, integration, headers })
      observer.refused(headers, nameOf(integration))
      return answers.unverified
    } catch (error) {
      observer.broken(error, nameOf(integration))
      return answers.broken
    }
  }

  async function readAndVerify(delivery: Delivery): Promise<Answer> {
    const { attempt, integration } = delivery
    const deadline = startDeadline(clock, ANSWER_WITHIN_MS)
    try {
      // A request to an integration that does not exist ends here, before its body is read.
      const early = isOfMany ? secrets.find(integration) : undefined
      const known = early instanceof Promise ? await secretInTime(early, deadline) : early
      if (known !== undefined && known.status !== 'found') return answerWithout(known, integration)
      const reading = await attempt.readBody(maxBodyBytes, deadline.passed)
      if (reading.status !== 'read') return answerUnread(reading.status, integration)
      return await verify(delivery, reading.bytes, deadline)
    } finally {
      deadline.callOff()
    }
  }

  async function verify(delivery: Delivery, body: Uint8Array, deadline: Deadline): Promise<Answer> {
    const { integration, headers } = delivery
    // Also where it was found before: it may have been forgotten, or have become too old, while the body arrived.
    const found = secrets.find(integration)
    const finding = found instanceof Promise ? await secretInTime(found, deadline) : found
    if (finding.status !== 'found') return answerWithout(finding, integration)
    const verification = await finding.check(body, headers)
    if (verification.status === 'verified') return await accept(delivery, verification, body, deadline)
    return await verifyAgain(delivery, finding.check, verification, body, deadline)
  }

  /** The secret may have been rotated since it was asked for. */
  async function verifyAgain(
    delivery: Delivery,
    used: SignatureCheck,
    refusal: Refusal,
    body: Uint8Array,
    deadline: Deadline,
  ): Promise<Answer> {
    const { integration, headers } = delivery
    const other = headers.signatures.length > 0 ? secrets.findOther(integration, used) : undefined
    if (other === undefined) return await refuse(delivery, refusal, used, body)
    const finding = other instanceof Promise ? await secretInTime(other, deadline) : other
    if (finding.status !== 'found') return answerWithout(finding, integration)
    const verification = await finding.check(body, headers)
    if (verification.status === 'refused') return await refuse(delivery, verification, finding.check, body)
    return await accept(delivery, verification, body, deadline)
  }

  async function refuse(
    { integration, headers }: Delivery,
    refusal: Refusal,
    check: SignatureCheck,
    body: Uint8Array,
  ): Promise<Answer> {
    observer.refused(await diagnose(refusal, check, body, headers), nameOf(integration))
    return answers.unverified
  }

  async function accept(
    { attempt, integration }: Delivery,
    verification: Verified,
    body: Uint8Array,
    deadline: Deadline,
  ): Promise<Answer> {
    observer.verified(verification, integration)
    const reading = eventIn(body)
    if (reading.status === 'malformed') {
      observer.malformed(reading.problem, integration)
      return answers.malformed
    }
    const { event } = reading
    observer.drifted(event, reading.drift, integration)
    // Events about the endpoint itself are not queued: this process answers whether the endpoint works.
    if (queueing !== undefined && !isEndpointEvent(event)) return await enqueue(queueing, integration, event, deadline)
    const circumstances = { integration, deadlineAt: deadline.at, headers: attempt.headers }
    const work = processor.process(event, circumstances).then(answerTo)
    return await deadline.race(work, () => {
      observer.overdue(event, integration, sink === undefined ? 'handler' : 'sink')
      observer.guard(() => (attempt.waitUntil ?? waitUntil)?.(work))
      return answers.overdue
    })
  }

  async function enqueue(
    queueing: SinkProcessor,
    integration: string,
    event: WebhookEvent,
    deadline: Deadline,
  ): Promise<Answer> {
    const enqueued = queueing.process(event, { integration, deadlineAt: deadline.at })
    const outcome = await deadline.race<ProcessOutcome | undefined>(enqueued, () => undefined)
    if (outcome === undefined) {
      observer.queueLate(event, integration)
      return answers.notQueued
    }
    if (outcome.status !== 'sink-failed') return answerTo(outcome)
    observer.queueFailed(event, integration, outcome.error)
    return answers.notQueued
  }

  async function process(event: WebhookEvent, integration: string): Promise<ProcessOutcome> {
    const reading = eventFrom(event)
    if (reading.status === 'malformed') return cannotProcess(event, reading.problem, integration)
    observer.drifted(reading.event, reading.drift, integration)
    return await processor.process(reading.event, { integration, handlerTimeoutMs: queuedHandlerTimeoutMs })
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
    refuseGraceThatCannotBe(graceMs)
    const [processing, enqueuing] = await Promise.all([processor.close(graceMs), queueing?.close(graceMs)])
    return processing + (enqueuing ?? 0)
  }

  /** What hooks and logs may call an integration: nothing, unless it exists. */
  function nameOf(integration: string | undefined): string | undefined {
    return integration !== undefined && secrets.knows(integration) ? integration : undefined
  }

  function answerWithout(finding: SecretFinding, integration: string): Answer {
    observer.withoutSecret(finding, nameOf(integration))
    return answerWithoutSecret(finding)
  }

  function answerUnread(status: Exclude<BodyReading['status'], 'read'>, integration: string): Answer {
    switch (status) {
      case 'too-large':
        return answers.tooLarge
      case 'too-slow':
        return answers.tooSlow
      case 'incomplete':
        return answers.incomplete
      case 'already-parsed':
        observer.alreadyParsed(nameOf(integration))
        return answers.alreadyParsed
    }
  }

  function receiverFor(integration: string | undefined) {
    const respondTo = (attempt: IncomingAttempt) => respond(attempt, integration)
    return { respond: respondTo, fetch: async (request: Request) => responseOf(await respondTo(attemptOf(request))) }
  }

  const closing = { close, [Symbol.asyncDispose]: async () => void (await close()) }
  const ofOne: Receiver = {
    ...receiverFor(ownIntegration),
    integration: ownIntegration,
    process: (event) => process(event, ownIntegration),
    forget: (eventId) => forget(eventId, ownIntegration),
    ...closing,
  }
  if (!isOfMany) return ofOne
  const ofMany: ReceiverOfMany = {
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
  return ofMany
}

/** An attempt whose headers were checked, and whose it is. */
interface Delivery {
  readonly attempt: IncomingAttempt
  readonly integration: string
  readonly headers: CheckedHeaders
}

const NO_INTEGRATION =
  'the integration is missing or malformed. Pass { integration } with the id that the handler or the queue was given.'

function secretInTime(finding: Promise<SecretFinding>, deadline: Deadline): Promise<SecretFinding> {
  return deadline.race(finding, () => ({ status: 'late' }))
}
