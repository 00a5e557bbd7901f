import { describe, expect, it } from 'vitest'
import { watermarkOf } from './note-changes.ts'

const DATE = 'Thu, 01 Jan 2026 12:00:00 GMT'
const NOON = Date.UTC(2026, 0, 1, 12)
/** The time of this machine. */
const LATER = NOON + 3_600_000
const note = (updated_at: string | null) => ({ note_id: 'n1', revision: 1, updated_at })

describe('the watermark of a sync', () => {
  it("is the service's time, even if it is before the previous watermark", () => {
    expect(watermarkOf({ date: DATE, notes: [note('2027-01-01T00:00:00Z')] }, NOON + 1, LATER)).toBe(NOON)
  })

  it.each([null, '', 'noon', '12:00'])('is the latest change on the first page if the header Date is %j', (date) => {
    const notes = ['2026-01-01T12:00Z', '2026-01-01T11:59:59.999Z', '2026-01-01T12:59+01:00'].map(note)
    expect(watermarkOf({ date, notes }, null, LATER)).toBe(NOON)
  })

  it('is the latest change, wherever it is on the page', () => {
    const notes = ['2026-01-01T11:00Z', '2026-01-01T12:00Z', '2026-01-01T11:30Z'].map(note)
    expect(watermarkOf({ date: null, notes }, 7, LATER)).toBe(NOON)
    expect(watermarkOf({ date: null, notes }, 7, NOON)).toBe(NOON)
    expect(watermarkOf({ date: null, notes: [note(null)] }, null, LATER)).toBeNull()
  })

  it('ignores a time without a zone, which would be read in the zone of this machine', () => {
    expect(watermarkOf({ date: null, notes: [note('2026-01-01T12:00:00'), note(null), note('noon')] }, 7, LATER)).toBe(
      7,
    )
  })

  it('is the previous watermark if the page shows no later time', () => {
    expect(watermarkOf({ date: null, notes: [note('2026-01-01T11:00:00Z')] }, NOON, LATER)).toBe(NOON)
    expect(watermarkOf({ date: null, notes: [] }, null, LATER)).toBeNull()
  })

  it("is this machine's time if the header Date is later", () => {
    expect(watermarkOf({ date: 'Thu, 01 Jan 2099 12:00:00 GMT', notes: [] }, null, LATER)).toBe(LATER)
    expect(watermarkOf({ date: DATE, notes: [] }, null, NOON - 1)).toBe(NOON - 1)
  })

  it("does not count a note that is dated after this machine's time", () => {
    const notes = ['2026-01-01T12:00Z', '2026-01-01T13:00:00.001Z', '2099-01-01T00:00:00Z'].map(note)
    expect(watermarkOf({ date: null, notes }, null, LATER)).toBe(NOON)
    expect(watermarkOf({ date: null, notes: notes.slice(1) }, 7, LATER)).toBe(7)
    expect(watermarkOf({ date: null, notes: notes.slice(1) }, null, LATER)).toBeNull()
  })
})
