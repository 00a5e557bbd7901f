import { expect, it } from 'vitest'
import { eventKey } from './event-key.ts'

it('is a UUIDv5 in the namespace of the integration, and the same in every version', () => {
  // Python: uuid5(uuid5(namespace, 'default'), 'evt_1')
  expect(eventKey('default', 'evt_1')).toBe('c6e45292-7e48-52c3-878e-9f94f8207b55')
})

it.each([
  ['another event', 'default', 'evt_2'],
  ['the same event of another integration', 'other', 'evt_1'],
  ['another division of the same text', 'defaulte', 'vt_1'],
])('differs for %s', (_, integration, eventId) => {
  expect(eventKey(integration, eventId)).not.toBe(eventKey('default', 'evt_1'))
})

it.each(['1', '12:34', '', 'évt_✓', 'e'.repeat(10_000)])(
  'is an id that every engine accepts for the event "%.10s"',
  (id) => {
    expect(eventKey('default', id)).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-5[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
  },
)
