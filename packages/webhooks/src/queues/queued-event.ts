import { isIntegrationId, OptionError, ShapeError, type WebhookEvent } from '@notewire/protocol'
import { readEvent } from '@notewire/protocol/schemas'
import { EventNotAppliedError } from './job-result.ts'

/** The content of a job. It contains nothing else of the request: neither headers nor secrets. */
export interface QueuedEvent {
  readonly integration: string
  readonly event: WebhookEvent
}

/**
 * Reads what came out of a queue. Every program that reaches the queue can add jobs, so the content is checked like the body of a delivery.
 * Pass the integration to `receiver.process`, which refuses an event of another integration.
 *
 * @param job  what the option `queue` put in: an object with `integration` and `event`
 * @throws EventNotAppliedError if it is not that: the job fails, and no event is processed
 */
export function queuedEvent(job: unknown): QueuedEvent {
  const { integration, event }: { integration?: unknown; event?: unknown } =
    typeof job === 'object' && job !== null ? job : {}
  if (!isIntegrationId(integration)) {
    throw new EventNotAppliedError('the job does not contain the id of an integration.')
  }
  try {
    return { integration, event: readEvent(event) }
  } catch (error) {
    const problem = error instanceof ShapeError ? error.message : 'the event could not be read.'
    throw new EventNotAppliedError(`the job does not contain a valid event: ${problem}`)
  }
}

// In the output of `JSON.stringify`: an escaped backslash, or a character that `jsonb` rejects.
const BACKSLASH_OR_UNSTORABLE = /\\(?:\\|u0000|ud[89a-f][0-9a-f]{2})/g

/**
 * The event with U+FFFD in place of NUL and lone surrogates, which PostgreSQL cannot store in `jsonb`. Otherwise it would refuse the event each
 * time that the service sends it, and the failures would disable the endpoint. Identifiers contain neither.
 *
 * @throws OptionError if it is given no event
 */
export function storable(event: WebhookEvent): WebhookEvent {
  if (typeof event !== 'object' || event === null) throw new OptionError('event', 'storable needs an event.')
  const json = JSON.stringify(event)
  const text = json.replace(BACKSLASH_OR_UNSTORABLE, (found) => (found === '\\\\' ? found : '\ufffd'))
  return text === json ? event : JSON.parse(text)
}
