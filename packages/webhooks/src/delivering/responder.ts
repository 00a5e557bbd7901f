import { type Clock, isEndpointEvent, isIntegrationId, type WebhookEvent } from '@notewire/protocol'
import { createDiagnosis } from '../diagnosis/diagnosis.ts'
import type { Answer } from '../interfaces/answer.ts'
import type { Observer } from '../observing/observer.ts'
import type { AttemptContext } from '../processing/event-run.ts'
import type { ProcessOutcome } from '../processing/outcome.ts'
import type { SecretFinder, SecretFinding } from '../secrets/secret-source.ts'
import { Alarm } from '../timing/timers.ts'
import { type CheckedHeaders, checkHeaders } from '../verifier/header-check.ts'
import { readFirst } from '../verifier/signature-headers.ts'
import type { Verified } from '../verifier/verification.ts'
import { answerError, answerTo, answerWithoutSecret } from './answer.ts'
import type { IncomingAttempt } from './attempt.ts'
import { Deadline } from './deadline.ts'
import { eventIn } from './event-in.ts'

interface DeliveryTools {
  readonly path: string | undefined
  readonly maxBodyBytes: number
  readonly toleranceSeconds: number
  readonly waitUntil: ((work: Promise<unknown>) => void) | undefined
  readonly clock: Clock
  readonly secrets: SecretFinder
  readonly observer: Observer
  /** Gives events to a handler or a sink. Never rejects. */
  readonly consumer: { readonly kind: 'handler' | 'sink'; readonly process: Process }
  /** Gives events to a queue. Never rejects. */
  readonly enqueue: Process | undefined
}

type Process = (event: WebhookEvent, context: AttemptContext) => Promise<ProcessOutcome>

interface CheckedAttempt {
  readonly attempt: IncomingAttempt
  readonly integration: string
  readonly headers: CheckedHeaders
  readonly alarm: Alarm
  readonly deadline: Deadline
}

type Found = SecretFinding & { readonly status: 'found' }

const LATE: SecretFinding = { status: 'late' }

/**
 * Makes the function that answers deliveries: it checks the headers, reads the body, checks the signature, parses and processes. It never
 * rejects.
 */
