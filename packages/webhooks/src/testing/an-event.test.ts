import { ENDPOINT_EVENT_KINDS, NOTE_EVENT_KINDS } from '@notewire/protocol'
import { eventSchemas, readEvent } from '@notewire/protocol/schemas'
import { expect, it } from 'vitest'
import { anEvent } from './an-event.ts'

it.each([...NOTE_EVENT_KINDS, ...ENDPOINT_EVENT_KINDS])('creates a complete event with a new id: %s', (kind) => {
  const event = anEvent({ kind })
  expect(readEvent(event)).toEqual(event)
  expect(eventSchemas[kind].parse(event)).toEqual(event)
  expect(anEvent({ kind }).event_id).not.toBe(event.event_id)
})

it('uses the fields that the test passes', () => {
  const traits = { eventId: 'evt_1', noteId: 'note_7', revision: 3, occurredAt: '2026-02-03T04:05:06.000Z' } as const
  const statuses = { transcriptStatus: 'empty', summaryStatus: 'missing' } as const
  expect(anEvent({ kind: 'note.deleted', reason: 'access_lost', ...traits, ...statuses })).toEqual({
    event_id: 'evt_1',
    event_type: 'note.deleted',
    occurred_at: '2026-02-03T04:05:06.000Z',
    data: {
      note_id: 'note_7',
      revision: 3,
      transcript_status: 'empty',
      summary_status: 'missing',
      reason: 'access_lost',
    },
  })
})

it.each([
  ['note_id', 'noteId'],
  ['event_type', 'kind'],
  ['title', undefined],
])('anEvent refuses the unknown trait %s', (trait, meant) => {
  const make = () => anEvent({ kind: 'note.ended', [trait]: 'x' } as { kind: 'note.ended' })
  expect(make).toThrow(`anEvent has no option "${trait}".${meant === undefined ? '' : ` Did you mean "${meant}"?`}`)
})
