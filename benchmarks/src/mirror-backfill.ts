import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { median } from './measure.ts'
import type { Table } from './report.ts'
import { askProgram, type StartedProgram, startInHeap, startProgram } from './start-program.ts'

const NOTES = 20_000
/** The number of notes read in parallel, each with two requests. */
const CONCURRENCY = 16
/** The number of notes for the simple loop, which would take a quarter of an hour for all. */
const LOOP_SAMPLE = 250
const PAGE = 100
const LATENCY_MS = 20
const PROBES = 40
/** The limit of the heap with which memory is measured, in megabytes. */
const HEAP_MB = 96

/** Our limits: multiples of the bound, of its requests and of the processor time of the loop with ky, and memory in a small heap. */
const AIMS = { bound: 1 / 0.9, requests: 1.02, processor: 1.25, nodeFetch: 1.1, megabytes: 300 }

interface Access {
  readonly baseUrl: string
  readonly apiKey: string
}

/** The cost of a copy. */
interface Copied {
  readonly notes: number
  readonly ms: number
  readonly cpuMs: number
  readonly maxRssMb: number
}

/** Measures the time to copy all notes with their content into SQLite, from a service with latency. */
export async function measureMirrorBackfill(): Promise<readonly Table[]> {
  const service = await startProgram<Access>('mirror-service.ts', String(NOTES), String(LATENCY_MS))
  const folder = await mkdtemp(join(tmpdir(), 'notewire-benchmark-'))
  try {
    return [await compare(service, folder)]
  } finally {
    service.process.kill()
    await rm(folder, { recursive: true, force: true })
  }
}

async function compare(service: StartedProgram<Access>, folder: string): Promise<Table> {
  const boundBefore = await measureBound(service.firstMessage)
  const loop = await copy('loop', service.firstMessage, LOOP_SAMPLE, join(folder, 'loop.db'))
  await askProgram(service.process, 'requests')
  const mirror = await copy('mirror', service.firstMessage, CONCURRENCY, join(folder, 'mirror.db'))
  const { requests } = await askProgram<{ requests: number }>(service.process, 'requests')
  const byNodeFetch = await copy('mirrorByNodeFetch', service.firstMessage, CONCURRENCY, join(folder, 'node-fetch.db'))
  const inSmallHeap = await copyInHeap('mirror', service.firstMessage, CONCURRENCY, join(folder, 'small-heap.db'))
  const kyLoop = await copy('kyLoop', service.firstMessage, CONCURRENCY, join(folder, 'ky-loop.db'))
  const bare = await copy('bare', service.firstMessage, NOTES, String(2 * CONCURRENCY))
  for (const { notes } of [mirror, byNodeFetch, inSmallHeap]) {
    if (notes !== NOTES) throw new Error(`${notes} of ${NOTES} notes were copied`)
  }

  // The latency may change during a long run, so probes run before and after it.
  const bound = (boundBefore + (await measureBound(service.firstMessage))) / 2
  const time = (name: string, ms: number) => ({ name, column: 'time, s', value: ms / 1000, ratio: ms / bound })
  const processor = (name: string, copied: Copied) => {
    const value = microseconds(copied)
    return { name, column: 'processor time of a note, µs', value, ratio: value / microseconds(kyLoop) }
  }
  const memory = (name: string, { maxRssMb }: Copied) => ({ name, column: 'memory, MB', value: maxRssMb })
  const least = NOTES / PAGE + 2 * NOTES
  const counted = { column: 'requests', value: requests, ratio: requests / least, aim: AIMS.requests }
  return {
    title: 'How long does a first backfill take?',
    unit: '',
    note: `${NOTES.toLocaleString('en')} notes with transcript and summary into SQLite, ${CONCURRENCY} notes at once, from a service that answers after ${LATENCY_MS} ms. The bound is the time of the requests alone, ${2 * CONCURRENCY} at once. The bare fetches keep nothing. The loop with ky sends the same requests and fills the same tables. The simple loop sends one request after the other, and is calculated from a sample. nodeFetch is that of @notewire/client/node-fetch. Memory is the peak of resident memory: without a limit, V8 lets garbage grow. The last column is a copy with \`--max-old-space-size=${HEAP_MB}\`.`,
    rows: [
      time('the bound', bound),
      time('bare fetches', bare.ms),
      { ...time('a simple loop', (NOTES / loop.notes) * loop.ms), isAlternative: true },
      { ...time('a loop with ky', kyLoop.ms), isAlternative: true },
      { ...time('notewire', mirror.ms), aim: AIMS.bound },
      { ...time('notewire, with nodeFetch', byNodeFetch.ms), aim: AIMS.bound },
      processor('bare fetches', bare),
      { ...processor('a simple loop', loop), isAlternative: true },
      { ...processor('a loop with ky', kyLoop), isAlternative: true },
      { ...processor('notewire', mirror), aim: AIMS.processor },
      { ...processor('notewire, with nodeFetch', byNodeFetch), aim: AIMS.nodeFetch },
      { name: 'the bound', column: 'requests', value: least, ratio: 1 },
      { name: 'notewire', ...counted },
      memory('bare fetches', bare),
      memory('a loop with ky', kyLoop),
      memory('notewire', mirror),
      memory('notewire, with nodeFetch', byNodeFetch),
      { ...memory('notewire', inSmallHeap), column: `memory with a heap of ${HEAP_MB} MB, MB`, budget: AIMS.megabytes },
    ],
  }
}

/** The processor time of a note, in microseconds. */
function microseconds({ cpuMs, notes }: Copied): number {
  return (1000 * cpuMs) / notes
}

/** The time of the requests alone, in milliseconds. */
async function measureBound(service: Access): Promise<number> {
  const pageMs = await latencyOf(service, `?limit=${PAGE}`)
  const contentMs = await latencyOf(service, `/${await firstNoteId(service)}/transcript`)
  return Math.max(pageMs + (NOTES / CONCURRENCY) * contentMs, (NOTES / PAGE) * pageMs)
}

async function latencyOf(service: Access, path: string): Promise<number> {
  const samples: number[] = []
  for (let probe = 0; probe < PROBES; probe += 1) {
    const began = performance.now()
    await fetchJson(service, path)
    samples.push(performance.now() - began)
  }
  return median(samples)
}

async function firstNoteId(service: Access): Promise<string> {
  const page = (await fetchJson(service, '?limit=1')) as { readonly notes: readonly { readonly note_id: string }[] }
  return page.notes[0]?.note_id ?? ''
}

async function fetchJson({ baseUrl, apiKey }: Access, path: string): Promise<unknown> {
  return (await fetch(`${baseUrl}/v1/notes${path}`, { headers: { authorization: `Bearer ${apiKey}` } })).json()
}

/** The last arguments of `mirror-backfill-process.ts`. */
type How = readonly [number, string]

async function copy(variant: string, service: Access, ...how: How): Promise<Copied> {
  return ended(await startProgram<Copied>('mirror-backfill-process.ts', ...argumentsOf(variant, service, how)))
}

async function copyInHeap(variant: string, service: Access, ...how: How): Promise<Copied> {
  return ended(await startInHeap<Copied>(HEAP_MB, 'mirror-backfill-process.ts', ...argumentsOf(variant, service, how)))
}

function argumentsOf(variant: string, { baseUrl, apiKey }: Access, how: How): readonly string[] {
  return [variant, baseUrl, apiKey, ...how.map(String)]
}

function ended(program: StartedProgram<Copied>): Copied {
  program.process.kill()
  return program.firstMessage
}
