import { inspect } from 'node:util'
import { describe, expect, it } from 'vitest'
import { jobResult } from './queue-jobs.ts'
import { anEvent } from './testing/an-event.ts'

const event = anEvent({ kind: 'note.updated' })

describe('the job of an event', () => {
  it.each([
    { status: 'applied', event },
    { status: 'unhandled', event },
    { status: 'duplicate', event },
    { status: 'stale', event, appliedRevision: 7 },
  ] as const)('is done if the event is $status', (outcome) => {
    expect(jobResult(outcome)).toEqual({ status: 'done' })
  })

  it.each([
    { status: 'busy', event },
    { status: 'claim-lost', event },
    { status: 'closing', event },
  ] as const)('runs again after 1.5 to 4.5 s if the event is $status', (outcome) => {
    const delays = Array.from({ length: 200 }, () => {
      const result = jobResult(outcome)
      return result.status === 'later' ? result.delayMs : Number.NaN
    })
    expect(Math.min(...delays)).toBeGreaterThanOrEqual(1_500)
    expect(Math.max(...delays)).toBeLessThan(4_500)
    expect(new Set(delays).size).toBeGreaterThan(100)
  })

  it('runs again after at least 10 s if the store failed', () => {
    const result = jobResult({ status: 'store-failed', event, error: new Error('away') })
    expect(result.status === 'later' && result.delayMs).toBeGreaterThanOrEqual(10_000)
  })

  it('fails if its handler failed, with nothing of the error but its name and code', () => {
    const error = Object.assign(new TypeError('content of the note'), {
      code: 'ECONNRESET',
      note: 'content of the note',
    })
    for (const status of ['failed', 'sink-failed'] as const) {
      const result = jobResult({ status, event, error })
      expect(result).toMatchObject({ status: 'again', error: { code: 'event_not_applied' } })
      expect(inspect(result)).toContain('the handler failed: TypeError ECONNRESET.')
      expect(inspect(result, { depth: null, showHidden: true })).not.toContain('content of the note')
    }
  })

  it('is not decided without an outcome', () => {
    expect(() => jobResult(Promise.resolve({ status: 'applied', event }) as never)).toThrow(
      /jobResult needs an outcome/,
    )
  })

  it.each([
    [{ status: 'handler-timeout', event } as const, /^the handler took longer than handlerTimeoutMs\./],
    [{ status: 'malformed', event, problem: 'event_id is missing' } as const, /valid event: event_id is missing/],
  ])('fails with the reason: %j', (outcome, why) => {
    expect(jobResult(outcome)).toMatchObject({ status: 'again', error: { message: expect.stringMatching(why) } })
  })
})
