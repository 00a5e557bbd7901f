import { mkdtemp, rm } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises'
import { NotesClient } from '@notewire/client'
import { createMirror, type MirroredNote } from '@notewire/mirror'
import { nodeHandler } from '@notewire/webhooks/node'
import { startPostgres } from 'notewire-test-servers'
import { median } from './measure.ts'
import { noteIdAt, REVISION } from './mirror-notes.ts'
import { openStore, type StorePlace } from './mirror-stores.ts'
import type { Row, Table } from './report.ts'
import { askProgram, type StartedProgram, startProgram } from './start-program.ts'

const NOTES = 200
const LATENCY_MS = 20
const UPDATES = 60
const DELETIONS = 60
const WARM_UP = 10
/** The limit of the time until the content of a hint is visible, in request latencies. */
const AIM = 2

interface Access {
  readonly baseUrl: string
  readonly apiKey: string
  readonly secret: string
}

/** The measurements with one store, in milliseconds. */
interface Measured {
  readonly name: string
  /** The latency of a bare fetch of a note, right before each event. */
  readonly latencies: readonly number[]
  /** From the arrival of an update until its content is visible. */
  readonly visible: readonly number[]
  /** From the arrival of a deletion until its note is invisible. */
  readonly hidden: readonly number[]
}

const NAMES: Readonly<Record<StorePlace['kind'], string>> = {
  memory: 'in memory',
  sqlite: 'in SQLite',
  postgres: 'in PostgreSQL',
}

/** Measures how soon a mirror shows the change of an event. */
export async function measureMirrorHints(): Promise<readonly Table[]> {
  const folder = await mkdtemp(join(tmpdir(), 'notewire-benchmark-'))
  await using postgres = await startPostgres({ durable: true })
  const places: readonly StorePlace[] = [
    { kind: 'memory', at: '' },
    { kind: 'sqlite', at: join(folder, 'mirror.db') },
    { kind: 'postgres', at: postgres.url },
  ]
  try {
    const measured: Measured[] = []
    for (const place of places) measured.push(await measurePlace(place))
    return [
      {
        title: 'How soon does a mirror show a change?',
        unit: 'ms',
        note: `From the arrival of the event until \`mirror.get()\` returns the new content, or \`undefined\` after a deletion. The service answers after ${LATENCY_MS} ms. ${UPDATES} updates and ${DELETIONS} deletions, one after the other.`,
        rows: rowsOf(measured),
      },
    ]
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

function rowsOf(measured: readonly Measured[]): readonly Row[] {
  const latency = median(measured.flatMap(({ latencies }) => latencies))
  const rows = measured.flatMap(({ name, latencies, visible, hidden }): readonly Row[] => {
    // The ratio of each event: a slow moment of the machine affects both.
    const ratios = visible.map((ms, event) => ms / (latencies[event] ?? Number.NaN))
    const update = (column: string, ratio: number) => ({ name, column, value: latency * ratio, ratio })
    return [
      { ...update('updates: median', median(ratios)), aim: AIM },
      update('updates: 95th percentile', percentile(ratios, 95)),
      { name, column: 'deletions: median', value: median(hidden) },
      { name, column: 'deletions: 95th percentile', value: percentile(hidden, 95) },
    ]
  })
  return [{ name: 'one request', column: 'updates: median', value: latency, ratio: 1 }, ...rows]
}

function percentile(values: readonly number[], of: number): number {
  return values.toSorted((a, b) => a - b)[Math.ceil((of / 100) * values.length) - 1] ?? Number.NaN
}

async function measurePlace(place: StorePlace): Promise<Measured> {
  const service = await startProgram<Access>('mirror-service.ts', String(NOTES), String(LATENCY_MS))
  await using open = await openStore(place)
  const { baseUrl, apiKey, secret } = service.firstMessage
  const mirror = createMirror({ client: new NotesClient({ baseUrl, apiKey }), store: open.store })
  await mirror.sync()

  const handle = nodeHandler(mirror.receiver({ secret }))
  let arrivedAt = Number.NaN
  const server = createServer((request, response) => {
    arrivedAt = performance.now()
    handle(request, response)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const end = new AbortController()
  const running = mirror.run({ signal: end.signal })

  const msUntil = async (event: EventToCome, isDone: Ending, pause: () => Promise<unknown>) => {
    arrivedAt = Number.NaN
    const delivered = deliver(service, event, url)
    while (!isDone(await mirror.get(noteIdAt(event.change)))) await pause()
    const ms = performance.now() - arrivedAt
    await delivered
    return ms
  }
  const [latencies, visible, hidden]: readonly [number[], number[], number[]] = [[], [], []]
  try {
    for (let change = 0; change < WARM_UP + UPDATES; change += 1) {
      const latency = await latencyOf(service.firstMessage, noteIdAt(change))
      const ms = await msUntil({ change, kind: 'note.updated' }, isUpdated, () => sleep(1))
      if (change < WARM_UP) continue
      latencies.push(latency)
      visible.push(ms)
    }
    for (let change = NOTES - DELETIONS; change < NOTES; change += 1) {
      hidden.push(await msUntil({ change, kind: 'note.deleted' }, isHidden, () => nextTurn()))
    }
    return { name: `notewire, ${NAMES[place.kind]}`, latencies, visible, hidden }
  } finally {
    end.abort()
    await running
    server.close()
    service.process.kill()
  }
}

interface EventToCome {
  readonly change: number
  readonly kind: 'note.updated' | 'note.deleted'
}

type Ending = (note: MirroredNote | undefined) => boolean

const isHidden: Ending = (note) => note === undefined

const isUpdated: Ending = (found) =>
  found?.isSettled === true &&
  found.note.revision > REVISION &&
  found.transcript?.revision === found.note.revision &&
  found.summary?.revision === found.note.revision

async function deliver(service: StartedProgram<Access>, event: EventToCome, url: string): Promise<void> {
  const { status } = await askProgram<{ status: number }>(service.process, { ...event, url })
  if (status !== 204) throw new Error(`the mirror answered ${status}`)
}

async function latencyOf({ baseUrl, apiKey }: Access, noteId: string): Promise<number> {
  const began = performance.now()
  await (await fetch(`${baseUrl}/v1/notes/${noteId}`, { headers: { authorization: `Bearer ${apiKey}` } })).json()
  return performance.now() - began
}
