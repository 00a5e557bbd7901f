import { expect, it } from 'vitest'
import { eventKey } from './event-key.ts'

it('is the SHA-256 of the integration and the event, so that processes of two versions queue an event once', () => {
  // Python: hashlib.sha256(b'["default","evt_1"]').hexdigest()
  expect(eventKey('default', 'evt_1')).toBe('37af36e98e97bfe3bfa7e276120daa1bcdf9b1f8738ed8fa09bc06d1cff9e811')
})

it.each([
  ['another event', 'default', 'evt_2'],
  ['the same event of another integration', 'other', 'evt_1'],
  ['another division of the same text', 'defaulte', 'vt_1'],
])('differs for %s', (_, integration, eventId) => {
  expect(eventKey(integration, eventId)).not.toBe(eventKey('default', 'evt_1'))
})

it.each(['1', '12:34', '', 'évt_✓', 'e'.repeat(10_000)])(
  'is a key that every engine accepts for the event "%.10s"',
  (id) => {
    expect(eventKey('default', id)).toMatch(/^[0-9a-f]{64}$/)
  },
)