export function createResponder(
  tools: DeliveryTools,
): (attempt: IncomingAttempt, integration: string | undefined) => Promise<Answer> {
  const { path, maxBodyBytes, toleranceSeconds, waitUntil, clock, secrets, observer, consumer, enqueue } = tools
  const diagnose = createDiagnosis(clock)

  return async (attempt, integration) => {
    let deadline: Deadline | undefined
    let answer: Answer
    try {
      const admitted = admit(attempt, integration)
      if ('attempt' in admitted) deadline = admitted.deadline
      answer = 'attempt' in admitted ? await answerAdmitted(admitted) : admitted
    } catch (error) {
      observer.log('broken', { integration: nameOf(integration), error })
      answer = answerError('internal')
    }
    deadline?.cancel()
    // An answer that cannot be sent is not reported as sent.
    if (attempt.isAnswered?.() === true) observer.answeredByOther(answer.status, nameOf(integration))
    else if (answer.error !== undefined) observer.answeredError(answer.error, nameOf(integration))
    return answer
  }

  /** Answers requests that cannot be deliveries, before the secret is looked up and the body is read (contract §7). */
  function admit(attempt: IncomingAttempt, integration: string | undefined): Answer | CheckedAttempt {
    if (!isIntegrationId(integration)) return answerError('integration_unknown')
    const rejection = rejectEarly(attempt)
    if (rejection !== undefined) return rejection
    const headers = checkHeaders(attempt.headers, { toleranceSeconds, clock })
    if (headers.status === 'checked') {
      const alarm = new Alarm(clock)
      return { attempt, integration, headers, alarm, deadline: new Deadline(clock, alarm) }
    }
    observer.refused(headers, nameOf(integration))
    return answerError('unverified')
  }

  function rejectEarly({ method, path: requested, headers }: IncomingAttempt): Answer | undefined {
    if (method !== 'POST' || (path !== undefined && requested !== path)) return answerError('not_found')
    const encoding = readFirst(headers, 'content-encoding')
    if (encoding !== undefined && !UNENCODED.test(encoding)) return answerError('body_encoded')
    return Number(readFirst(headers, 'content-length') ?? 0) > maxBodyBytes ? answerError('body_too_large') : undefined
  }

  async function answerAdmitted(checked: CheckedAttempt): Promise<Answer> {
    const { attempt, integration, deadline } = checked
    // Before the body is read, because an integration may be unknown. A secret that is there is not awaited: if other code has ended the response,
    // Node.js drops a body that nobody reads yet.
    const found = findSecret(checked)
    const finding = 'status' in found ? found : await found
    if (finding.status !== 'found') return answerMissingSecret(finding, integration)
    const reading = await attempt.readBody(maxBodyBytes, deadline)
    if (reading.status === 'already-parsed') observer.log('already-parsed', { integration: nameOf(integration) })
    if (reading.status !== 'read') return answerError(UNREAD[reading.status])
    const verified = await verify(checked, finding, reading.bytes)
    if (verified.status !== 'verified') return verified
    observer.verified(verified, integration)
    return await processBody(checked, reading.bytes)
  }

  function findSecret({ integration, deadline }: CheckedAttempt): SecretFinding | Promise<SecretFinding> {
    const finding = secrets.find(integration)
    return 'status' in finding ? finding : deadline.race(finding, LATE)
  }

  async function verify(checked: CheckedAttempt, finding: Found, body: Uint8Array): Promise<Verified | Answer> {
    const { integration, headers } = checked
    const verification = await finding.check(body, headers)
    if (verification.status === 'verified' && !secrets.isForgotten(finding.check)) return verification
    const latest = await findLatest(checked, finding)
    if (latest.status !== 'found') return answerMissingSecret(latest, integration)
    const last = latest === finding ? verification : await latest.check(body, headers)
    if (last.status === 'verified') return last
    observer.refused(await diagnose(last, latest.check, body, headers), nameOf(integration))
    return answerError('unverified')
  }

  /** The secret may have been rotated or forgotten since it was found. */
  async function findLatest({ integration, headers, deadline }: CheckedAttempt, used: Found): Promise<SecretFinding> {
    const other = headers.signatures.length > 0 ? secrets.findOther(integration, used.check) : undefined
    return other === undefined ? used : await deadline.race(Promise.resolve(other), LATE)
  }

  async function processBody(checked: CheckedAttempt, body: Uint8Array): Promise<Answer> {
    const { attempt, integration, alarm, deadline } = checked
    const parsed = eventIn(body)
    if (parsed.status === 'malformed') {
      observer.log('malformed-event', { integration, fields: { problem: parsed.problem } })
      return answerError('event_malformed')
    }
    const { event } = parsed
    observer.drifted(event, parsed.drift, integration)
    const context = { integration, deadlineAt: deadline.at, headers: attempt.headers, alarm }
    // Events about the endpoint itself are not queued: this process answers whether the endpoint works.
    if (enqueue !== undefined && !isEndpointEvent(event)) {
      return answerQueued(event, integration, await deadline.race(enqueue(event, context), undefined))
    }
    const work = consumer.process(event, context)
    const outcome = await deadline.race(work, undefined)
    return outcome === undefined ? answerOverdue(checked, event, work) : answerTo(outcome)
  }

  function answerOverdue(
    { attempt, integration }: CheckedAttempt,
    event: WebhookEvent,
    work: Promise<ProcessOutcome>,
  ): Answer {
    observer.overdue(event, integration, consumer.kind)
    observer.callHook(() => (attempt.waitUntil ?? waitUntil)?.(work.then(answerTo)))
    return answerError('overdue')
  }

  /** @param outcome  `undefined` if the queue did not answer in time */
  function answerQueued(event: WebhookEvent, integration: string, outcome: ProcessOutcome | undefined): Answer {
    if (outcome !== undefined && outcome.status !== 'sink-failed') return answerTo(outcome)
    if (outcome === undefined) observer.log('queue-late', { integration, event })
    else observer.log('queue-failed', { integration, event, error: outcome.error })
    return answerError('not_queued')
  }

  /** The id of an integration for hooks and logs: `undefined` unless the integration is known to exist. */
  function nameOf(integration: string | undefined): string | undefined {
    return integration !== undefined && secrets.knows(integration) ? integration : undefined
  }

  function answerMissingSecret(finding: SecretFinding, integration: string): Answer {
    observer.withoutSecret(finding, nameOf(integration))
    return answerWithoutSecret(finding)
  }
}

/** Values of `Content-Encoding` of a body that is not encoded. Some senders give the name of its characters. */
const UNENCODED = /^(?:identity|utf-?8|us-ascii)$/i

const UNREAD = {
  'too-large': 'body_too_large',
  'too-slow': 'body_too_slow',
  incomplete: 'body_incomplete',
  'already-parsed': 'body_already_parsed',
} as const
