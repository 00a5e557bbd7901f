import { mediansTurnByTurn } from './measure.ts'
import { comparedWith, type Table } from './report.ts'
import { startProgram } from './start-program.ts'

const NOTES = 100_000
const ROUNDS = 3
const VARIANTS = ['a loop with fetch', 'a loop with ky', 'notewire']
/** Our limit, as a multiple of the loop with `fetch`. */
const AIM = 1.5

interface Access {
  readonly baseUrl: string
  readonly apiKey: string
}

/** Measures the processor time of a client that lists many notes. The service runs in another process. */
export async function measureListing(): Promise<readonly Table[]> {
  const service = await startProgram<Access>('mirror-service.ts', String(NOTES), '0')
  const milliseconds = await mediansTurnByTurn(
    Object.fromEntries(VARIANTS.map((variant) => [variant, () => millisecondsToList(variant, service.firstMessage)])),
    ROUNDS,
  )
  service.process.kill()
  return [
    {
      title: `How much processor time does the client take to list ${NOTES.toLocaleString('en')} notes?`,
      unit: 'ms',
      note: 'In pages of 100. Only notewire validates, and the loop with `fetch` does not retry.',
      rows: comparedWith('a loop with fetch', milliseconds, (name) =>
        name === 'notewire' ? { aim: AIM } : { isAlternative: true },
      ),
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
