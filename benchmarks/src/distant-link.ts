import { median } from './measure.ts'
import { startProgram } from './start-program.ts'

/** About as long as from one machine to another of the same region. */
export const LATENCY_MS = 1

const PROBES = 100

/** Another way to a server of this machine, over which every answer arrives later. */
interface DistantLink extends AsyncDisposable {
  readonly port: number
  /** How long an operation takes over it that costs the server nothing. */
  roundTripMs(operate: () => Promise<unknown>): Promise<number>
}

/** Starts a link to a port of this machine, in a process of its own. */
export async function startDistantLink(port: number): Promise<DistantLink> {
  const link = await startProgram<{ port: number }>('distant-link-process.ts', String(port), String(LATENCY_MS))
  return {
    port: link.said.port,
    roundTripMs: async (operate) => {
      const samples: number[] = []
      for (let probe = 0; probe < PROBES; probe += 1) {
        const began = performance.now()
        await operate()
        samples.push(performance.now() - began)
      }
      return median(samples)
    },
    [Symbol.asyncDispose]: async () => {
      link.process.kill()
    },
  }
}
