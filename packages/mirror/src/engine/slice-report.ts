import type { Clock } from '@notewire/protocol'
import { callHook } from '../hooks.ts'
import type { EndpointRecord, IntegrationRecord, NextWork } from '../integrations/integration-store.ts'
import { needsAction, type Occurrence, timesOf } from '../reporting/lines.ts'
import { codeOf, type ProblemChange, stepAfter } from '../rules/problem-rule.ts'
import { reasonToPark } from './parking.ts'
import type { WorkSettings } from './work-settings.ts'

/** What to store at the end of a slice, and what to log when it is stored. */
interface SliceEnding {
  readonly integration: string
  readonly next: NextWork
  readonly problem: ProblemChange | undefined
  /** Whether it is to be logged that events no longer arrive, or arrive again. */
  readonly events: 'begun' | 'over' | undefined
}

/** Why a slice ended as it did. */
export interface Reason {
  readonly error?: unknown
  /** Whether the error is of the store, and not of `connect`. */
  readonly isStoreFailure?: boolean | undefined
  /** The base URL of the service, if `connect` has returned it. */
  readonly service?: string | undefined
}

interface EndingContext {
  /** Whether the caller logs problems. A call that rejects only stores them. */
  readonly isLogged: boolean
  readonly signal: AbortSignal
  readonly clock: Pick<Clock, 'now'>
}

/** Adds to the next work which problem the integration has. Only the process that stores a change logs it. */
export function endingOf(
  record: IntegrationRecord,
  { next, error }: { readonly next: NextWork; readonly error?: unknown },
  { isLogged, signal, clock }: EndingContext,
): SliceEnding {
  const { integration } = record
  if (signal.aborted || next.state === 'removing') return { integration, next, problem: undefined, events: undefined }
  const { endpoint, silence, events } = eventsAfter(record, next, isLogged)
  const after = { ...next, endpoint, silence }
  const isKept = error === undefined && next.problem !== undefined
  if (isKept) return { integration, next: after, problem: undefined, events }
  const code = error === undefined ? undefined : codeOf(error)
  const { problem, change } = stepAfter(record.problem, code, isLogged, clock.now())
  return { integration, next: { ...after, problem }, problem: change, events }
}

/** Whether events arrive: by the status of the endpoint, or by the silence that polls have found if there is none. */
function eventsAfter(before: IntegrationRecord, next: NextWork, isLogged: boolean) {
  if (next.endpoint !== null) return { ...endpointAfter(before.endpoint, next.endpoint, isLogged), silence: undefined }
  const known = before.silence
  const silence = next.silence && known === undefined && !isLogged ? undefined : next.silence
  const isBegun = silence !== undefined && known === undefined
  const isOver = silence === undefined && known !== undefined
  const ended = isOver ? ('over' as const) : undefined
  return { endpoint: null, silence, events: isBegun ? ('begun' as const) : ended }
}

function endpointAfter(before: EndpointRecord | null, after: EndpointRecord, isLogged: boolean) {
  const { isReported: _, ...endpoint } = after
  const wasReported = before?.isReported === true
  if (after.status === 'active') return { endpoint, events: wasReported ? ('over' as const) : undefined }
  // The service has just registered the endpoint, and verifies it. The first check is in a minute.
  const isNew = after.status === 'pending_verification' && after.repairs === 0
  const isReported = wasReported || (isLogged && !isNew)
  return {
    endpoint: isReported ? { ...endpoint, isReported } : endpoint,
    events: isReported && !wasReported ? ('begun' as const) : undefined,
  }
}

/** Logs what has changed. What concerns several integrations of a service is collected. */
export function logEnding(
  { integration, next, problem, events }: SliceEnding,
  { error, isStoreFailure = false, service }: Reason,
  { log, clock }: WorkSettings,
): void {
  if (problem !== undefined) {
    const { code, since } = problem.problem
    const fields = problem.kind === 'begun' ? {} : timesOf(since, clock.now())
    log.report({ occurrence: occurrenceOf(problem, error, isStoreFailure), code, integration, service, error, fields })
  }
  if (events !== undefined) {
    const code = next.endpoint?.status ?? 'silent'
    log.report({ occurrence: events === 'over' ? 'events-over' : 'events-begun', code, integration, service })
  }
}

function occurrenceOf({ kind }: ProblemChange, error: unknown, isStoreFailure: boolean): Occurrence {
  if (kind === 'over') return 'sync-over'
  if (isStoreFailure) return 'store-begun'
  if (needsAction(error)) return 'key-begun'
  return kind === 'begun' ? 'sync-begun' : 'sync-changed'
}

/** Calls the hooks about a slice that has ended. An error that the caller rejects with is no problem to report. */
export function report(
  record: IntegrationRecord,
  next: NextWork,
  error: unknown,
  { hooks, isThrown }: Pick<WorkSettings, 'hooks'> & { readonly isThrown: boolean },
): void {
  const { integration } = record
  const { state, parkedBecause } = next
  if (state === 'active' && record.state === 'parked') callHook(hooks.onResumed, { integration })
  if (error === undefined) return
  if (state !== 'parked' || reasonToPark(error) === undefined) {
    if (!isThrown) callHook(hooks.onProblem, { integration, error })
  } else if (parkedBecause !== null && parkedBecause !== record.parkedBecause)
    callHook(hooks.onParked, { integration, because: parkedBecause })
}
