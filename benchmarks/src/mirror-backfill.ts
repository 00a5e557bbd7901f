import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { median } from './measure.ts'
import type { Table } from './report.ts'
import { askProgram, type StartedProgram, startProgram } from './start-program.ts'

const NOTES = 20_000
/** The number of notes read in parallel, each with two requests. */
const CONCURRENCY = 16
/** The number of notes for the loop, which would take a quarter of an hour for all, and for the bare fetches. */
const LOOP_SAMPLE = 250
const BARE_SAMPLE = 2_500
const PAGE = 100
const LATENCY_MS = 20
const PROBES = 40

/** Our limits: multiples of the bound, of its requests and of the processor time of the loop with ky, and the memory above that loop. */
const AIMS = { bound: 1 / 0.9, requests: 1.02, processor: 1.15, megabytes: 150 }

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
  const before = await measureFloor(service.firstMessage)
  const loop = await copy('loop', service.firstMessage, LOOP_SAMPLE, join(folder, 'loop.db'))
  await askProgram(service.process, 'requests')
  const mirror = await copy('mirror', service.firstMessage, CONCURRENCY, join(folder, 'mirror.db'))
  const { requests } = await askProgram<{ requests: number }>(service.process, 'requests')
  const kyLoop = await copy('kyLoop', service.firstMessage, CONCURRENCY, join(folder, 'ky-loop.db'))
  const after = await measureFloor(service.firstMessage)
  if (mirror.notes !== NOTES) throw new Error(`${mirror.notes} of ${NOTES} notes were copied`)

  // The latency may change during a long run, so probes run before and after it.
  const mean = (of: (floor: Floor) => number) => (of(before) + of(after)) / 2
  const bound = mean((floor) => floor.boundMs)
  const time = (name: string, ms: number) => ({ name, column: 'time, s', value: ms / 1000, ratio: ms / bound })
  const processor = (name: string, copied: Copied) => {
    const value = microseconds(copied)
    return { name, column: 'processor time of a note, µs', value, ratio: value / microseconds(kyLoop) }
  }
  const least = NOTES / PAGE + 2 * NOTES
  const counted = { column: 'requests', value: requests, ratio: requests / least, aim: AIMS.requests }
  return {
    title: 'How long does a first backfill take?',
    unit: '',
    note: `${NOTES.toLocaleString('en')} notes with transcript and summary into SQLite, ${CONCURRENCY} notes at once, from a service that answers after ${LATENCY_MS} ms. The bound is the time of the requests alone, ${2 * CONCURRENCY} at once. The loop with ky sends the same requests and fills the same tables; the simple loop sends one request after the other. The bare fetches and the simple loop are calculated from samples.`,
    rows: [
      time('the bound', bound),
      time(
        'bare fetches',
        mean((floor) => floor.barely.ms * (NOTES / BARE_SAMPLE)),
      ),
      { ...time('a simple loop', (NOTES / loop.notes) * loop.ms), isAlternative: true },
      { ...time('a loop with ky', kyLoop.ms), isAlternative: true },
      { ...time('notewire', mirror.ms), aim: AIMS.bound },
      processor('bare fetches', after.barely),
      { ...processor('a simple loop', loop), isAlternative: true },
      { ...processor('a loop with ky', kyLoop), isAlternative: true },
      { ...processor('notewire', mirror), aim: AIMS.processor },
      { name: 'the bound', column: 'requests', value: least, ratio: 1 },
      { name: 'notewire', ...counted },
      { name: 'a loop with ky', column: 'memory, MB', value: kyLoop.maxRssMb },
      {
        name: 'notewire',
        column: 'memory, MB',
        value: mirror.maxRssMb,
        budget: kyLoop.maxRssMb + AIMS.megabytes,
      },
    ],
  }
}

/** The processor time of a note, in microseconds. */
function microseconds({ cpuMs, notes }: Copied): number {
  return (1000 * cpuMs) / notes
}

/** The cost of the requests alone. */
interface Floor {
  readonly boundMs: number
  readonly barely: Copied
}

async function measureFloor(service: Access): Promise<Floor> {
  const pageMs = await latencyOf(service, `?limit=${PAGE}`)
  const contentMs = await latencyOf(service, `/${await firstNoteId(service)}/transcript`)
  const barely = await copy('bare', service, BARE_SAMPLE, String(2 * CONCURRENCY))
  const boundMs = Math.max(pageMs + (NOTES / CONCURRENCY) * contentMs, (NOTES / PAGE) * pageMs)
  return { boundMs, barely }
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

/** @param how  the last arguments of `mirror-backfill-process.ts` */
async function copy(variant: string, { baseUrl, apiKey }: Access, ...how: readonly [number, string]): Promise<Copied> {
  const rest = how.map(String)
  const program = await startProgram<Copied>('mirror-backfill-process.ts', variant, baseUrl, apiKey, ...rest)
  program.process.kill()
  return program.firstMessage
}
