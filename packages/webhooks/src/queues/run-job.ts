import { ShapeError, type WebhookEvent } from '@notewire/protocol'
import { readEvent } from '@notewire/protocol/schemas'
import { type Logger, traceOf } from '../receiver/logger.ts'
import type { ProcessOutcome } from '../receiver/outcome.ts'
import type { Receiver } from '../receiver/receiver.ts'
import { EventNotAppliedError } from './event-not-applied-error.ts'

/** What an engine is to do with a job that has run. */
export type Settlement =
  | { readonly status: 'complete' }
  /** An attempt is spent. */
  | { readonly status: 'retry'; readonly error: EventNotAppliedError }
  /** Nobody is to blame: the job comes again, and no attempt is spent. */
  | { readonly status: 'postpone'; readonly delayMs: number }

/** What a worker needs of a receiver. */
export type ProcessingReceiver = Pick<Receiver, 'process' | 'integration'>

const POSTPONED_MS = 3_000
/** A store that does not answer now rarely does a moment later. */
const STORE_FAILED_MS = 20_000

/** Processes the event that a job holds. Never rejects. */
export async function runJob(receiver: ProcessingReceiver, job: unknown, logger: Logger): Promise<Settlement> {
  const event = eventFor(receiver.integration, job)
  if (!(event instanceof EventNotAppliedError)) return settlementOf(await receiver.process(event))
  logger.error('a queued job does not belong to this receiver', { problem: event.message })
  return { status: 'retry', error: event }
}

/** What each outcome means to a job. */
function settlementOf(outcome: ProcessOutcome): Settlement {
  switch (outcome.status) {
    case 'applied':
    case 'unhandled':
    case 'duplicate':
    case 'stale':
      return { status: 'complete' }
    case 'malformed':
      return {
        status: 'retry',
        error: new EventNotAppliedError(`the job does not contain a valid event: ${outcome.problem}`),
      }
    case 'failed':
    case 'sink-failed':
      return { status: 'retry', error: new EventNotAppliedError(`the handler failed: ${nameOf(outcome.error)}.`) }
    case 'handler-timeout':
      return { status: 'retry', error: new EventNotAppliedError('the handler took longer than handlerTimeoutMs.') }
    case 'busy':
    case 'claim-lost':
    case 'closing':
      return { status: 'postpone', delayMs: spread(POSTPONED_MS) }
    case 'store-failed':
      return { status: 'postpone', delayMs: spread(STORE_FAILED_MS) }
  }
}

// Another key's revisions must not gate this one's, and whoever reaches the engine may write jobs.
function eventFor(integration: string, job: unknown): WebhookEvent | EventNotAppliedError {
  const queued: { integration?: unknown; event?: unknown } = typeof job === 'object' && job !== null ? job : {}
  if (queued.integration !== integration) {
    return new EventNotAppliedError(
      `the integration of the job is not "${integration}", the integration of this worker's receiver. Use a separate queue for each integration.`,
    )
  }
  try {
    return readEvent(queued.event)
  } catch (error) {
    const problem = error instanceof ShapeError ? error.message : 'the event could not be read.'
    return new EventNotAppliedError(`the job does not contain a valid event: ${problem}`)
  }
}

function nameOf(thrown: unknown): string {
  const { error, code } = traceOf(thrown)
  return code === undefined ? String(error) : `${error} ${code}`
}

function spread(ms: number): number {
  return ms * (0.5 + Math.random())
}
