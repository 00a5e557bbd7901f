import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { startPostgres } from 'notewire-test-servers'
import { Pool } from 'pg'
import { noteIdAt, REVISION } from './mirror-notes.ts'
import type { StorePlace } from './mirror-stores.ts'
import type { Order } from './mirror-worker-process.ts'
import type { Row, Table } from './report.ts'
import { askProgram, type StartedProgram, startProgram } from './start-program.ts'

const VARIANTS = ['createMirror', 'createMirrors'] as const
const LATENCY_MS = 20
const NOTES = 3_000
const SLOW_NOTES = 10
const HINTS = 100
/** Of the 95th percentile of the hints during a backfill, in milliseconds. */
const HINT_BUDGET = 300
const LARGE_ACCOUNT = 50_000
const IDLE_MINUTES = 1

type Variant = (typeof VARIANTS)[number]

interface Access {
  readonly baseUrl: string
  readonly apiKey: string
  readonly secret: string
}

/** Measures how soon the mirror of one account shows the change of an event while it copies all notes, and after a kill. */
export async function measureMirrorOfOneAccount(): Promise<readonly Table[]> {
  const folder = await mkdtemp(join(tmpdir(), 'notewire-benchmark-'))
  try {
    const rows: Row[] = []
    for (const variant of VARIANTS) {
      const place = (name: string): StorePlace => ({ kind: 'sqlite', at: join(folder, `${variant}-${name}.db`) })
      rows.push(...(await hintsDuringBackfill(variant, 0, place('hints'))))
      rows.push(...(await hintsDuringBackfill(variant, SLOW_NOTES, place('slow'))))
      rows.push({ ...row(variant, 'first hint after a kill'), value: await hintAfterKill(variant, place('kill')) })
    }
    return [
      {
        title: 'How soon does a mirror show a change during its first backfill?',
        unit: 'ms',
        note: `From the arrival of an event until the new content is visible, while ${NOTES.toLocaleString('en')} notes are copied into SQLite, from a service that answers after ${LATENCY_MS} ms. With slow notes, the content of ${SLOW_NOTES} notes takes 5 s. Kill: the worker is killed during the backfill, and another one gets an event.`,
        rows,
      },
    ]
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

/** Measures what two workers gain for a large account, and what a worker writes while nothing happens. */
export async function measureMirrorWorkers(): Promise<readonly Table[]> {
  const rows: Row[] = []
  for (const variant of VARIANTS) {
    const one = await copyWith(1, variant)
    const two = await copyWith(2, variant)
    rows.push({ ...row(variant, 'one worker, s'), value: one / 1000 })
    rows.push({ ...row(variant, 'two workers, s'), value: two / 1000, ratio: two / one })
    rows.push({ ...row(variant, 'rows written in an idle minute'), value: await rowsWrittenIdle(variant) })
  }
  return [
    {
      title: 'What do two workers of one account gain?',
      unit: '',
      note: `One and two processes copy ${LARGE_ACCOUNT.toLocaleString('en')} notes into PostgreSQL, from a service that answers after ${LATENCY_MS} ms. Idle: the rows that PostgreSQL counted.`,
      rows,
    },
  ]
}

function row(variant: Variant, column: string): Omit<Row, 'value'> {
  return { name: `notewire, ${variant}`, column }
}

async function hintsDuringBackfill(variant: Variant, slowNotes: number, place: StorePlace): Promise<readonly Row[]> {
  const service = await startService(NOTES, LATENCY_MS, slowNotes)
  const worker = await startWorker(variant, place, service.firstMessage)
  const name = slowNotes === 0 ? 'hints' : 'hints, slow notes'
  try {
    const latencies: number[] = []
    for (let hint = 0; hint < HINTS; hint += 1) {
      if ((await copied(worker)) === NOTES - slowNotes) break
      // Never a slow note, whose index is divisible by the number of notes for each slow one.
      latencies.push(await latencyOfHint(service, worker, 1 + hint * 30))
    }
    return [
      { ...row(variant, `${name}: median`), value: percentile(latencies, 50) },
      { ...row(variant, `${name}: 95th percentile`), value: percentile(latencies, 95), budget: HINT_BUDGET },
    ]
  } finally {
    worker.process.kill()
    service.process.kill()
  }
}

async function hintAfterKill(variant: Variant, place: StorePlace): Promise<number> {
  const service = await startService(NOTES, LATENCY_MS, 0)
  const killed = await startWorker(variant, place, service.firstMessage)
  while ((await copied(killed)) < NOTES / 10) await sleep(50)
  killed.process.kill('SIGKILL')
  const worker = await startWorker(variant, place, service.firstMessage)
  try {
    return await latencyOfHint(service, worker, 1)
  } finally {
    worker.process.kill()
    service.process.kill()
  }
}

/** How long workers need to copy a large account, in milliseconds. */
async function copyWith(workers: number, variant: Variant): Promise<number> {
  await using postgres = await startPostgres({ durable: true })
  const service = await startService(LARGE_ACCOUNT, LATENCY_MS, 0)
  const place = { kind: 'postgres', at: postgres.url } as const
  const began = performance.now()
  const started: StartedProgram<{ url: string }>[] = []
  while (started.length < workers) started.push(await startWorker(variant, place, service.firstMessage))
  const [first] = started
  while (first !== undefined && (await copied(first)) < LARGE_ACCOUNT) await sleep(500)
  const ms = performance.now() - began
  for (const program of [...started, service]) program.process.kill()
  return ms
}

/** The rows that a worker inserts, updates and deletes while nothing happens. */
async function rowsWrittenIdle(variant: Variant): Promise<number> {
  await using postgres = await startPostgres({ durable: true })
  const service = await startService(10, 0, 0)
  const worker = await startWorker(variant, { kind: 'postgres', at: postgres.url }, service.firstMessage)
  const pool = new Pool({ connectionString: postgres.url })
  try {
    while ((await copied(worker)) < 10) await sleep(100)
    await sleep(5_000)
    const before = await rowsWritten(pool)
    await sleep(IDLE_MINUTES * 60_000)
    return (await rowsWritten(pool)) - before
  } finally {
    worker.process.kill()
    service.process.kill()
    await pool.end()
  }
}

async function rowsWritten(pool: Pool): Promise<number> {
  const { rows } = await pool.query(
    'SELECT sum(n_tup_ins + n_tup_upd + n_tup_del)::float8 AS written FROM pg_stat_user_tables',
  )
  return rows[0]?.written ?? 0
}

async function startService(notes: number, latencyMs: number, slowNotes: number): Promise<StartedProgram<Access>> {
  return await startProgram('mirror-service.ts', ...[notes, latencyMs, slowNotes].map(String))
}

async function startWorker(variant: Variant, { kind, at }: StorePlace, { baseUrl, apiKey, secret }: Access) {
  return await startProgram<{ url: string }>('mirror-worker-process.ts', variant, kind, at, baseUrl, apiKey, secret)
}

async function copied({ process }: StartedProgram<unknown>): Promise<number> {
  return (await askProgram<{ copied: number }>(process, 'copied' satisfies Order)).copied
}

/** Changes a note, delivers the event, and returns the time until its content is visible, in milliseconds. */
async function latencyOfHint(
  service: StartedProgram<Access>,
  worker: StartedProgram<{ url: string }>,
  change: number,
): Promise<number> {
  const order: Order = { noteId: noteIdAt(change), revision: REVISION + 1 }
  const visible = askProgram<{ ms: number }>(worker.process, order)
  const event = { change, kind: 'note.updated', url: worker.firstMessage.url }
  const { status } = await askProgram<{ status: number }>(service.process, event)
  if (status !== 204) throw new Error(`the mirror answered ${status}`)
  return (await visible).ms
}

function percentile(values: readonly number[], of: number): number {
  return values.toSorted((a, b) => a - b)[Math.ceil((of / 100) * values.length) - 1] ?? Number.NaN
}
