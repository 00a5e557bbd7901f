import { type ErrorFacts, OptionError, refuseNoSignal, refuseUnknownOptions } from '@notewire/protocol'
import { copyHooks, type MirrorHooks } from '../hooks.ts'
import { requireCount, requireFunction, requireSignal, requireWord } from '../options.ts'
import { consumerReport } from '../reporting/logged-hooks.ts'
import type { MirrorLog } from '../reporting/mirror-log.ts'
import type { MirrorStore } from '../stores/mirror-store.ts'
import { type ConsumeReport, consume, consumeDue } from './consume.ts'
import { makeDue, readConsumer } from './consumer-lease.ts'
import type { ApplyChanges, Round } from './round.ts'
import { backoffEnd, retried } from './round-rule.ts'

/** Options of `consumeDue`. */
export interface ConsumeDueOptions<Transaction = never> {
  /** The name of the consumer. Processes with the same name share its cursor, and only one of them consumes at a time. */
  readonly name: string
  /**
   * Where a new consumer starts. `beginning`: it first gets each existing note once. `now`: it gets nothing of what the first listing brings,
   * and every change after it: notes that become visible later, notes whose revision rises, and notes that a later event names. Ignored for a
   * consumer that the store contains already.
   *
   * @default 'beginning'
   */
  readonly from?: 'beginning' | 'now' | undefined
  /**
   * The maximum number of changes in one call of `apply`.
   *
   * @default 100
   */
  readonly batchSize?: number | undefined
  readonly apply: ApplyChanges<Transaction>
  /** Ends the round. It is also passed to `apply`. */
  readonly signal?: AbortSignal | undefined
}

/** Options of `consume`. */
export interface ConsumeOptions<Transaction = never> extends ConsumeDueOptions<Transaction> {
  /** Ends the loop after the current `apply`. */
  readonly signal: AbortSignal
}

/** The progress of a consumer. */
export interface ConsumerStatus {
  /** Whether the consumer has run. `false` for a name that the store does not contain, such as a mistyped one: `lag` is then what a new consumer gets first. */
  readonly hasRun: boolean
  /** The number of notes with changes that were not applied, without waiting and parked notes. */
  readonly lag: number
  /** The number of notes that failed alone and wait for a retry. */
  readonly waiting: number
  /** Notes that failed alone eight times. `retryParked` or their next change retries them. */
  readonly parked: readonly { readonly noteId: string; readonly parkedAt: Date; readonly error: ErrorFacts | null }[]
  /** Set while the consumer backs off: all changes of this many consecutive rounds failed. The next round begins at `until`. */
  readonly backoff: { readonly failures: number; readonly until: Date; readonly error: ErrorFacts | null } | null
}

/** The consumers of a mirror. */
export interface MirrorConsumers<Transaction = never> {
  /**
   * Passes every change to `apply` until the signal fires: first each existing note once, then changes. The store keeps the consumer's cursor, so
   * a new process continues there. Changes are applied exactly once if `apply` calls `commit`, otherwise at least once.
   *
   * If `apply` rejects, its changes are sent again note by note. A note that fails alone is retried with growing pauses and then parked; the other
   * notes continue. If all notes fail, the consumer backs off.
   *
   * @throws OptionError; IntegrationRemovedError if the integration does not exist. Errors of `apply` and of the store, also of its first use, are passed
   * to the hook `onProblem`.
   */
  consume(options: ConsumeOptions<Transaction>): Promise<void>
  /**
   * Does one round of `consume`, for alarms, cron jobs and functions: passes at most one batch to `apply`. `nextAt` is the time of the next
   * round.
   *
   * @throws errors of the store
   */
  consumeDue(options: ConsumeDueOptions<Transaction>): Promise<ConsumeReport>
  /** Returns the lag of a consumer, and the notes that it parked. */
  consumerStatus(name: string): Promise<ConsumerStatus>
  /**
   * Makes the parked notes of a consumer due now.
   *
   * @returns the number of these notes
   */
  retryParked(name: string): Promise<number>
}

interface ConsumerSettings extends Pick<Round<unknown>, 'integration' | 'clock' | 'onChange' | 'longestIdleMs'> {
  readonly isErasing?: Round<unknown>['isErasing']
  readonly hooks: Pick<MirrorHooks, 'onProblem'>
  readonly log: MirrorLog
}

/** Makes the methods that consume a mirror. Each opens the store first. */
export function createConsumers<Transaction>(
  open: () => Promise<MirrorStore<Transaction>>,
  { integration, clock, hooks, log, onChange, longestIdleMs, isErasing = async () => false }: ConsumerSettings,
): MirrorConsumers<Transaction> {
  function roundOf({
    name,
    from = 'beginning',
    batchSize = 100,
    apply,
    signal,
  }: ConsumeDueOptions<Transaction>): Omit<Round<Transaction>, 'store'> {
    requireName(name)
    requireWord('from', from, ['beginning', 'now'])
    requireCount('batchSize', batchSize)
    requireFunction('apply', apply, 'Pass a function that applies an array of changes.')
    refuseNoSignal(signal)
    const until = signal ?? new AbortController().signal
    const ofMirror = {
      integration,
      clock,
      onProblem: copyHooks(hooks, integration).onProblem,
      report: consumerReport(name, integration, log),
      onChange,
      longestIdleMs,
      isErasing,
    }
    return { ...ofMirror, name, from, batchSize, apply, signal: until }
  }

  return {
    async consume(options) {
      refuseUnknownOptions('mirror.consume', options, OPTIONS)
      requireSignal('mirror.consume', options.signal)
      await consume(roundOf(options), open)
    },
    async consumeDue(options) {
      refuseUnknownOptions('mirror.consumeDue', options, OPTIONS)
      return await consumeDue({ ...roundOf(options), store: await open() })
    },
    async consumerStatus(name) {
      const store = await open()
      const key = { store, integration, name: requireName(name) }
      const { state, version, notes } = await readConsumer(key, { isDetailed: true })
      const now = clock.now()
      const { lag = 0, waiting = 0, parked = [] } = notes ?? {}
      return {
        hasRun: version > 0,
        lag,
        waiting,
        parked: parked.map(({ noteId, parkedAt, error }) => ({
          noteId,
          parkedAt: new Date(Math.min(parkedAt ?? 0, now)),
          error,
        })),
        backoff:
          state.dueAt === null
            ? null
            : { failures: state.failures, until: new Date(backoffEnd(state.dueAt, now)), error: state.error },
      }
    },
    async retryParked(name) {
      return await makeDue({ store: await open(), integration, name: requireName(name), clock }, retried)
    },
  }
}

const OPTIONS: Readonly<Record<keyof ConsumeOptions, true>> = {
  name: true,
  from: true,
  batchSize: true,
  apply: true,
  signal: true,
}

function requireName(name: unknown): string {
  if (typeof name === 'string' && name !== '') return name
  throw new OptionError('name', "name is missing or not a string. Pass the consumer's name, such as 'search'.")
}
