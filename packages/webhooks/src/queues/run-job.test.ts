import { inspect } from 'node:util'
import type { WebhookEvent } from '@notewire/protocol'
import { describe, expect, it } from 'vitest'
import { recordingLogger } from '../fixtures/recording-logger.ts'
import type { ProcessOutcome } from '../processing/outcome.ts'
import { anEvent } from '../testing/an-event.ts'
import { runJob } from './run-job.ts'

const event = anEvent({ kind: 'note.updated' })

function settle(outcome: ProcessOutcome, job: unknown = { integration: 'ours', event }) {
  return runJob({ integration: 'ours', process: async () => outcome }, job, recordingLogger())
}

describe('a job', () => {
  it.each([
    { status: 'applied', event },
    { status: 'unhandled', event },
    { status: 'duplicate', event },
    { status: 'stale', event, appliedRevision: 7 },
  ] as const)('is complete when its event is $status', async (outcome) => {
    expect(await settle(outcome)).toEqual({ status: 'complete' })
  })

  it.each([
    { status: 'busy', event },
    { status: 'claim-lost', event },
    { status: 'closing', event },
    { status: 'store-failed', event, error: new Error('away') },
  ] as const)('is postponed without using an attempt if its event is $status', async (outcome) => {
    expect(await settle(outcome)).toEqual({ status: 'postpone', delayMs: expect.any(Number) })
  })

  it('uses an attempt if its handler failed, and passes only the name of the error to the engine', async () => {
    const error = Object.assign(new TypeError('content of the note'), {
      code: 'ECONNRESET',
      note: 'content of the note',
    })
    const settlement = await settle({ status: 'failed', event, error })
    expect(settlement).toMatchObject({ status: 'retry', error: { code: 'event_not_applied' } })
    expect(inspect(settlement)).toContain('the handler failed: TypeError ECONNRESET.')
    expect(inspect(settlement, { depth: null, showHidden: true })).not.toContain('content of the note')
  })

  it('uses an attempt if its handler took too long', async () => {
    const settlement = await settle({ status: 'handler-timeout', event })
    expect(settlement).toMatchObject({
      status: 'retry',
      error: { message: expect.stringMatching(/^the handler took longer than handlerTimeoutMs\./) },
    })
  })

  it.each([
    ['of another integration', { integration: 'theirs', event }, /integration of the job is not/],
    ['without an event', { integration: 'ours' }, /does not contain a valid event/],
    ['with half an event', { integration: 'ours', event: { event_id: 'evt_1' } }, /does not contain a valid event/],
    ['without content', null, /does not contain the id of an integration/],
  ])('%s is never processed', async (_, job, why) => {
    const settlement = await settle({ status: 'applied', event }, job)
    expect(settlement).toMatchObject({ status: 'retry', error: { message: expect.stringMatching(why) } })
  })
})

describe('a job of a receiver of many', () => {
  const processed: unknown[] = []
  const receiver = {
    process: async (given: WebhookEvent, about: unknown): Promise<ProcessOutcome> => {
      processed.push([given.event_id, about])
      return { status: 'applied', event: given }
    },
  }

  it.each(['acme', 'globex', '__proto__'])('is processed for its integration: %s', async (integration) => {
    processed.length = 0
    expect(await runJob(receiver, { integration, event }, recordingLogger())).toEqual({ status: 'complete' })
    expect(processed).toEqual([[event.event_id, expect.objectContaining({ integration })]])
  })

  it.each([undefined, '', '..', 'a/b', 7, 'x'.repeat(129)])('is never processed for %j', async (integration) => {
    processed.length = 0
    const logger = recordingLogger()
    expect(await runJob(receiver, { integration, event }, logger)).toMatchObject({
      status: 'retry',
      error: { message: expect.stringMatching(/^the job does not contain the id of an integration/) },
    })
    expect(processed).toEqual([])
    expect(logger.lines).toHaveLength(1)
  })
})
