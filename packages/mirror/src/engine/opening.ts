import type { Clock } from '@notewire/protocol'
import type { StoreOutage } from '../reporting/store-outage.ts'
import { isOfStore } from '../service/failures.ts'

/** The pause before the store is opened again, in milliseconds. */
const OPEN_AGAIN_AFTER_MS = 5_000

interface OpeningContext {
  readonly signal: AbortSignal
  readonly clock: Clock
  readonly outage: StoreOutage
  readonly onError: (error: unknown) => void
}

/** Opens the store for `run`. Repeats it while the store fails and the signal has not fired: a database may start after the process. */
export async function openRepeatedly(
  open: () => Promise<unknown>,
  { signal, clock, outage, onError }: OpeningContext,
): Promise<void> {
  while (!signal.aborted) {
    try {
      await open()
      return
    } catch (error) {
      if (!isOfStore(error)) throw error
      outage.failed(error)
      onError(error)
      await clock.sleep(OPEN_AGAIN_AFTER_MS, signal).catch(() => undefined)
    }
  }
}
