import { createNotesService, type NotesService } from '@notewire/mock-server'
import { median } from './measure.ts'
import type { Table } from './report.ts'

const NOTES = 1_000_000
const PAGE = 100
const SAMPLE = 500
const ENDED_NOTES = 10_000

/** How the mock service bears a world of a million notes, and how fast its virtual clock delivers. */
export async function measureMockWorld(): Promise<readonly Table[]> {
  return [await measureWorld(), await measureDeliveries()]
}

async function measureWorld(): Promise<Table> {
  const began = performance.now()
  await using service = await createNotesService({ notes: NOTES })
  const createdMs = performance.now() - began
  const pages = await pageTimes(service)
  const [first, last] = [median(pages.slice(0, SAMPLE)), median(pages.slice(-SAMPLE))]
  return {
    title: `A page of ${PAGE} notes in a world of ${NOTES.toLocaleString('en')}`,
    unit: 'ms',
    note:
      `The world was made in ${(createdMs / 1_000).toFixed(1)} s and takes ` +
      `${Math.round(process.memoryUsage().heapUsed / 1e6)} MB of heap. Ratios to the first pages.`,
    rows: [
      { name: 'the first pages', value: first, ratio: 1 },
      { name: 'the last pages', value: last, ratio: last / first },
    ],
  }
}

async function pageTimes(service: NotesService): Promise<readonly number[]> {
  const headers = { authorization: `Bearer ${service.apiKey}` }
  const times: number[] = []
  for (let cursor: string | undefined = ''; cursor !== undefined; ) {
    const began: number = performance.now()
    const url: string = `${service.baseUrl}/v1/notes?limit=${PAGE}${cursor === '' ? '' : `&cursor=${cursor}`}`
    const page: { next_cursor?: string | null } = await (await service.fetch(new Request(url, { headers }))).json()
    times.push(performance.now() - began)
    cursor = page.next_cursor ?? undefined
  }
  return times
}

async function measureDeliveries(): Promise<Table> {
  await using service = await createNotesService()
  await service.connect(() => async () => new Response(null, { status: 204 }))
  const began = performance.now()
  for (let index = 0; index < ENDED_NOTES; index += 1) service.owner.record({ title: `Note ${index}` }).end()
  await service.settled()
  const minutes = (performance.now() - began) / 60_000
  const perMinute = service.deliveries.length / minutes
  return {
    title: 'Deliveries of the mock service under its virtual clock',
    unit: 'per minute',
    rows: [{ name: 'notewire: record, end, summarise', value: perMinute, ratio: 1, least: 100_000 }],
  }
}
