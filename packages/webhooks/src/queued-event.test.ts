import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { setUpReceiver } from '../fixtures/set-up-receiver.ts'
import { EventNotAppliedError, queuedEvent, storable } from './queue-jobs.ts'
import { anEvent } from './testing/an-event.ts'

const event = anEvent({ kind: 'note.updated' })

describe('the content of a job', () => {
  it.each(['acme', 'default', '__proto__'])('is an event and its integration: %s', (integration) => {
    expect(queuedEvent(JSON.parse(JSON.stringify({ integration, event })))).toEqual({ integration, event })
  })

  it.each([undefined, '', '..', 'a/b', 7, 'x'.repeat(129)])('without an integration is refused: %j', (integration) => {
    expect(() => queuedEvent({ integration, event })).toThrow(EventNotAppliedError)
    expect(() => queuedEvent({ integration, event })).toThrow(/does not contain the id of an integration/)
  })

  it.each([
    ['no event', { integration: 'ours' }],
    ['half an event', { integration: 'ours', event: { event_id: 'evt_1' } }],
    ['a text', { integration: 'ours', event: JSON.stringify(event) }],
  ])('with %s is refused', (_what, job) => {
    expect(() => queuedEvent(job)).toThrow(/^the job does not contain a valid event/)
  })

  it('is read or refused by its own error, whatever it is', () => {
    fc.assert(
      fc.property(fc.anything(), (job) => {
        try {
          queuedEvent(job)
        } catch (error) {
          expect(error).toBeInstanceOf(EventNotAppliedError)
        }
      }),
    )
  })

  it('of another integration is not processed by the receiver', async () => {
    const handled: unknown[] = []
    const { receiver } = setUpReceiver({ integration: 'ours', on: { 'note.updated': (given) => handled.push(given) } })
    expect(await receiver.process(event, { integration: 'theirs' })).toMatchObject({
      status: 'malformed',
      problem: expect.stringMatching(/^it belongs to another integration than "ours"/),
    })
    expect(handled).toEqual([])
    expect(await receiver.process(event, { integration: 'ours' })).toMatchObject({ status: 'applied' })
  })
})

describe('a storable event', () => {
  it.each([
    ['NUL', 'a\0b', 'a\ufffdb'],
    ['a lone surrogate', 'a\ud800b', 'a\ufffdb'],
    ['the text of an escape', 'a\\u0000b', 'a\\u0000b'],
    ['a surrogate pair', 'a😀b', 'a😀b'],
  ])('has U+FFFD for what PostgreSQL cannot store: %s', (_what, text, stored) => {
    const given = { ...event, [`key ${text}`]: { text } }
    expect(storable(given)).toEqual({ ...event, [`key ${stored}`]: { text: stored } })
  })

  it('is the same object if there is nothing to replace', () => {
    expect(storable(event)).toBe(event)
  })
})
