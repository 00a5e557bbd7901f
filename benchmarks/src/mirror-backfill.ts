import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { median } from './measure.ts'
import { shareOf } from './mirror-share.ts'
import type { Table } from './report.ts'
import { askProgram, type StartedProgram, startProgram } from './start-program.ts'

/** The number of notes to copy, and the number of notes read in parallel, each with two requests. */
const CASES: readonly Case[] = [
  { notes: shareOf(100_000), concurrency: 16 },
  { notes: shareOf(20_000), concurrency: 8 },
]
/** The number of notes for the loop, which would take an hour for all, and for the bare fetches. */
const LOOP_SAMPLE = 500
const BARE_SAMPLE = 2_500
/** The number of notes for the bare fetches whose memory is measured. */
const MEMORY_SAMPLE = shareOf(20_000)
const PAGE = 100
const LATENCY_MS = 20
const PROBES = 40

/**
 * Our limits: shares of the bound, of a user's loop, of the cost of the bare requests, and of the processor time of a loop with ky; and the
 * megabytes that a mirror takes in addition to bare fetches.
 */
const AIMS = { bound: 0.9, loop: 6, requests: 1.02, processor: 1.15, megabytes: 150 }

interface Case {
  readonly notes: number
  readonly concurrency: number
}

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
  const tables: Table[] = []
  for (const measured of CASES) tables.push(...(await measureCase(measured)))
  return tables
}

async function measureCase(measured: Case): Promise<readonly Table[]> {
  const service = await startProgram<Access>('mirror-service.ts', String(measured.notes), String(LATENCY_MS))
  const folder = await mkdtemp(join(tmpdir(), 'notewire-benchmark-'))
  try {
    return await compare(measured, service, folder)
  } finally {
    service.process.kill()
    await rm(folder, { recursive: true, force: true })
  }
}

