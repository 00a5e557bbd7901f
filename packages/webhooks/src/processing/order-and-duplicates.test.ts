import { describe, expect, it } from 'vitest'
import { ManualClock } from '../../fixtures/manual-clock.ts'
import { setUpReceiver } from '../../fixtures/set-up-receiver.ts'
import type { ReceiverOptions } from '../options/receiver-options.ts'
import { memoryStore } from '../stores/memory-store.ts'
import { anEvent, type EventTraits } from '../testing/an-event.ts'
import type { EventHandlers } from './handlers.ts'

const HOUR_MS = 3_600_000

/** A receiver that handles all kinds of notes, and what became of the events that it was given in a row. */
function setUp(options: Omit<Partial<ReceiverOptions>, 'clock'> & { readonly clock?: ManualClock } = {}) {
  const handle = () => undefined
  const on: EventHandlers = { 'note.ended': handle, 'note.updated': handle, 'note.deleted': handle }
  const parts = setUpReceiver({ on, ...options })
  const process = async (...traits: readonly EventTraits<'note.ended' | 'note.updated' | 'note.deleted'>[]) => {
    const statuses: string[] = []
    for (const each of traits) statuses.push((await parts.receiver.process(anEvent(each))).status)
    return statuses
  }
  return { ...parts, process }
}

describe('an equal revision of a note', () => {
  it('is ignored, unless it says that the note is gone, because a copy that must go must not survive', async () => {
    expect(
      await setUp().process(
        { kind: 'note.updated', revision: 5 },
        { kind: 'note.updated', revision: 5 },
        { kind: 'note.ended', revision: 5 },
        { kind: 'note.deleted', revision: 5, reason: 'access_lost' },
        { kind: 'note.updated', revision: 5 },
      ),
    ).toEqual(['applied', 'stale', 'stale', 'applied', 'stale'])
  })

  it('is ignored whatever it says, where the gate is strict', async () => {
    expect(
      await setUp({ revisionGate: 'strict' }).process(
        { kind: 'note.updated', revision: 5 },
        { kind: 'note.deleted', revision: 5 },
      ),
    ).toEqual(['applied', 'stale'])
  })

  it('passes once for each kind and recording session, where the gate is per kind', async () => {
    expect(
      await setUp({ revisionGate: 'per-kind' }).process(
        { kind: 'note.ended', revision: 5, recordingSessionId: 'morning' },
        { kind: 'note.ended', revision: 5, recordingSessionId: 'evening' },
        { kind: 'note.ended', revision: 5, recordingSessionId: 'morning' },
        { kind: 'note.updated', revision: 5 },
      ),
    ).toEqual(['applied', 'applied', 'stale', 'applied'])
  })

  it('always passes where the gate is off', async () => {
    expect(
      await setUp({ revisionGate: 'off' }).process(
        { kind: 'note.updated', revision: 5 },
        { kind: 'note.updated', revision: 4 },
      ),
    ).toEqual(['applied', 'applied'])
  })
})

describe('an event that was processed', () => {
  it.each([
    ['72 hours, when nothing else is said', {}, 72],
    ['as long as `dedupWindowMs` says', { dedupWindowMs: 30 * HOUR_MS }, 30],
  ])('is remembered for %s, whatever is pruned', async (_long, options, hours) => {
    const clock = new ManualClock()
    const store = memoryStore({ clock })
    const { process } = setUp({ clock, store, ...options })
    const event = { kind: 'note.updated', eventId: 'evt_1', revision: 5 } as const
    expect(await process(event)).toEqual(['applied'])
    await clock.advance(hours * HOUR_MS - 1)
    await store.prune()
    expect(await process(event, { kind: 'note.updated', revision: 5 })).toEqual(['duplicate', 'stale'])
    await clock.advance(1)
    await store.prune()
    expect(await process(event)).toEqual(['applied'])
  })

  it('is skipped when it is replayed, until it is forgotten (§6)', async () => {
    const seen: string[] = []
    const { deliver, receiver } = setUp({ on: { 'note.updated': ({ event_id }) => void seen.push(event_id) } })
    const event = anEvent({ kind: 'note.updated' })
    await deliver(event)
    await deliver(event)
    expect(seen).toHaveLength(1)
    expect(await receiver.forget(event.event_id)).toBe('forgotten')
    expect(await receiver.forget(event.event_id)).toBe('unknown')
    await deliver(event)
    expect(seen).toHaveLength(2)
  })
})

describe('two receivers of different integrations on one store', () => {
  const setUpTwo = () => {
    const store = memoryStore()
    return { personal: setUp({ store, integration: 'personal' }), channel: setUp({ store, integration: 'channel' }) }
  }

  it('do not gate each other', async () => {
    const { personal, channel } = setUpTwo()
    expect(await channel.process({ kind: 'note.updated', revision: 9 })).toEqual(['applied'])
    expect(await personal.process({ kind: 'note.deleted', revision: 8 })).toEqual(['applied'])
  })

  it('do not take each other’s events for duplicates', async () => {
    const { personal, channel } = setUpTwo()
    expect(await channel.process({ kind: 'note.updated', eventId: 'evt_1' })).toEqual(['applied'])
    expect(await personal.process({ kind: 'note.updated', eventId: 'evt_1' })).toEqual(['applied'])
  })

  it('do not forget for each other', async () => {
    const { personal, channel } = setUpTwo()
    await channel.process({ kind: 'note.updated', eventId: 'evt_1' })
    expect(await personal.receiver.forget('evt_1')).toBe('unknown')
    expect(await channel.process({ kind: 'note.updated', eventId: 'evt_1' })).toEqual(['duplicate'])
    expect(await channel.receiver.forget('evt_1')).toBe('forgotten')
  })

  it('have the integration "default" where none is given', async () => {
    const store = memoryStore()
    await setUp({ store }).process({ kind: 'note.updated', eventId: 'evt_1' })
    expect(await setUp({ store, integration: 'default' }).process({ kind: 'note.updated', eventId: 'evt_1' })).toEqual([
      'duplicate',
    ])
  })
})
