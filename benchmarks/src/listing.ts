import { mediansTurnByTurn } from './measure.ts'
import type { Table } from './report.ts'
import { startProgram } from './start-program.ts'

const NOTES = 100_000
const ROUNDS = 5
/** The limit of the cost of our listing, as a multiple of the bare loop. */
const BUDGET = 1.5

interface Access {
  readonly baseUrl: string
  readonly apiKey: string
}

/** Measures the processor time of a client that lists many notes. The service runs in another process. */
export async function measureListing(): Promise<readonly Table[]> {
  const service = await startProgram<Access>('mock-service.ts', String(NOTES))
  const {
    'a bare fetch loop': bare = Number.NaN,
    'a ky loop': ky = Number.NaN,
    notewire = Number.NaN,
  } = await mediansTurnByTurn(
    {
      'a bare fetch loop': () => millisecondsToList('bare', service.firstMessage),
      'a ky loop': () => millisecondsToList('ky', service.firstMessage),
      notewire: () => millisecondsToList('notewire', service.firstMessage),
    },
    ROUNDS,
  )
  service.process.kill()
  return [
    {
      title: `Processor time of a client that lists ${NOTES.toLocaleString('en')} notes`,
      unit: 'ms',
      note: 'In pages of 100, from the mock service on loopback. The bare loop neither validates nor retries, the ky loop does not validate. Ratios to the bare loop.',
      rows: [
        { name: 'a bare fetch loop', value: bare, ratio: 1 },
        { name: 'a ky loop', value: ky, ratio: ky / bare },
        { name: 'notewire', value: notewire, ratio: notewire / bare, budget: BUDGET * bare },
      ],
    },
  ]
}

async function millisecondsToList(variant: string, { baseUrl, apiKey }: Access): Promise<number> {
  const client = await startProgram<{ notes: number; cpu: number }>('client-under-test.ts', variant, baseUrl, apiKey)
  client.process.kill()
  const { notes, cpu } = client.firstMessage
  if (notes !== NOTES) throw new Error(`${variant} listed ${notes} notes instead of ${NOTES}`)
  return cpu / 1000
}
