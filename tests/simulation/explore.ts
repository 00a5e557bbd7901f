import { Worker } from 'node:worker_threads'
import { type Exploration, type Findings, replayCommand } from './exploration.ts'
import type { Simulator } from './simulator.ts'

/** Below the timeout of tests. A history takes about a second of an idle processor at most. */
const LONGEST_HISTORY_MS = 180_000

/**
 * Plays histories in a thread of their own.
 *
 * @param longestMs  ends a history that blocks its thread, for example with a loop that takes no steps
 * @throws an error with the command that plays the history again, if one takes longer
 */
export function explore(
  simulator: Simulator,
  exploration: Exploration,
  longestMs: number = LONGEST_HISTORY_MS,
): Promise<Findings> {
  const { module } = simulator
  return new Promise((resolve, reject) => {
    const worker = new Worker(new URL('./explorer.ts', import.meta.url), {
      workerData: { module, exploration },
      execArgv: ['--conditions=@notewire/source', '--disable-warning=ExperimentalWarning'],
    })
    let history = exploration.first ?? 0
    const timer = setTimeout(() => {
      const again = replayCommand(simulator, { ...exploration, history }, exploration.bug)
      reject(new Error(`A history has not ended after ${longestMs} ms: ${again}`))
      void worker.terminate()
    }, longestMs)
    worker.on('message', (message: ExplorerMessage) => {
      if ('findings' in message) return resolve(message.findings)
      history = message.begins
      timer.refresh()
    })
    worker.once('error', reject)
    worker.once('exit', () => {
      clearTimeout(timer)
      reject(new Error('the thread that played histories ended without findings'))
    })
  })
}

/** What the thread reports: the number of the history that begins, and in the end what came of all. */
export type ExplorerMessage = { readonly begins: number } | { readonly findings: Findings }
