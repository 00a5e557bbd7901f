import { startPostgres } from 'notewire-test-servers'
import type { Hints, Order, Spent } from './many-mirrors-process.ts'
import type { Row, Table } from './report.ts'
import { askProgram, startProgram } from './start-program.ts'

const INTEGRATIONS = 10_000
const NOTES_OF_BIG = 100_000
const IDLE_MINUTES = 2
const POLLS = 1_000
const HINTS_PER_SECOND = 50
const HINT_SECONDS = 60

/** Our limits, in milliseconds: processor time of a minute without a due integration, and latency of a hint. */
const BUDGETS = { idleMinute: 1_200, hint: 1_000 }

/** Measures mirrors of many integrations with 20 notes each in PostgreSQL: the cost while idle, of a poll and of a full listing, and the latency of a hint. */
export async function measureManyMirrors(): Promise<readonly Table[]> {
  await using postgres = await startPostgres({ durable: true })
  const service = await startProgram<{ baseUrl: string }>('many-mirrors-service.ts', String(NOTES_OF_BIG))
  const { process: mirrors } = await startProgram('many-mirrors-process.ts', postgres.url, service.firstMessage.baseUrl)
  const costOf = async (order: Order, times: number): Promise<Cost> => {
    await askProgram(service.process, 'requests')
    const { statements, cpu } = await askProgram<Spent>(mirrors, order)
    const { requests } = await askProgram<{ requests: number }>(service.process, 'requests')
    return { requests: requests / times, statements: statements / times, cpu: cpu / times }
  }
  try {
    const added = await costOf({ fill: INTEGRATIONS }, INTEGRATIONS)
    const idleMinute = await costOf({ idleMinutes: IDLE_MINUTES }, IDLE_MINUTES)
    const poll = await costOf({ polls: POLLS, withFullListing: false }, POLLS)
    const fullListing = await costOf({ polls: POLLS, withFullListing: true }, POLLS)
    const hints = await askProgram<Hints>(mirrors, {
      hintSeconds: HINT_SECONDS,
      hintsPerSecond: HINTS_PER_SECOND,
      integrations: INTEGRATIONS,
    })
    return [costTable(added, idleMinute, poll, fullListing), hintTable(hints)]
  } finally {
    mirrors.kill()
    service.process.kill()
  }
}

/** The cost of one operation. */
interface Cost {
  readonly requests: number
  readonly statements: number
  /** Processor time in milliseconds. */
  readonly cpu: number
}

function costTable(added: Cost, idleMinute: Cost, poll: Cost, fullListing: Cost): Table {
  // Polls run up to a fifth earlier than due.
  const day = (polls: number): Cost => {
    const of = (key: keyof Cost) => 1.1 * polls * poll[key] + fullListing[key] - poll[key]
    return { requests: of('requests'), statements: of('statements'), cpu: of('cpu') }
  }
  const row = (name: string, { requests, statements, cpu }: Cost, limit: Partial<Row> = {}): readonly Row[] => [
    { name, column: 'requests', value: requests },
    { name, column: 'statements', value: statements },
    { name, column: 'processor time, ms', value: cpu, ...limit },
  ]
  return {
    title: `What do ${INTEGRATIONS.toLocaleString('en')} integrations cost a mirror?`,
    unit: '',
    note: "20 notes for each integration in PostgreSQL, with `keep: ['note']`. The first row is the cost of all integrations, the other rows are the cost of one. Processor time includes the connections in PostgreSQL. The days are calculated, without changes and with one full listing.",
    rows: [
      ...row('a minute in which no integration is due', idleMinute, { budget: BUDGETS.idleMinute }),
      ...row('add and first listing', added),
      ...row('a poll that finds no change', poll),
      ...row('a poll and a full listing', fullListing),
      ...row('a day, polls a day apart', day(1)),
      ...row('a day, polls an hour apart', day(24)),
      ...row('a day, polls five minutes apart', day(288)),
    ],
  }
}

function hintTable({ latencies, lost, backfilled, elapsed, cpu }: Hints): Table {
  const sorted = latencies.toSorted((one, other) => one - other)
  const percentile = (of: number) => sorted[Math.ceil((of / 100) * sorted.length) - 1] ?? Number.NaN
  return {
    title: 'How soon does a mirror of many integrations show a change?',
    unit: 'ms',
    note: `From an event to the stored content, at ${HINTS_PER_SECOND} events a second, ${sorted.length.toLocaleString('en')} in all; ${lost} took longer than a minute. Meanwhile three integrations list ${NOTES_OF_BIG.toLocaleString('en')} notes each (${backfilled.toLocaleString('en')} at the end), one gets only 429, and one gets no responses. The process and PostgreSQL use ${(cpu / elapsed).toFixed(1)} cores.`,
    rows: [
      { name: 'median', value: percentile(50) },
      { name: '95th percentile', value: percentile(95), budget: BUDGETS.hint },
      { name: 'slowest', value: percentile(100) },
    ],
  }
}
