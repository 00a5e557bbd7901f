import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { NotesClient } from '@notewire/client'
import { createMirror } from '@notewire/mirror'
import { startPostgres } from 'notewire-test-servers'
import { median } from './measure.ts'
import { bundleProgram } from './mirror-bundle.ts'
import { fillStore } from './mirror-filling.ts'
import { sampleNotes, type WholeNote } from './mirror-notes.ts'
import { shareOf } from './mirror-share.ts'
import { openStore, type StorePlace } from './mirror-stores.ts'
import type { Row, Table } from './report.ts'
import { askProgram, startProgram } from './start-program.ts'

const FEW = 10_000
/** The notes in SQLite. Filling PostgreSQL takes longer. */
const MANY = { sqlite: shareOf(1_000_000), postgres: shareOf(100_000) }
/** The number of scans of few notes, before and after the scan of many. */
const ROUNDS = 3

/** Our limits: the growth of a note's share of a scan, and the memory above that of bare fetches. */
const AIMS = { growth: 1.3, megabytesAboveBare: 150 }

interface Access {
  readonly baseUrl: string
  readonly apiKey: string
}

/** The cost of a scan. */
interface Scanned {
  readonly seen: number
  readonly missing: number
  readonly ms: number
  readonly cpuMs: number
  readonly rssMb: number
  readonly maxRssMb: number
  readonly liveMb: number
}

