import { describe, expect, it } from 'vitest'
import { watermarkOf } from './note-changes.ts'

const DATE = 'Thu, 01 Jan 2026 12:00:00 GMT'
const NOON = Date.UTC(2026, 0, 1, 12)
const note = (updated_at: string | null) => ({ note_id: 'n1', revision: 1, updated_at })

describe('the watermark of a sync', () => {
  it("is the service's time, even if it is before the previous watermark", () => {
    expect(watermarkOf({ date: DATE, notes: [note('2027-01-01T00:00:00Z')] }, NOON + 1)).toBe(NOON)
  })

  it.each([null, '', 'noon', '12:00'])('is the latest change on the first page if the header Date is %j', (date) => {
    const notes = ['2026-01-01T12:00Z', '2026-01-01T11:59:59.999Z', '2026-01-01T12:59+01:00'].map(note)
    expect(watermarkOf({ date, notes }, null)).toBe(NOON)
  })

  it('ignores a time without a zone, which would be read in the zone of this machine', () => {
    expect(watermarkOf({ date: null, notes: [note('2026-01-01T12:00:00'), note(null), note('noon')] }, 7)).toBe(7)
  })

  it('is the previous watermark if the page shows no later time', () => {
    expect(watermarkOf({ date: null, notes: [note('2026-01-01T11:00:00Z')] }, NOON)).toBe(NOON)
    expect(watermarkOf({ date: null, notes: [] }, null)).toBeNull()
  })
})
