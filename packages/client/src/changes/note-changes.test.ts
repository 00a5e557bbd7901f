import { isTombstone } from '@notewire/protocol'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Act, ChangingWorld } from '../../fixtures/changing-world.ts'
import { errorOf } from '../../fixtures/error-of.ts'
import { type Peculiarities, peculiarWorld } from '../../fixtures/peculiar-world.ts'
import { referenceWorld } from '../../fixtures/reference-world.ts'
import { API_KEY, CONTENT } from '../../fixtures/secrets.ts'
import { serve, type WireAnswer, type WireServer } from '../../fixtures/wire-server.ts'
import { NotesClient } from '../notes-client.ts'
import type { ChangesPage } from './note-changes.ts'

const DATE = 'Thu, 01 Jan 2026 12:00:00 GMT'

describe('a copy that is kept with checkpoints, by a process that crashes at any point', () => {
  const plans = fc.array(aStep(), { minLength: 1, maxLength: 30 })
  const limits = fc.integer({ min: 1, max: 4 })

  it('equals the reference service in the end (§6)', async () => {
    await fc.assert(
      fc.asyncProperty(plans, limits, async (plan, limit) => {
        await using world = await referenceWorld()
        expect(await copyOf(world, plan, limit)).toEqual(world.truth())
      }),
      { numRuns: 150 },
    )
  })

  it('equals a service with other timestamps, boundaries, clocks, pages and tombstones in the end', async () => {
    const peculiarities: fc.Arbitrary<Peculiarities> = fc.record({
      granularityMs: fc.constantFrom(1, 1000, 60_000),
      inclusive: fc.boolean(),
      dateSkewMs: fc.option(fc.integer({ min: -240_000, max: 240_000 })),
      emptyPages: fc.boolean(),
      bareTombstones: fc.boolean(),
    })
    await fc.assert(
      fc.asyncProperty(peculiarities, plans, limits, async (peculiar, plan, limit) => {
        await using world = peculiarWorld(peculiar)
        expect(await copyOf(world, plan, limit)).toEqual(world.truth())
      }),
      { numRuns: 500 },
    )
  })
})