/** Measures a scan of many notes that finds no difference, compared with a scan of few. */
export async function measureMirrorScan(): Promise<readonly Table[]> {
  const folder = await mkdtemp(join(tmpdir(), 'notewire-benchmark-'))
  await using postgres = await startPostgres({ durable: true })
  try {
    const program = await bundleProgram('mirror-scan-process.ts', folder)
    return [
      ...(await compare('SQLite', program, MANY.sqlite, {
        few: { kind: 'sqlite', at: join(folder, 'few.db') },
        many: { kind: 'sqlite', at: join(folder, 'many.db') },
      })),
      ...(await compare('PostgreSQL', program, MANY.postgres, {
        few: { kind: 'postgres', at: await postgres.createDatabase('few') },
        many: { kind: 'postgres', at: await postgres.createDatabase('many') },
      })),
    ]
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

async function compare(
  name: string,
  program: string,
  manyNotes: number,
  places: Readonly<Record<'few' | 'many', StorePlace>>,
): Promise<readonly Table[]> {
  await using few = await filledMirror(places.few, FEW)
  await using many = await filledMirror(places.many, manyNotes)
  const ofFew: Scanned[] = []
  const scanFew = async () => {
    for (let round = 0; round < ROUNDS; round += 1) ofFew.push(await run(program, 'scan', few, few))
  }
  await scanFew()
  const ofMany = await run(program, 'scan', many, few)
  await scanFew()
  const memory = {
    few: median(ofFew.map(({ maxRssMb }) => maxRssMb)),
    many: ofMany.maxRssMb,
    bare: (await run(program, 'bare', many, few)).maxRssMb,
    liveInFew: (await run(program, 'live', few, few)).liveMb,
    liveInMany: (await run(program, 'live', many, few)).liveMb,
  }
  return [costTable(name, ofFew, ofMany), memoryTable(name, countOf(ofFew[0]), countOf(ofMany), memory)]
}

function costTable(name: string, ofFew: readonly Scanned[], ofMany: Scanned): Table {
  const microseconds = (scanned: readonly Scanned[], of: (scan: Scanned) => number) =>
    median(scanned.map((one) => (1000 * of(one)) / one.seen))
  const rowsOf = (what: string, of: (scan: Scanned) => number): readonly Row[] => {
    const [base, value] = [microseconds(ofFew, of), microseconds([ofMany], of)]
    return [
      { name: `${countOf(ofFew[0])}, ${what}`, value: base, ratio: 1 },
      { name: `${countOf(ofMany)}, ${what}`, value, ratio: value / base, budget: AIMS.growth * base },
    ]
  }
  return {
    title: `A note's share of a scan, in ${name}`,
    unit: 'µs',
    note: `Pages of 100 from a service in another process that answers from memory. Every note is stamped, none is news. Each scan is the second of its process, whose first was of few notes. Of few, the median of ${2 * ROUNDS}, half of them before and half after that of many.`,
    rows: [...rowsOf('elapsed', ({ ms }) => ms), ...rowsOf('processor time', ({ cpuMs }) => cpuMs)],
  }
}

/** The memory of scanning processes, in MB. */
interface ScanMemory {
  readonly few: number
  readonly many: number
  readonly bare: number
  readonly liveInFew: number
  readonly liveInMany: number
}

function memoryTable(name: string, few: string, many: string, memory: ScanMemory): Table {
  const rowOf = (what: string, value: number) => ({ name: what, value, ratio: value / memory.few })
  return {
    title: `Memory of a process that scans, in ${name}`,
    unit: 'MB',
    note: `A process of its own, which runs a bundle. Resident: the most that ever was, garbage included, of which Node.js lets lie more in a machine with more memory (NODE_OPTIONS=--max-semi-space-size=16 bounds it). Bare fetches: of the same pages, one after the other, with nothing kept. The budget is for the difference. Live: the most that a garbage collection in the middle of a scan found in use.`,
    rows: [
      rowOf(`${few}, resident`, memory.few),
      rowOf(`${many}, resident`, memory.many),
      rowOf(`bare fetches of ${many}, resident`, memory.bare),
      { ...rowOf(`${many}, resident, above bare fetches`, memory.many - memory.bare), budget: AIMS.megabytesAboveBare },
      rowOf(`${few}, live`, memory.liveInFew),
      rowOf(`${many}, live`, memory.liveInMany),
    ],
  }
}

function countOf(scanned: Scanned | undefined): string {
  return `${scanned?.seen.toLocaleString('en')} notes`
}

/** Reduces the content to one line: a scan does not read content, and writing a million complete notes takes long. */
function inBrief({ note, transcript, summary }: WholeNote): WholeNote {
  const markdown = summary.markdown?.slice(0, 60) ?? null
  return {
    note,
    transcript: { ...transcript, text: transcript.text?.slice(0, 60) ?? '', segments: [] },
    summary: { ...summary, markdown },
  }
}

/** An up-to-date mirror, and its service. */
interface FilledMirror extends AsyncDisposable {
  readonly notes: number
  readonly place: StorePlace
  readonly service: Access
}

async function filledMirror(place: StorePlace, notes: number): Promise<FilledMirror> {
  const { firstMessage, process } = await startProgram<Access>('mirror-service.ts', '0', '0')
  const { baseUrl, apiKey } = firstMessage
  await using open = await openStore(place)
  // Backfills no notes, so that the following polls find nothing.
  await createMirror({ client: new NotesClient({ baseUrl, apiKey }), store: open.store }).sync()
  await fillStore(open.store, notes, (await sampleNotes()).map(inBrief))
  await askProgram(process, { notes })
  return { notes, place, service: firstMessage, [Symbol.asyncDispose]: async () => void process.kill() }
}

/** Scans in a process that has scanned another mirror before. */
async function run(
  program: string,
  variant: 'scan' | 'live' | 'bare',
  measured: FilledMirror,
  before: FilledMirror,
): Promise<Scanned> {
  const argumentsOf = ({ place: { kind, at }, service: { baseUrl, apiKey } }: FilledMirror) => [
    kind,
    at,
    baseUrl,
    apiKey,
  ]
  const { firstMessage, process } = await startProgram<Scanned>(
    program,
    variant,
    ...argumentsOf(before),
    ...argumentsOf(measured),
  )
  process.kill()
  if (firstMessage.seen !== measured.notes || firstMessage.missing !== 0) {
    throw new Error(`a scan saw ${firstMessage.seen} of ${measured.notes} notes and missed ${firstMessage.missing}`)
  }
  return firstMessage
}
