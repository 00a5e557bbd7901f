import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createNotesService } from '@notewire/mock-server'
import { run, WORKSPACE } from '../../scripts/run.ts'
import { mediansTurnByTurn } from './measure.ts'
import type { Table } from './report.ts'

const ROUNDS = 15

/** The limits of the processor time, in milliseconds. */
const HELP_BUDGET_MS = 120
const EMPTY_PULL_BUDGET_MS = 400

/** Measures the processor time of a command that does nothing, and of one that finds nothing. The packages must have been built. */
export async function measureCommandLine(): Promise<readonly Table[]> {
  const folder = await mkdtemp(join(tmpdir(), 'notewire-command-line-'))
  await using service = await createNotesService()
  const { url } = await service.listen()
  const settings = { NOTES_BASE_URL: url, NOTES_API_KEY: service.apiKey }
  const commands = {
    '--help': () => commandMs(['--help'], folder, settings),
    pull: async () => {
      await rm(join(folder, 'notes.db'), { force: true })
      return await commandMs(['pull'], folder, settings)
    },
  }
  await mediansTurnByTurn(commands, 1) // The first run fills the compile cache.
  const { '--help': helpMs = Number.NaN, pull = Number.NaN } = await mediansTurnByTurn(commands, ROUNDS)
  await rm(folder, { recursive: true })
  return [
    {
      title: 'How long does the command line take to start?',
      unit: 'ms',
      note: 'Processor time of a fresh process, with a filled compile cache of Node.js.',
      rows: [
        { name: 'notewire --help', value: helpMs, budget: HELP_BUDGET_MS },
        { name: 'notewire pull, without notes', value: pull, budget: EMPTY_PULL_BUDGET_MS },
      ],
    },
  ]
}

async function commandMs(
  command: readonly string[],
  folder: string,
  settings: Readonly<Record<string, string>>,
): Promise<number> {
  const meter = `
    import { enableCompileCache } from 'node:module'
    enableCompileCache(${JSON.stringify(join(folder, 'compile-cache'))})
    process.on('exit', () => {
      const { user, system } = process.cpuUsage()
      console.log((user + system) / 1000)
    })`
  const preload = `--import=data:text/javascript,${encodeURIComponent(meter)}`
  const program = join(WORKSPACE, 'packages/notewire/dist/main.js')
  const output = await run(process.execPath, [preload, program, ...command], folder, settings)
  return Number(output.trimEnd().split('\n').at(-1))
}
