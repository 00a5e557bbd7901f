import { expect, it } from 'vitest'
import { NotesClient } from '../notes-client.ts'
import type { DriftNotice } from '../options/hooks.ts'

function clientFor(body: string, drift: DriftNotice[] = []) {
  return new NotesClient({
    baseUrl: 'http://127.0.0.1:1',
    apiKey: 'ntw_live_k7.s3cret',
    fetch: async () => new Response(body),
    hooks: { onDrift: (notice) => drift.push(notice) },
  })
}

async function readPage(body: string, drift?: DriftNotice[]) {
  const [page] = await Array.fromAsync(clientFor(body, drift).notes.list().pages())
  if (page === undefined) throw new Error('the listing has no page')
  return page
}

const repeated = (item: string, times: number) => Array(times).fill(item).join(',')
const pageOf = (items: string) => `{"notes":[${items}],"has_more":false}`

// Processor time, because other processes may keep the processor busy.
async function processorMs(work: () => Promise<unknown>): Promise<number> {
  const before = process.cpuUsage()
  await work()
  const { user, system } = process.cpuUsage(before)
  return (user + system) / 1000
}

it.each([
  ['numbers', '0'],
  ['empty objects', '{}'],
  ['notes with every field of another type', '{"note_id":"n","revision":"1","title":1,"status":[],"owner":7}'],
])('reads a page with 100,000 unusable %s in linear time, and describes the first hundred', async (_what, item) => {
  const drift: DriftNotice[] = []
  const page = await readPage(pageOf(repeated(item, 100_000)), drift)
  expect(page.leftOut).toHaveLength(100_000)
  const errors = new Set(page.leftOut.map(({ error }) => error))
  expect(errors.size).toBe(101)
  expect(page.leftOut[99]?.error.path).toMatch(/^notes\[99\]/)
  expect(page.leftOut.at(-1)?.error).toMatchObject({ code: 'invalid_response', path: 'notes' })
  expect(page.leftOut.at(-1)?.error.message).toContain('99900 notes')
  expect(drift.length).toBeLessThan(10)
  expect(await processorMs(() => readPage(pageOf(repeated(item, 100_000))))).toBeLessThan(2_500)
})

it('keeps the usable notes and the identifiers of all others', async () => {
  const items = [
    repeated('0', 5_000),
    '{"note_id":"good","revision":1}',
    '{"note_id":"bad","revision":-1}',
    repeated('0', 5_000),
  ]
  const { notes, leftOut } = await readPage(pageOf(items.join(',')))
  expect(notes).toEqual([{ note_id: 'good', revision: 1 }])
  expect(leftOut.filter(({ note_id }) => note_id !== undefined).map(({ note_id }) => note_id)).toEqual(['bad'])
})

it('reads a transcript with 300,000 segments of wrong types, and reports each type once', async () => {
  const segment = '{"text":"a","speaker":1,"start_ms":"0","end_ms":{}}'
  const body = `{"note_id":"n","revision":1,"text":"a","segments":[${repeated(segment, 300_000)}]}`
  const drift: DriftNotice[] = []
  const { segments } = await clientFor(body, drift).notes.transcript('n')
  expect(segments?.[0]).toEqual({ text: 'a' })
  expect(Object.keys(segments?.at(-1) ?? {})).toEqual(['text'])
  expect(drift.map(({ field }) => field).sort()).toEqual(['end_ms', 'speaker', 'start_ms'])
})

it('refuses a transcript at the first of a million wrong segments', async () => {
  const body = `{"note_id":"n","revision":1,"text":"a","segments":[${repeated('0', 1_000_000)}]}`
  const read = () => clientFor(body).notes.transcript('n')
  expect(await processorMs(() => expect(read()).rejects.toMatchObject({ path: 'segments[0]' }))).toBeLessThan(2_500)
})

it('reports a wrong segment after a thousand right ones', async () => {
  const items = `${repeated('{"text":"a"}', 2_000)},{"text":"a","speaker":1}`
  const drift: DriftNotice[] = []
  const client = clientFor(`{"note_id":"n","revision":1,"text":"a","segments":[${items}]}`, drift)
  expect((await client.notes.transcript('n')).segments?.at(-1)).toEqual({ text: 'a' })
  expect(drift).toMatchObject([
    { resource: 'transcript.segments', field: 'speaker', expected: 'string', found: 'number' },
  ])
})

it('lists endpoints among 100,000 wrong entries', async () => {
  const body = `{"webhook_endpoints":[${repeated('0', 100_000)},{"endpoint_id":"e1"}]}`
  const list = () => clientFor(body).webhookEndpoints.list()
  expect(await list()).toEqual([{ endpoint_id: 'e1' }])
  expect(await processorMs(list)).toBeLessThan(3_000)
})
