import { NotesClient } from '@notewire/client'
import type { NotePage } from '@notewire/protocol'
import { median } from './measure.ts'
import type { Row, Table } from './report.ts'
import { startProgram } from './start-program.ts'

const NOTES = 400
const PAGE = 100
const LATENCY_MS = 20
const CONCURRENCIES = [4, 16]
const ROUNDS = 5
const PROBES = 40
const FIRST_PAGE = `?limit=${PAGE}`
/** How much of the speed that latency and concurrency allow we hold ourselves to. */
const SHARE = 0.9

interface Access {
  readonly baseUrl: string
  readonly apiKey: string
}

/** How long a requested page and a requested transcript or summary take, in milliseconds. */
interface Latency {
  readonly page: number
  readonly content: number
}

/** What one round measured at one concurrency, in milliseconds. */
interface Round {
  readonly latency: Latency
  readonly bound: number
  readonly bare: number
  readonly notewire: number
}

/** Time to list notes with transcript and summary from a service that is a while away. */
export async function measureContentListing(): Promise<readonly Table[]> {
  const service = await startProgram<Access>('distant-service.ts', String(NOTES), String(LATENCY_MS))
  const samples = CONCURRENCIES.map((concurrency) => ({ concurrency, rounds: [] as Round[] }))
  for (let round = 0; round < ROUNDS; round += 1) {
    for (const { concurrency, rounds } of samples) rounds.push(await measureRound(service.said, concurrency))
  }
  service.process.kill()
  const latencyMs = median(samples.flatMap(({ rounds }) => rounds.map(({ latency }) => latency.content)))
  return [
    {
      title: `Time to list ${NOTES} notes with their content, at ${LATENCY_MS} ms from the service`,
      unit: 'ms',
      note: `The bound: the first of the pages of ${PAGE}, then two requests a note, never more than said at once, each as long as a bare fetch of the same takes alone right before (${latencyMs.toFixed(1)} ms). The bare fetches are as many, but for the later pages. The ratio is of times: 1.11 × is ${SHARE} of the bound.`,
      rows: samples.flatMap(rowsOf),
    },
  ]
}

function rowsOf({ concurrency, rounds }: { readonly concurrency: number; readonly rounds: readonly Round[] }): Row[] {
  const bound = median(rounds.map((round) => round.bound))
  const rowOf = (name: string, timeOf: (round: Round) => number) => {
    // Of each round by itself: what slows the machine down slows all of it down.
    const ratio = median(rounds.map((round) => timeOf(round) / round.bound))
    return { name: `${name}, ${concurrency} at once`, value: bound * ratio, ratio }
  }
  return [
    rowOf('the bound', (round) => round.bound),
    rowOf('bare fetches', (round) => round.bare),
    { ...rowOf('notewire', (round) => round.notewire), budget: bound / SHARE },
  ]
}

async function measureRound(service: Access, concurrency: number): Promise<Round> {
  const latency = await measureLatency(service)
  const bare = await timeOf(() => fetchBarely(service, concurrency))
  const notewire = await timeOf(() => listWithContent(service, concurrency))
  return { latency, bound: boundOf(latency, concurrency), bare, notewire }
}

async function measureLatency({ baseUrl, apiKey }: Access): Promise<Latency> {
  const fetchJson = jsonFetcher({ baseUrl, apiKey })
  const [path = ''] = contentPathsOf(await fetchJson(FIRST_PAGE))
  const samples = { page: [] as number[], content: [] as number[] }
  for (let probe = 0; probe < PROBES; probe += 1) {
    samples.page.push(await timeOf(() => fetchJson(FIRST_PAGE)))
    samples.content.push(await timeOf(() => fetchJson(path)))
  }
  return { page: median(samples.page), content: median(samples.content) }
}

function boundOf({ page, content }: Latency, concurrency: number): number {
  return Math.max(page + ((2 * NOTES) / concurrency) * content, (NOTES / PAGE) * page)
}

/** As many requests, but for the pages behind the first: the notes of the first are read again and again. */
async function fetchBarely(service: Access, concurrency: number): Promise<void> {
  const fetchJson = jsonFetcher(service)
  const paths = contentPathsOf(await fetchJson(FIRST_PAGE))
  const waiting = Array.from({ length: NOTES / PAGE }, () => paths)
    .flat()
    .values()
  const work = async () => {
    for (const path of waiting) await fetchJson(path)
  }
  await Promise.all(Array.from({ length: concurrency }, work))
}

async function listWithContent({ baseUrl, apiKey }: Access, concurrency: number): Promise<void> {
  const client = new NotesClient({ baseUrl, apiKey })
  let complete = 0
  for await (const { transcript, summary } of client.notes.listWithContent({ limit: PAGE }, { concurrency })) {
    if (transcript.status === 'ready' && summary.status === 'ready') complete += 1
  }
  if (complete !== NOTES) throw new Error(`${complete} of ${NOTES} notes came with their content`)
}

function jsonFetcher({ baseUrl, apiKey }: Access): (path: string) => Promise<unknown> {
  const headers = { authorization: `Bearer ${apiKey}` }
  return async (path) => (await fetch(`${baseUrl}/v1/notes${path}`, { headers })).json()
}

function contentPathsOf(page: unknown): readonly string[] {
  return (page as NotePage).notes.flatMap(({ note_id }) => [`/${note_id}/transcript`, `/${note_id}/summary`])
}

async function timeOf(operate: () => Promise<unknown>): Promise<number> {
  const began = performance.now()
  await operate()
  return performance.now() - began
}
