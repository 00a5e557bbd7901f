import { type Clock, isEndpointEvent, isIntegrationId, type WebhookEvent } from '@notewire/protocol'
import { type CheckedHeaders, checkHeaders } from '../verifier/header-check.ts'
import type { SignatureCheck } from '../verifier/signature-check.ts'
import type { Refusal } from '../verifier/verification.ts'
import { turnAway } from './admission.ts'
import { type Answer, answers, answerTo, answerWithoutSecret } from './answer.ts'
import type { BodyReading, IncomingAttempt } from './attempt.ts'
import { ANSWER_WITHIN_MS, Deadline } from './deadline.ts'
import { createDiagnosis } from './diagnosis.ts'
import { eventIn } from './event-in.ts'
import type { AttemptContext } from './handler-run.ts'
import type { Observer } from './observer.ts'
import type { ProcessOutcome } from './outcome.ts'
import type { SecretFinder, SecretFinding } from './secret-source.ts'

/** What answering a delivery takes. */
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

/** An attempt whose headers were checked. */
interface Delivery {
  readonly attempt: IncomingAttempt
  readonly integration: string
  readonly headers: CheckedHeaders
}

/** What verifying a body comes to: the answer, unless it is verified. */
type Verified = { readonly status: 'verified' } | { readonly status: 'answered'; readonly answer: Answer }

const VERIFIED: Verified = { status: 'verified' }

/** Makes the function that answers deliveries: check headers, read, check signature, parse, process. It never rejects. */
export function createResponder(
  tools: DeliveryTools,
): (attempt: IncomingAttempt, integration: string | undefined) => Promise<Answer> {
  const { path, maxBodyBytes, toleranceSeconds, waitUntil, clock, secrets, observer, consumer, enqueue } = tools
  const diagnose = createDiagnosis(clock)

  return async (attempt, integration) => {
    let answer: Answer
    try {
      const admitted = admit(attempt, integration)
      answer = 'attempt' in admitted ? await receive(admitted) : admitted
    } catch (error) {
      observer.broken(error, nameOf(integration))
      answer = answers.broken
    }
    if (answer.error !== undefined) observer.answeredError(answer.error, nameOf(integration))
    return answer
  }

  /** Answers what cannot be a delivery, before the secret is looked up and the body is read. */
  function admit(attempt: IncomingAttempt, integration: string | undefined): Answer | Delivery {
    if (!isIntegrationId(integration)) return answers.integrationUnknown
    const turnedAway = turnAway(attempt, path, maxBodyBytes)
    if (turnedAway !== undefined) return turnedAway
    const headers = checkHeaders(attempt.headers, { toleranceSeconds, clock })
    if (headers.status === 'checked') return { attempt, integration, headers }
    observer.refused(headers, nameOf(integration))
    return answers.unverified
  }

  async function receive(delivery: Delivery): Promise<Answer> {
    const { attempt, integration } = delivery
    const deadline = new Deadline(clock, ANSWER_WITHIN_MS)
    try {
      // A request to an integration that does not exist ends here, before its body is read.
      const early = secrets.isOfMany ? secrets.find(integration) : undefined
      const finding = early instanceof Promise ? await inTime(early, deadline) : early
      if (finding !== undefined && finding.status !== 'found') return answerWithout(finding, integration)
      const reading = await attempt.readBody(maxBodyBytes, deadline.passed)
      if (reading.status !== 'read') return answerUnread(reading.status, integration)
      const verified = await verify(delivery, reading.bytes, deadline)
      return verified.status === 'answered' ? verified.answer : await accept(delivery, reading.bytes, deadline)
    } finally {
      deadline.cancel()
    }
  }

  async function verify(delivery: Delivery, body: Uint8Array, deadline: Deadline): Promise<Verified> {
    const { integration, headers } = delivery
    // Also if it was found before: it may have been forgotten, or have expired, while the body arrived.
    const found = secrets.find(integration)
    const finding = found instanceof Promise ? await inTime(found, deadline) : found
    if (finding.status !== 'found') return answered(answerWithout(finding, integration))
    const verification = await finding.check(body, headers)
    if (verification.status === 'refused')
      return await verifyByLatest(delivery, body, deadline, finding.check, verification)
    observer.verified(verification, integration)
    return VERIFIED
  }

  /** The secret may have been rotated since it was looked up. */
  async function verifyByLatest(
    { integration, headers }: Delivery,
    body: Uint8Array,
    deadline: Deadline,
    used: SignatureCheck,
    refusal: Refusal,
  ): Promise<Verified> {
    const other = headers.signatures.length > 0 ? secrets.findOther(integration, used) : undefined
    const finding = other instanceof Promise ? await inTime(other, deadline) : other
    if (finding !== undefined && finding.status !== 'found') return answered(answerWithout(finding, integration))
    const latest = finding?.check ?? used
    const verification = finding === undefined ? refusal : await latest(body, headers)
    if (verification.status === 'refused') {
      observer.refused(await diagnose(verification, latest, body, headers), nameOf(integration))
      return answered(answers.unverified)
    }
    observer.verified(verification, integration)
    return VERIFIED
  }

  async function accept({ attempt, integration }: Delivery, body: Uint8Array, deadline: Deadline): Promise<Answer> {
    const reading = eventIn(body)
    if (reading.status === 'malformed') {
      observer.malformed(reading.problem, integration)
      return answers.malformed
    }
    const { event } = reading
    observer.drifted(event, reading.drift, integration)
    const context = { integration, deadlineAt: deadline.at, headers: attempt.headers }
    // Events about the endpoint itself are not queued: this process answers whether the endpoint works.
    const isQueued = enqueue !== undefined && !isEndpointEvent(event)
    const work = isQueued ? enqueue(event, context) : consumer.process(event, context)
    const outcome = await deadline.race<ProcessOutcome | undefined>(work, () => undefined)
    if (isQueued) return answerQueued(event, integration, outcome)
    if (outcome !== undefined) return answerTo(outcome)
    observer.overdue(event, integration, consumer.kind)
    observer.guard(() => (attempt.waitUntil ?? waitUntil)?.(work.then(answerTo)))
    return answers.overdue
  }

  /** @param outcome  `undefined` if the queue did not answer in time */
  function answerQueued(event: WebhookEvent, integration: string, outcome: ProcessOutcome | undefined): Answer {
    if (outcome !== undefined && outcome.status !== 'sink-failed') return answerTo(outcome)
    if (outcome === undefined) observer.queueLate(event, integration)
    else observer.queueFailed(event, integration, outcome.error)
    return answers.notQueued
  }

  /** How hooks and logs name an integration: not at all, unless it exists. */
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
}

function answered(answer: Answer): Verified {
  return { status: 'answered', answer }
}

function inTime<Finding>(finding: Promise<Finding>, deadline: Deadline): Promise<Finding | SecretFinding> {
  return deadline.race<Finding | SecretFinding>(finding, () => ({ status: 'late' }))
}
