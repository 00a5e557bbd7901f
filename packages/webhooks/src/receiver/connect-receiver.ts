import { isIdentifier, OptionError, refuseUnknownOptions, type WebhookEvent } from '@notewire/protocol'
import { eventFrom } from '../delivering/event-in.ts'
import { createResponder } from '../delivering/responder.ts'
import { LostMemory } from '../observing/lost-memory.ts'
import { Observer } from '../observing/observer.ts'
import { refuseWrongValues } from '../options/option-rules.ts'
import type { SharedSettings } from '../options/resolve-options.ts'
import { Desk, type Mode } from '../processing/desk.ts'
import type { AttemptContext, RunTools } from '../processing/event-run.ts'
import { TransactionMode } from '../processing/in-transaction.ts'
import { LeasedMode } from '../processing/leased.ts'
import type { ProcessOutcome } from '../processing/outcome.ts'
import { SinkMode } from '../processing/sink.ts'
import type { SecretFinder } from '../secrets/secret-source.ts'
import type { CloseOptions } from './receiver-interface.ts'

/** Connects the rooms of a receiver: what answers deliveries, what processes events, and what reports on both. */
export function connectReceiver<Transaction>(
  settings: SharedSettings<Transaction>,
  secrets: SecretFinder,
  path: string | undefined,
) {
  const { queue, sink, handling, clock } = settings
  const { store } = handling
  const observer = new Observer({ ...settings, secretOption: secrets.option })
  const tools: RunTools = {
    clock,
    logger: settings.logger,
    reportLateEnd: (event, end, integration) => observer.lateEnd(event, end, integration),
  }
  const desk = new Desk(modeOf(), {
    ...tools,
    handlerTimeoutMs: sink === undefined ? settings.handlerTimeoutMs : undefined,
    reportOutcome: (outcome, timing, integration) => observer.outcome(outcome, timing, integration),
  })
  // The outcome of a queued event is reported by the worker that processes it.
  const queueing =
    queue &&
    new Desk(new SinkMode(queue, clock), {
      ...tools,
      reportOutcome: (outcome, _timing, integration) => observer.queued(outcome, integration),
    })
  const respond = createResponder({
    ...settings,
    path,
    secrets,
    observer,
    consumer: { kind: sink === undefined ? 'handler' : 'sink', process: processInHook },
    enqueue: queueing && ((event, context) => queueing.process(event, context)),
  })

  function modeOf(): Mode {
    if (sink !== undefined) return new SinkMode(sink, clock)
    return handling.mode === 'transactions'
      ? new TransactionMode({ ...settings, ...handling })
      : new LeasedMode({ ...settings, ...handling })
  }

  function processInHook(event: WebhookEvent, context: AttemptContext): Promise<ProcessOutcome> {
    if (sink === undefined && lostMemory.isFound(store, context.integration, clock.now())) {
      observer.log('memory-lost', { integration: undefined })
    }
    return observer.runAroundHook(event, context.integration, () => desk.process(event, context))
  }

  async function process(event: WebhookEvent, integration: string): Promise<ProcessOutcome> {
    const parsed = eventFrom(event)
    if (parsed.status === 'malformed') return cannotProcess(event, parsed.problem, integration)
    observer.drifted(parsed.event, parsed.drift, integration)
    return await processInHook(parsed.event, { integration })
  }

  function cannotProcess(event: WebhookEvent, problem: string, integration: string | undefined): ProcessOutcome {
    observer.log('malformed-event', { integration, fields: { problem } })
    return { status: 'malformed', event, problem }
  }

  async function forget(eventId: string, integration: string): Promise<'forgotten' | 'unknown'> {
    if (typeof eventId !== 'string')
      throw new OptionError('eventId', 'eventId is not a string. Pass the id of the event: forget(event.event_id).')
    return isIdentifier(eventId) ? await store.forget(integration, eventId) : 'unknown'
  }

  async function close(options: CloseOptions = {}): Promise<number> {
    refuseUnknownOptions('close', options, { graceMs: true })
    const { graceMs = 10_000 } = options
    refuseWrongValues({ graceMs })
    const [running, enqueuing] = await Promise.all([desk.close(graceMs), queueing?.close(graceMs)])
    return running + (enqueuing ?? 0)
  }

  const closing = { close, [Symbol.asyncDispose]: async () => void (await close()) }
  return { respond, process, cannotProcess, forget, closing }
}

const lostMemory = new LostMemory()
