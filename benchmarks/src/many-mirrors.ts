import { startPostgres } from 'notewire-test-servers'
import type { Hints, Order, Spent } from './many-mirrors-process.ts'
import { shareOf } from './mirror-share.ts'
import type { Table } from './report.ts'
import { askProgram, startProgram } from './start-program.ts'

const IDLE_MINUTES = Number(process.env['MANY_IDLE_MINUTES'] ?? 10)
const HINTS_PER_SECOND = 50
const HINT_SECONDS = 60

/** Measures mirrors of 10,000 integrations with 20 notes each in PostgreSQL: the cost while idle, of a poll, a scan and a hint, and the latency of a hint. */
export async function measureManyMirrors(): Promise<readonly Table[]> {
  const integrations = Math.ceil(shareOf(10_000) / 100) * 100
  const notesOfBig = shareOf(100_000)
  await using postgres = await startPostgres({ durable: true })
  const service = await startProgram<{ baseUrl: string }>('many-mirrors-service.ts', String(notesOfBig))
  const { process: mirrors } = await startProgram('many-mirrors-process.ts', postgres.url, service.firstMessage.baseUrl)
  const ask = <Answer extends Spent = Spent>(order: Order) => askProgram<Answer>(mirrors, order)
  const requests = async () => (await askProgram<{ requests: number }>(service.process, 'requests')).requests
  try {
    const filled = await ask({ fill: integrations })
    const idle = await ask({ idleMinutes: IDLE_MINUTES })
    const some = Math.min(1_000, integrations)
    await requests()
    const polls = await ask({ polls: some, withScan: false })
    const requestsOfPolls = await requests()
    const scans = await ask({ polls: some, withScan: true })
    const requestsOfScans = await requests()
    const hints = await ask<Hints>({ hintSeconds: HINT_SECONDS, hintsPerSecond: HINTS_PER_SECOND, integrations })
    const poll = shareOfOne(polls, some, requestsOfPolls)
    const scan = shareOfOne(scans, some, requestsOfScans)
    return [
      idleTable(integrations, idle),
      unitTable(integrations, poll, scan, shareOfOne(filled, integrations, integrations)),
      dayTable(poll, scan),
      hintTable(hints, notesOfBig),
    ]
  } finally {
    mirrors.kill()
    service.process.kill()
  }
}

interface Unit {
  readonly requests: number
  readonly statements: number
  readonly cpu: number
  readonly postgresCpu: number
}

function shareOfOne({ statements, cpu, postgresCpu }: Spent, count: number, requests: number): Unit {
  return {
    requests: requests / count,
    statements: statements / count,
    cpu: cpu / count,
    postgresCpu: postgresCpu / count,
  }
}

function idleTable(integrations: number, { elapsed, cpu, postgresCpu, statements, written }: Spent): Table {
  const share = (ms: number) => (ms / elapsed) * 100
  return {
    title: `${integrations} integrations while none is due`,
    unit: '% of a core',
    note: `\`run\` for ${(elapsed / 60_000).toFixed(0)} minutes, polls a day apart. ${statements} statements; ${written} rows of our tables were written.`,
    rows: [
      { name: 'the process', value: share(cpu), ratio: 1, budget: 2 },
      { name: 'its connections to PostgreSQL', value: share(postgresCpu), ratio: postgresCpu / cpu },
    ],
  }
}

function unitTable(integrations: number, poll: Unit, scan: Unit, filled: Unit): Table {
  const cost = ({ cpu, postgresCpu }: Unit) => cpu + postgresCpu
  const row = (name: string, unit: Unit) => ({
    name: `${name}: ${unit.requests.toFixed(1)} requests, ${unit.statements.toFixed(1)} statements`,
    value: cost(unit),
    ratio: cost(unit) / cost(poll),
  })
  return {
    title: `What an integration costs, one of ${integrations}`,
    unit: 'ms of processor time',
    note: "Of the process and its connections to PostgreSQL, with 20 notes an integration and `keep: ['note']`. Statements include the looks that find nothing due.",
    rows: [row('an empty poll', poll), row('a poll and a scan', scan), row('add and first listing', filled)],
  }
}

function dayTable(poll: Unit, scan: Unit): Table {
  const day = (name: string, polls: number) => {
    const requests = polls * poll.requests + scan.requests - poll.requests
    const statements = polls * poll.statements + scan.statements - poll.statements
    const cpuOf = (unit: Unit) => unit.cpu + unit.postgresCpu
    const cpu = polls * cpuOf(poll) + cpuOf(scan) - cpuOf(poll)
    return { name: `${name}: ${requests.toFixed(0)} requests, ${statements.toFixed(0)} statements`, value: cpu }
  }
  // Polls run up to a fifth earlier than due.
  const days = [
    day('polls a day apart', 1.1),
    day('polls an hour apart', 24 * 1.1),
    day('polls every 5 minutes', 288 * 1.1),
  ]
  return {
    title: 'A day of an integration without changes',
    unit: 'ms of processor time',
    note: 'Its polls, and a full scan of 20 notes, from the table before. Polls are an hour apart while events arrive, and five minutes apart without an endpoint.',
    rows: days.map((row) => ({ ...row, ratio: row.value / (days[0]?.value ?? Number.NaN) })),
  }
}

function hintTable({ latencies, lost, backfilled, elapsed, cpu, postgresCpu }: Hints, notesOfBig: number): Table {
  const sorted = latencies.toSorted((one, other) => one - other)
  const percentile = (of: number) => sorted[Math.ceil((of / 100) * sorted.length) - 1] ?? Number.NaN
  const rows = [
    { name: 'median', value: percentile(50) },
    { name: '95 of 100', value: percentile(95), budget: 1_000 },
    { name: 'slowest', value: percentile(100) },
  ]
  const cores = ((cpu + postgresCpu) / elapsed).toFixed(1)
  return {
    title: `From a hint to its content, ${HINTS_PER_SECOND} hints a second`,
    unit: 'ms',
    note: `${sorted.length} hints in as many integrations; ${lost} were not seen within a minute. Meanwhile three integrations list ${notesOfBig} notes each (${backfilled} notes at the end), one is answered 429, and one hangs. The process and PostgreSQL use ${cores} cores.`,
    rows: rows.map((row) => ({ ...row, ratio: row.value / percentile(50) })),
  }
}
