import type { NextWork, TakenIntegration } from '../integrations/integration-store.ts'
import type { Engine, Settled } from './engine.ts'
import type { SharedPauses } from './shared-pauses.ts'
import type { SliceClock } from './slice-clock.ts'
import type { Reason } from './slice-report.ts'
import type { Connection, WorkSettings } from './work-settings.ts'

export interface SliceContext {
  readonly settings: WorkSettings
  /** Begun when the integration was taken. */
  readonly clock: SliceClock
  readonly pauses: SharedPauses
  readonly signal: AbortSignal
  /** Whether to stop after the current page or read. */
  readonly shouldYield: () => boolean
  /** Whether a slow listing ends the slice, so that the schedule slows it down. */
  readonly isPacedBySchedule?: boolean | undefined
  /** Whether the caller logs a problem with this error. A call that rejects only stores it. */
  readonly isLogged: (error: unknown) => boolean
  /** Whether the caller rejects with the error, so that no hook gets it. */
  readonly isThrown?: boolean | undefined
  /** Whether the caller logs that the store fails. Otherwise, this is logged as a problem of the integration. */
  readonly logsStore?: boolean | undefined
}

/** The work on an integration with its key. Called after the check that no other integration uses its key. */
export type ActiveWork = (
  taken: TakenIntegration,
  connection: Connection,
  engine: Engine,
  context: SliceContext,
) => Promise<WorkDone>

/** What work on an integration has done, and what follows. */
interface WorkDone {
  readonly next: NextWork
  readonly report?: SliceReport | undefined
  /** The error of a part that failed while the rest was done, and that does not concern other requests. */
  readonly error?: unknown
}

/** What a slice has done. */
export interface SliceReport extends Settled {
  readonly listed: boolean
}

/** What a slice ends with. */
export interface Outcome extends Reason {
  /** `undefined` if the lease is lost. */
  readonly next?: NextWork | undefined
  readonly report?: SliceReport | undefined
}
