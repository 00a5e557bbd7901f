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
import { openStore, type StorePlace } from './mirror-stores.ts'
import type { Row, Table } from './report.ts'
import { askProgram, startProgram } from './start-program.ts'

const FEW = 10_000
/** The number of full listings of few notes, before and after the full listing of many. */
const ROUNDS = 3

/** Our limits: the time of a note as a multiple of that in a full listing of few notes, and the memory above bare fetches. */
const AIMS = { growth: 1.3, megabytes: 150 }

interface Access {
  readonly baseUrl: string
  readonly apiKey: string
}

/** The cost of a full listing. */
interface Scanned {
  readonly seen: number
  readonly missing: number
  readonly ms: number
  readonly cpuMs: number
  readonly maxRssMb: number
}

/** Measures a full listing of many notes that finds no difference, compared with a full listing of few. */
export async function measureMirrorFullListing(
  notes: number,
  kinds: readonly StorePlace['kind'][],
): Promise<readonly Table[]> {
  const folder = await mkdtemp(join(tmpdir(), 'notewire-benchmark-'))
  await using postgres = await startPostgres({ durable: true })
  const placeOf = async (kind: StorePlace['kind'], name: string) =>
    ({ kind, at: kind === 'sqlite' ? join(folder, `${name}.db`) : await postgres.createDatabase(name) }) as const
  try {
    const program = await bundleProgram('mirror-scan-process.ts', folder)
    const rows: Row[] = []
    for (const kind of kinds) {
      await using few = await filledMirror(await placeOf(kind, 'few'), FEW)
      await using many = await filledMirror(await placeOf(kind, 'many'), notes)
      rows.push(...(await compare(program, few, many)))
    }
    return [
      {
        title: `What does a full listing of ${notes.toLocaleString('en')} notes cost?`,
        unit: '',
        note: 'The listings find no difference. The service answers from memory, in pages of 100. The bare fetches only read these pages. Memory is the peak of resident memory.',
        rows,
      },
    ]
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

async function compare(program: string, few: FilledMirror, many: FilledMirror): Promise<readonly Row[]> {
  const ofFew: Scanned[] = []
  const fullListingFew = async () => {
    for (let round = 0; round < ROUNDS; round += 1) ofFew.push(await run(program, 'scan', few, few))
  }
  await fullListingFew()
  const ofMany = await run(program, 'scan', many, few)
  await fullListingFew()
  const bare = await run(program, 'bare', many, few)

  const store = many.place.kind === 'sqlite' ? 'SQLite' : 'PostgreSQL'
  const nameOf = ({ notes }: FilledMirror) => `${store}, ${notes.toLocaleString('en')} notes`
  const rowsOf = (
    column: string,
    ofFullListing: (fullListing: Scanned) => number,
    limit: Partial<Row>,
  ): readonly Row[] => {
    const [base, value] = [median(ofFew.map(ofFullListing)), ofFullListing(ofMany)]
    return [
      { name: nameOf(few), column, value: base, ratio: 1 },
      { name: nameOf(many), column, value, ratio: value / base, ...limit },
    ]
  }
  return [
    ...rowsOf('time of a note, µs', ({ ms, seen }) => (1000 * ms) / seen, { aim: AIMS.growth }),
    ...rowsOf('processor time of a note, µs', ({ cpuMs, seen }) => (1000 * cpuMs) / seen, { aim: AIMS.growth }),
    ...rowsOf('memory, MB', ({ maxRssMb }) => maxRssMb, { budget: bare.maxRssMb + AIMS.megabytes }),
    { name: `${nameOf(many)}, bare fetches`, column: 'memory, MB', value: bare.maxRssMb },
  ]
}

/** Reduces the content to one line: a full listing does not read content, and writing a million complete notes takes long. */
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

/** Full listings in a process that has scanned another mirror before. */
async function run(
  program: string,
  variant: 'scan' | 'bare',
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
    throw new Error(
      `a full listing saw ${firstMessage.seen} of ${measured.notes} notes and missed ${firstMessage.missing}`,
    )
  }
  return firstMessage
}
