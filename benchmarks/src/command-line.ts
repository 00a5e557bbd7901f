import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { run, WORKSPACE } from '../../scripts/run.ts'
import { mediansTurnByTurn } from './measure.ts'
import type { Table } from './report.ts'

const ROUNDS = 25

/** The limit of the processor time of `notewire --help`, in milliseconds. */
const HELP_BUDGET_MS = 120

/** Measures the processor time of a command that does nothing. The packages must have been built. */
export async function measureCommandLine(): Promise<readonly Table[]> {
  const cache = await mkdtemp(join(tmpdir(), 'notewire-compile-cache-'))
  const help = () => helpMs(cache)
  await help() // The first one fills the compile cache.
  const { value = Number.NaN } = await mediansTurnByTurn({ value: help }, ROUNDS)
  await rm(cache, { recursive: true })
  return [
    {
      title: 'Processor time of the command line',
      unit: 'ms',
      note: 'The built program in fresh processes, with the compile cache of Node.js filled.',
      rows: [{ name: 'notewire --help', value, ratio: 1, budget: HELP_BUDGET_MS }],
    },
  ]
}

async function helpMs(cache: string): Promise<number> {
  const meter = `
    import { enableCompileCache } from 'node:module'
    enableCompileCache(${JSON.stringify(cache)})
    process.on('exit', () => {
      const { user, system } = process.cpuUsage()
      console.log((user + system) / 1000)
    })`
  const preload = `--import=data:text/javascript,${encodeURIComponent(meter)}`
  const folder = join(WORKSPACE, 'packages', 'notewire')
  const output = await run(process.execPath, [preload, join('dist', 'main.js'), '--help'], folder)
  return Number(output.trimEnd().split('\n').at(-1))
}