describe('a sync', () => {
  it('lists everything the first time, and then the changes since its first page, with five minutes of overlap', async () => {
    await using server = await servePages(
      { notes: [noteOf(1)], next_cursor: 'c1', has_more: true },
      { notes: [noteOf(2)] },
      { notes: [] },
    )
    const { notes } = clientOf(server)
    const pages = await Array.fromAsync(notes.changes({}, { limit: 7 }))
    await Array.fromAsync(notes.changes({ after: pages.at(-1)?.checkpoint }))
    expect(queriesTo(server)).toEqual([
      { limit: '7', include_deleted: 'true' },
      { limit: '7', include_deleted: 'true', cursor: 'c1' },
      { updated_after: '2026-01-01T11:55:00.000Z', include_deleted: 'true' },
    ])
  })

  it('continues at a checkpoint, and keeps the watermark of its first page', async () => {
    await using server = await servePages(
      { notes: [noteOf(1)], next_cursor: 'c1', has_more: true },
      { notes: [noteOf(2)], date: 'Fri, 02 Jan 2026 12:00:00 GMT' },
      { notes: [], date: 'Sat, 03 Jan 2026 12:00:00 GMT' },
    )
    const first = await firstOf(clientOf(server).notes.changes())
    const rest = await Array.fromAsync(clientOf(server).notes.changes({ after: first.checkpoint }))
    expect(rest.map((page) => page.notes)).toEqual([[noteOf(2)]])
    await firstOf(clientOf(server).notes.changes({ after: rest.at(-1)?.checkpoint }))
    expect(queriesTo(server).map((query) => query['updated_after'])).toEqual([
      undefined,
      undefined,
      '2026-01-01T11:55:00.000Z',
    ])
  })

  it('returns the watermark of its first page with every page', async () => {
    await using server = await servePages(
      { notes: [noteOf(1)], next_cursor: 'c1', has_more: true },
      { notes: [noteOf(2)], date: 'Fri, 02 Jan 2026 12:00:00 GMT' },
    )
    const pages = await Array.fromAsync(clientOf(server).notes.changes())
    expect(pages.map(({ watermark }) => watermark)).toEqual([new Date(DATE), new Date(DATE)])
  })

  it.each([null, undefined])('lists everything after %j', async (after) => {
    await using server = await servePages({ notes: [] })
    await Array.fromAsync(clientOf(server).notes.changes({ after }))
    expect(queriesTo(server)).toEqual([{ include_deleted: 'true' }])
  })

  it('starts at the same checkpoint in each loop', async () => {
    await using server = await servePages({ notes: [noteOf(1)] }, { notes: [noteOf(1)] })
    const changes = clientOf(server).notes.changes()
    expect(await Array.fromAsync(changes)).toEqual(await Array.fromAsync(changes))
  })

  it('sends no request before the loop starts or after the loop is left', async () => {
    await using server = await servePages({ notes: [], next_cursor: 'c1', has_more: true })
    const changes = clientOf(server).notes.changes()
    expect(server.requests).toEqual([])
    await firstOf(changes)
    expect(server.requests).toHaveLength(1)
  })

  it('rejects with the reason of its signal between two pages', async () => {
    await using server = await servePages({ notes: [], next_cursor: 'c1', has_more: true })
    const controller = new AbortController()
    const loop = async () => {
      for await (const _ of clientOf(server).notes.changes({}, { signal: controller.signal })) {
        controller.abort(new Error('enough'))
      }
    }
    await expect(loop()).rejects.toThrow('enough')
    expect(server.requests).toHaveLength(1)
  })

  it('has neither the API key nor note content in its checkpoints', async () => {
    await using server = await servePages({
      notes: [{ ...noteOf(1), title: CONTENT }],
      next_cursor: 'c',
      has_more: true,
    })
    const { checkpoint } = await firstOf(clientOf(server).notes.changes())
    const [, , payload = ''] = checkpoint.split('.')
    expect(atob(payload)).toBe(`[null,${Date.parse(DATE)},"c"]`)
  })

  it.each([
    ['after', { after: 'c1' }],
    ['after', { after: new Date() }],
    ['since', { since: 'c1' }],
  ])('throws at once an error that names %s, for %o', (option, query: object) => {
    const { notes } = clientOf({ baseUrl: 'https://notes.example' })
    expect(() => notes.changes(query)).toThrow(expect.objectContaining({ code: 'option_invalid', option }))
  })
})

describe('an expired cursor', () => {
  const refusals: Readonly<Record<string, WireAnswer>> = {
    '400 invalid_cursor': { status: 400, body: { error: { code: 'invalid_cursor', message: 'expired' } } },
    '422 and HTML': { status: 422, body: '<h1>Unprocessable</h1>' },
  }

  it.each(Object.keys(refusals))('makes the sync start again: %s', async (refusal) => {
    await using server = await servePages(
      { notes: [noteOf(1)] },
      { notes: [noteOf(1)], next_cursor: 'old', has_more: true, date: 'Fri, 02 Jan 2026 12:00:00 GMT' },
      refusals[refusal] ?? {},
      { notes: [noteOf(2)], next_cursor: 'new', has_more: true, date: 'Sat, 03 Jan 2026 12:00:00 GMT' },
      { notes: [noteOf(3)] },
    )
    const { notes } = clientOf(server)
    const before = await firstOf(notes.changes())
    const { checkpoint } = await firstOf(notes.changes({ after: before.checkpoint }))
    const pages = await Array.fromAsync(notes.changes({ after: checkpoint }))
    expect(pages.map((page) => page.notes)).toEqual([[noteOf(2)], [noteOf(3)]])
    const changed = { updated_after: '2026-01-01T11:55:00.000Z', include_deleted: 'true' }
    expect(queriesTo(server).slice(1)).toEqual([
      changed,
      { ...changed, cursor: 'old' },
      changed,
      { ...changed, cursor: 'new' },
    ])
  })

  it('throws cursor_expired the second time in a loop, which could otherwise be endless', async () => {
    const page = { notes: [noteOf(1)], next_cursor: 'c', has_more: true }
    const refusal = refusals['400 invalid_cursor'] ?? {}
    await using server = await servePages(page, refusal, page, refusal)
    expect(await errorOf(Array.fromAsync(clientOf(server).notes.changes()))).toMatchObject({ code: 'cursor_expired' })
    expect(server.requests).toHaveLength(4)
  })

  it('is not assumed if a query without a cursor is refused', async () => {
    await using server = await servePages({ status: 400 })
    expect(await errorOf(Array.fromAsync(clientOf(server).notes.changes()))).toMatchObject({ code: 'invalid_request' })
    expect(server.requests).toHaveLength(1)
  })

  it('is not assumed after another failure', async () => {
    await using server = await servePages({ notes: [], next_cursor: 'c', has_more: true }, { status: 403 })
    expect(await errorOf(Array.fromAsync(clientOf(server).notes.changes()))).toMatchObject({ code: 'forbidden' })
  })
})