async function compare(
  { notes, concurrency }: Case,
  service: StartedProgram<Access>,
  folder: string,
): Promise<readonly Table[]> {
  const before = await measureFloor(service.firstMessage, { notes, concurrency })
  const loop = await copy('loop', service.firstMessage, LOOP_SAMPLE, join(folder, 'loop.db'))
  await askProgram(service.process, 'requests')
  const mirror = await copy('mirror', service.firstMessage, concurrency, join(folder, 'mirror.db'))
  const { requests } = await askProgram<{ requests: number }>(service.process, 'requests')
  const byNodeFetch = await copy('mirrorByNodeFetch', service.firstMessage, concurrency, join(folder, 'node-fetch.db'))
  const kyLoop = await copy('kyLoop', service.firstMessage, concurrency, join(folder, 'ky-loop.db'))
  const longBare = await copy('bare', service.firstMessage, Math.min(notes, MEMORY_SAMPLE), String(2 * concurrency))
  const after = await measureFloor(service.firstMessage, { notes, concurrency })
  for (const copied of [mirror, byNodeFetch]) {
    if (copied.notes !== notes) throw new Error(`${copied.notes} of ${notes} notes were copied`)
  }

  // The latency may change during a long run, so probes run before and after it.
  const mean = (of: (floor: Floor) => number) => (of(before) + of(after)) / 2
  const bound = mean((floor) => floor.boundMs)
  const rowOf = (name: string, ms: number) => ({ name, value: ms / 1000, ratio: ms / bound })
  const loopMs = (notes / loop.notes) * loop.ms
  const least = notes / PAGE + 2 * notes
  const leastCpu = microseconds(kyLoop)
  const cpuRowOf = (name: string, copied: Copied) => {
    const value = microseconds(copied)
    return { name, value, ratio: value / leastCpu, budget: AIMS.processor * leastCpu }
  }
  const memoryRowOf = (name: string, { maxRssMb }: Copied) => {
    const budget = longBare.maxRssMb + AIMS.megabytes
    return { name, value: maxRssMb, ratio: maxRssMb / longBare.maxRssMb, budget }
  }
  const [many, atOnce] = [notes.toLocaleString('en'), 2 * concurrency]
  return [
    {
      title: `Time to mirror ${many} notes with their content, ${concurrency} at once, at ${LATENCY_MS} ms from the service`,
      unit: 's',
      note: `Into SQLite. The bound: the first of the pages of ${PAGE}, then two requests a note, never more than ${atOnce} at once, each as long as a bare fetch of the same takes alone right before and after (${mean((floor) => floor.contentMs).toFixed(1)} ms). Bare fetches: as many and as many at once, of a sample of ${BARE_SAMPLE.toLocaleString('en')} notes, with nothing kept. The loop: list, transcript, summary and row, one after the other, of a sample of ${loop.notes.toLocaleString('en')} notes. The budget is the bound / ${AIMS.bound}; the loop is to take at least ${AIMS.loop} × the time of the mirror.`,
      rows: [
        rowOf('the bound', bound),
        rowOf(
          'bare fetches',
          mean((floor) => floor.bareMs),
        ),
        { ...rowOf('notewire', mirror.ms), budget: bound / AIMS.bound / 1000 },
        rowOf('notewire, with nodeFetch', byNodeFetch.ms),
        { ...rowOf('the loop that a user writes', loopMs), least: (AIMS.loop * mirror.ms) / 1000 },
      ],
    },
    {
      title: `Processor time to mirror a note of ${many}, ${concurrency} at once`,
      unit: 'µs',
      note: 'The loop with ky makes the same requests and fills the same tables and index, one transaction a page. nodeFetch is the fetch of @notewire/client/node-fetch.',
      rows: [
        { name: 'bare fetches', value: microseconds(after.barely), ratio: microseconds(after.barely) / leastCpu },
        { name: 'a loop with ky', value: leastCpu, ratio: 1 },
        cpuRowOf('notewire', mirror),
        cpuRowOf('notewire, with nodeFetch', byNodeFetch),
      ],
    },
    {
      title: `Memory of a process that mirrors ${many} notes, ${concurrency} at once`,
      unit: 'MB',
      note: `Each in a process of its own: the most that was resident, garbage included. Bare fetches: as many at once, of ${longBare.notes.toLocaleString('en')} notes, with nothing kept. The budget is ${AIMS.megabytes} MB more than bare fetches take.`,
      rows: [
        { name: 'bare fetches', value: longBare.maxRssMb, ratio: 1 },
        { name: 'a loop with ky', value: kyLoop.maxRssMb, ratio: kyLoop.maxRssMb / longBare.maxRssMb },
        memoryRowOf('notewire', mirror),
        memoryRowOf('notewire, with nodeFetch', byNodeFetch),
      ],
    },
    {
      title: `Requests to mirror ${many} notes with their content, ${concurrency} at once`,
      unit: 'requests',
      note: `The least: pages of ${PAGE}, a transcript and a summary of each note.`,
      rows: [
        { name: 'the least', value: least, ratio: 1 },
        { name: 'notewire', value: requests, ratio: requests / least, budget: AIMS.requests * least },
      ],
    },
  ]
}

/** The processor time of a note, in microseconds. */
function microseconds({ cpuMs, notes }: Copied): number {
  return (1000 * cpuMs) / notes
}

/** The minimum latencies, in milliseconds. */
interface Floor {
  /** A single request for a transcript or a summary. */
  readonly contentMs: number
  readonly boundMs: number
  readonly bareMs: number
  readonly barely: Copied
}

async function measureFloor(service: Access, { notes, concurrency }: Case): Promise<Floor> {
  const pageMs = await latencyOf(service, `?limit=${PAGE}`)
  const contentMs = await latencyOf(service, `/${await firstNoteId(service)}/transcript`)
  const barely = await copy('bare', service, BARE_SAMPLE, String(2 * concurrency))
  const boundMs = Math.max(pageMs + (notes / concurrency) * contentMs, (notes / PAGE) * pageMs)
  return { contentMs, boundMs, bareMs: (notes / BARE_SAMPLE) * barely.ms, barely }
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
