import { Worker } from 'node:worker_threads'
import type { Exploration, Findings } from './exploration.ts'
import type { Simulator } from './simulator.ts'

/** Plays histories in a thread of their own. */
export function explore({ module }: Simulator, exploration: Exploration): Promise<Findings> {
  return new Promise((resolve, reject) => {
    const worker = new Worker(new URL('./explorer.ts', import.meta.url), {
      workerData: { module, exploration },
      execArgv: ['--conditions=@notewire/source', '--disable-warning=ExperimentalWarning'],
    })
    worker.once('message', resolve)
    worker.once('error', reject)
    worker.once('exit', () => reject(new Error('the thread that played histories ended without findings')))
  })
}
