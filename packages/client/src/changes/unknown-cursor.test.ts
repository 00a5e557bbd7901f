import { describe, expect, it } from 'vitest'
import { errorOf } from '../../fixtures/error-of.ts'
import { API_KEY } from '../../fixtures/secrets.ts'
import { serve, type WireAnswer } from '../../fixtures/wire-server.ts'
import { NotesClient } from '../notes-client.ts'

const note = (number: number) => ({ note_id: `n${number}`, revision: 1 })
const refusalsOf = (statuses: readonly number[], ...codes: readonly (string | undefined)[]) =>
  statuses.flatMap((status) => codes.map((code) => [status, code] as const))

const UNKNOWN = [
  ...refusalsOf([400, 404, 409, 410, 422], undefined, 'gone_away'),
  ...refusalsOf([400, 403, 404, 409, 410, 422, 429, 500, 503], 'invalid_cursor', 'cursor_expired'),
]

describe('a stored checkpoint whose cursor the service no longer knows', () => {
  it.each(UNKNOWN)('makes the sync start again after %i with the code %s', async (status, code) => {
    await using service = await serviceThatForgets({ status, body: code && { error: { code, message: 'no' } } })
    const { notes } = service.client
    const [first] = await pagesOf(notes.changes(), 1)
    service.forget()
    const pages = await pagesOf(notes.changes({ after: first?.checkpoint }))
    expect(pages.map((page) => page.notes)).toEqual([[note(1)], [note(2)]])
    expect(pages.map(({ restarted, has_more }) => ({ restarted, has_more }))).toEqual([
      { restarted: true, has_more: true },
      { restarted: false, has_more: false },
    ])
  })

  it.each(refusalsOf([401, 402, 403, 429, 500, 503], undefined, 'busy'))(
    'is kept after %i with the code %s, which says nothing about the cursor',
    async (status, code) => {
      await using service = await serviceThatForgets({ status, body: code && { error: { code, message: 'no' } } })
      const { notes } = service.client
      const [first] = await pagesOf(notes.changes(), 1)
      service.forget()
      expect(await errorOf(pagesOf(notes.changes({ after: first?.checkpoint })))).toMatchObject({ status })
      expect(service.cursors).toEqual([null, 'c1'])
    },
  )

  it('is still valid if the first page fails afterwards', async () => {
    await using service = await serviceThatForgets({ status: 404 })
    const { notes } = service.client
    const [first] = await pagesOf(notes.changes(), 1)
    service.forget({ status: 503 })
    expect(await errorOf(pagesOf(notes.changes({ after: first?.checkpoint })))).toMatchObject({ status: 503 })
    service.remember()
    const pages = await pagesOf(notes.changes({ after: first?.checkpoint }))
    expect(pages).toMatchObject([{ notes: [note(2)], restarted: false }])
  })
})

it.each(refusalsOf([404, 409, 410], undefined, 'not_found'))(
  'a list throws cursor_expired after %i to a cursor with the code %s, and not_found or another code without a cursor',
  async (status, code) => {
    const body = code && { error: { code, message: 'no' } }
    await using server = await serve(() => ({ status, body }))
    const { notes } = new NotesClient({ baseUrl: server.baseUrl, apiKey: API_KEY, maxRetries: 0 })
    const error = await errorOf(Array.fromAsync(notes.list({ cursor: 'c1' })))
    expect(error).toMatchObject({ code: 'cursor_expired', status })
    expect(String(error)).toContain('Start the listing again without a cursor')
    const { code: withoutCursor } = { code: undefined, ...((await errorOf(Array.fromAsync(notes.list()))) as object) }
    expect(withoutCursor).toBe(status === 404 ? 'not_found' : 'unexpected_status')
  },
)

/** Two pages. After `forget`, the service answers its cursor with the refusal, and can refuse the first page, too. */
async function serviceThatForgets(refusal: { readonly status: number; readonly body?: unknown }) {
  let refusals: { readonly atCursor?: WireAnswer; readonly atStart?: WireAnswer | undefined } = {}
  const cursors: (string | null)[] = []
  const server = await serve(({ url }) => {
    const cursor = new URL(url, 'https://notes.example').searchParams.get('cursor')
    cursors.push(cursor)
    if (cursor === null) {
      return (
        refusals.atStart ?? { status: 200, body: { notes: [note(1)], next_cursor: cursors.length > 1 ? 'c2' : 'c1' } }
      )
    }
    return (cursor === 'c1' && refusals.atCursor) || { status: 200, body: { notes: [note(2)], next_cursor: null } }
  })
  return {
    client: new NotesClient({ baseUrl: server.baseUrl, apiKey: API_KEY, maxRetries: 0 }),
    cursors,
    forget(atStart?: WireAnswer) {
      refusals = { atCursor: refusal as WireAnswer, atStart }
    },
    remember() {
      refusals = {}
    },
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  }
}

async function pagesOf<Page>(pages: AsyncIterable<Page>, most = Number.POSITIVE_INFINITY): Promise<readonly Page[]> {
  const taken: Page[] = []
  for await (const page of pages) {
    taken.push(page)
    if (taken.length >= most) break
  }
  return taken
}
