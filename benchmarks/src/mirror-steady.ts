import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { NotesClient } from '@notewire/client'
import { createMirror, type Mirror } from '@notewire/mirror'
import { startPostgres } from 'notewire-test-servers'
import { mediansTurnByTurn } from './measure.ts'
import { openStore, type StorePlace } from './mirror-stores.ts'
import { comparedWith, type Table } from './report.ts'
import { askProgram, startProgram } from './start-program.ts'

const NOTES = 200
const ROUNDS = 15
const POLLS_A_ROUND = 20
const BARE = 'a bare fetch of the same page'

interface Access {
  readonly baseUrl: string
  readonly apiKey: string
}

/** Measures the cost of a mirror while nothing changes: requests and processor time. */
export async function measureMirrorSteady(): Promise<readonly Table[]> {
  const folder = await mkdtemp(join(tmpdir(), 'notewire-benchmark-'))
  const service = await startProgram<Access>('mirror-service.ts', String(NOTES), '0')
  await using postgres = await startPostgres({ durable: true })
  await using memory = await pollingMirror({ kind: 'memory', at: '' }, service.firstMessage)
  await using sqlite = await pollingMirror({ kind: 'sqlite', at: join(folder, 'mirror.db') }, service.firstMessage)
  await using inPostgres = await pollingMirror({ kind: 'postgres', at: postgres.url }, service.firstMessage)
  const polls = { 'notewire, in memory': memory, 'notewire, in SQLite': sqlite, 'notewire, in PostgreSQL': inPostgres }
  try {
    const requests: Record<string, number> = {}
    for (const [name, { poll }] of Object.entries(polls)) {
      await askProgram(service.process, 'requests')
      for (let turn = 0; turn < POLLS_A_ROUND; turn += 1) await poll()
      const counted = await askProgram<{ requests: number }>(service.process, 'requests')
      requests[name] = counted.requests / POLLS_A_ROUND
    }
    const samplers = Object.entries(polls).map(([name, { poll }]) => [name, () => cpuMsOf(poll)] as const)
    const cpuMs = await mediansTurnByTurn(
      { [BARE]: () => cpuMsOf(() => fetchNothing(service.firstMessage)), ...Object.fromEntries(samplers) },
      ROUNDS,
    )
    return [
      {
        title: 'What does a poll cost while nothing changes?',
        unit: '',
        note: 'Processor time of the process that polls, without PostgreSQL.',
        rows: [
          ...comparedWith(BARE, cpuMs, (name) => ({ column: 'processor time, ms', isAlternative: name === BARE })),
          ...Object.entries(requests).map(([name, value]) => ({ name, column: 'requests', value, budget: 1 })),
        ],
      },
    ]
  } finally {
    service.process.kill()
    await rm(folder, { recursive: true, force: true })
  }
}

interface PollingMirror extends AsyncDisposable {
  poll(): Promise<unknown>
}

async function pollingMirror(place: StorePlace, { baseUrl, apiKey }: Access): Promise<PollingMirror> {
  const open = await openStore(place)
  const mirror: Mirror = createMirror({ client: new NotesClient({ baseUrl, apiKey }), store: open.store })
  await mirror.sync()
  return { poll: () => mirror.sync(), [Symbol.asyncDispose]: () => open[Symbol.asyncDispose]() }
}

async function cpuMsOf(operate: () => Promise<unknown>): Promise<number> {
  const before = process.cpuUsage()
  for (let turn = 0; turn < POLLS_A_ROUND; turn += 1) await operate()
  const { user, system } = process.cpuUsage(before)
  return (user + system) / 1000 / POLLS_A_ROUND
}

async function fetchNothing({ baseUrl, apiKey }: Access): Promise<unknown> {
  const query = `limit=100&include_deleted=true&updated_after=${new Date().toISOString()}`
  return (await fetch(`${baseUrl}/v1/notes?${query}`, { headers: { authorization: `Bearer ${apiKey}` } })).json()
}
