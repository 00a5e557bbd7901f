import { isTombstone } from '@notewire/protocol'
import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { peculiarWorld } from '../../fixtures/peculiar-world.ts'
import { API_KEY } from '../../fixtures/secrets.ts'
import { NotesClient } from '../notes-client.ts'
import { encodeCheckpoint } from './checkpoint.ts'

const NOON = Date.UTC(2026, 0, 1, 12)
const MINUTE = 60_000
const DAY = 24 * 60 * MINUTE
const YEARS = 70 * 365 * DAY

beforeEach(() => void vi.useFakeTimers({ toFake: ['Date'], now: NOON }))
afterEach(() => void vi.useRealTimers())

describe('a copy that is kept with changes()', () => {
  /** What is wrong while one sync runs. */
  const step = fc.record({
    act: fc.constantFrom('record' as const, 'edit' as const, 'delete' as const),
    pick: fc.nat({ max: 20 }),
    passMs: fc.constantFrom(0, 999, MINUTE, 61 * MINUTE, DAY),
    datedAheadMs: fc.constantFrom(0, 0, 1, 30_000, 30 * MINUTE, DAY, YEARS),
    // The header `Date`, relative to the service's clock; `null` without a header.
    dateSkewMs: fc.constantFrom(null, 0, -DAY, -YEARS / 2, 30_000, 30 * MINUTE, DAY, YEARS),
    // This machine's clock. Up to the overlap of five minutes, it may be ahead.
    machineSkewMs: fc.constantFrom(0, 0, -1, -MINUTE, -DAY, -YEARS / 2, MINUTE, 4 * MINUTE),
  })

  it('has every change in the end, whatever the notes and the header Date say', async () => {
    const plans = fc.array(step, { minLength: 1, maxLength: 12 })
    await fc.assert(
      fc.asyncProperty(plans, fc.integer({ min: 1, max: 9 }), async (plan, limit) => {
        let current: { datedAheadMs: number; dateSkewMs: number | null } = { datedAheadMs: 0, dateSkewMs: null }
        await using world = peculiarWorld({
          ...{ granularityMs: 1, inclusive: false, dateSkewMs: null, emptyPages: false, bareTombstones: true },
          datedAheadMs: () => current.datedAheadMs,
          wrongDate: () => (current.dateSkewMs === null ? null : world.now() + current.dateSkewMs),
        })
        const { notes } = new NotesClient({ ...PLACE, fetch: world.fetch })
        const copy = new Map<string, number>()
        let after: string | undefined
        const sync = async (mostPages: number) => {
          let pages = 0
          for await (const page of notes.changes({ after }, { limit })) {
            for (const note of page.notes) {
              if (isTombstone(note)) copy.delete(note.note_id)
              else copy.set(note.note_id, note.revision)
            }
            after = page.checkpoint
            pages += 1
            if (pages === mostPages) return
          }
        }
        for (const { act, pick, passMs, machineSkewMs, ...wrong } of plan) {
          current = wrong
          world.act(act, pick)
          await world.advance(passMs)
          vi.setSystemTime(world.now() + machineSkewMs)
          // Some syncs stop after a page, and continue when other times are wrong.
          await sync(pick)
        }
        vi.setSystemTime(world.now())
        await sync(Number.POSITIVE_INFINITY)
        await sync(Number.POSITIVE_INFINITY)
        expect(copy).toEqual(world.truth())
      }),
      { numRuns: 300 },
    )
  })
})

describe('a checkpoint', () => {
  it.each([
    ['a note is dated in 2099 and no answer has a date', { updated_at: '2099-01-01T00:00:00Z' }, {}],
    ['one answer has the date 2099', {}, { date: 'Thu, 01 Jan 2099 00:00:00 GMT' }],
  ])('is never ahead of this machine: %s', async (_, note, headers) => {
    const { notes, queries } = listing({ notes: [{ note_id: 'n1', revision: 1, ...note }] }, headers)
    const [first] = await Array.fromAsync(notes.changes())
    await Array.fromAsync(notes.changes({ after: first?.checkpoint }))
    const since = 'date' in headers ? '2026-01-01T11:55:00.000Z' : undefined
    expect(queries().map(({ updated_after }) => updated_after)).toEqual([undefined, since])
    expect(first?.watermark).toEqual('date' in headers ? new Date(NOON) : undefined)
  })

  it('that is ahead of this machine lists from the beginning', async () => {
    const { notes, queries } = listing({ notes: [] })
    for (const progress of [{ since: NOON + DAY }, { since: NOON + DAY, underWay: { cursor: 'c', until: NOON } }]) {
      await Array.fromAsync(notes.changes({ after: encodeCheckpoint(progress) }))
    }
    expect(queries()).toEqual([{ include_deleted: 'true' }, { include_deleted: 'true' }])
  })

  it('whose next watermark is ahead of this machine continues, and the next sync starts where this one did', async () => {
    const { notes, queries } = listing({ notes: [] })
    const after = encodeCheckpoint({ since: NOON - DAY, underWay: { cursor: 'c', until: NOON + DAY } })
    const [page] = await Array.fromAsync(notes.changes({ after }))
    await Array.fromAsync(notes.changes({ after: page?.checkpoint }))
    const changed = { include_deleted: 'true', updated_after: '2025-12-31T11:55:00.000Z' }
    expect(queries()).toEqual([{ ...changed, cursor: 'c' }, changed])
  })

  it('of another machine, whose clock is up to five minutes ahead, is used', async () => {
    const { notes, queries } = listing({ notes: [] })
    await Array.fromAsync(notes.changes({ after: encodeCheckpoint({ since: NOON + 5 * MINUTE }) }))
    expect(queries()).toMatchObject([{ updated_after: new Date(NOON).toISOString() }])
  })
})

const PLACE = { baseUrl: 'https://notes.example', apiKey: API_KEY, maxRetries: 0 }

/** A client of a service that answers each request with the same page, and without a header `Date` unless there is one in `headers`. */
function listing(body: object, headers: Record<string, string> = {}) {
  const asked: string[] = []
  const fetch = async ({ url }: Request) => {
    asked.push(url)
    return Response.json({ next_cursor: null, ...body }, { headers })
  }
  const queries = () => asked.map((url): Record<string, string> => Object.fromEntries(new URL(url).searchParams))
  return { notes: new NotesClient({ ...PLACE, fetch }).notes, queries }
}