interface Step {
  readonly act: Act | 'nothing'
  readonly pick: number
  readonly passMs: number
  /** Where the process crashes. */
  readonly crash: 'nowhere' | 'before applying' | 'before storing'
  /** Whether the cursors of the service have expired when the next page is requested. */
  readonly expires: boolean
}

function aStep(): fc.Arbitrary<Step> {
  return fc.record({
    act: fc.constantFrom('record', 'edit', 'edit', 'delete', 'nothing'),
    pick: fc.nat({ max: 20 }),
    passMs: fc.constantFrom(0, 0, 1, 999, 30_000, 61_000, 3_600_000),
    crash: fc.constantFrom('nowhere', 'nowhere', 'nowhere', 'before applying', 'before storing'),
    expires: fc.constantFrom(false, false, true),
  })
}

/** A copy that is synced while the notes change after every page, and completely when they no longer change. */
async function copyOf(
  world: ChangingWorld,
  plan: readonly Step[],
  limit: number,
): Promise<ReadonlyMap<string, number>> {
  const steps = [...plan]
  const copy = new Map<string, number>()
  let stored: string | undefined
  let expires = false
  const fetch = async (request: Request) =>
    expires && new URL(request.url).searchParams.has('cursor')
      ? Response.json({ error: { code: 'invalid_cursor', message: 'expired' } }, { status: 400 })
      : await world.fetch(request)
  const client = new NotesClient({ baseUrl: 'https://notes.example', apiKey: API_KEY, fetch })

  while (steps.length > 0) await sync()
  expires = false
  // The first sync may be the rest of an interrupted one.
  await sync()
  await sync()
  return copy

  async function sync(): Promise<void> {
    try {
      for await (const page of client.notes.changes({ after: stored }, { limit })) {
        const { crash, ...step } = steps.shift() ?? NO_CHANGE
        expires = step.expires
        if (step.act !== 'nothing') world.act(step.act, step.pick)
        await world.advance(step.passMs)
        if (crash === 'before applying') return
        apply(page)
        if (crash === 'before storing') return
        stored = page.checkpoint
      }
    } catch (error) {
      expect(error).toMatchObject({ code: 'cursor_expired' })
    }
  }

  function apply({ notes }: ChangesPage): void {
    for (const note of notes) {
      if (isTombstone(note)) copy.delete(note.note_id)
      else copy.set(note.note_id, note.revision)
    }
  }
}

const NO_CHANGE: Step = { act: 'nothing', pick: 0, passMs: 0, crash: 'nowhere', expires: false }

/** A server that sends these pages or responses in order. The date of a page is noon unless the page sets it. */
function servePages(...answers: readonly object[]): Promise<WireServer> {
  return serve((_, count) => {
    const answer = answers[count - 1] ?? { status: 418 }
    if ('status' in answer) return answer as WireAnswer
    const { date = DATE, ...body } = answer as { readonly date?: string }
    return { status: 200, headers: { date }, body: { next_cursor: null, ...body } }
  })
}

function queriesTo(server: WireServer): Record<string, string>[] {
  return server.requests.map(({ url }) => Object.fromEntries(new URL(url, server.baseUrl).searchParams))
}

function noteOf(number: number) {
  return { note_id: `n${number}`, revision: number }
}

function clientOf({ baseUrl }: { readonly baseUrl: string }): NotesClient {
  return new NotesClient({ baseUrl, apiKey: API_KEY, maxRetries: 0 })
}

async function firstOf<Item>(items: AsyncIterable<Item>): Promise<Item> {
  for await (const item of items) return item
  throw new Error('the iterable is empty')
}
