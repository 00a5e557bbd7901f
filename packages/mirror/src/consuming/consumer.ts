import { OptionError, refuseUnknownOptions } from '@notewire/protocol'
import { requireCount, requireSignal } from '../context/mirror-options.ts'
import type { ErrorFacts } from '../interfaces/consumer-store.ts'
import type { MirrorHooks } from '../interfaces/mirror-hooks.ts'
import type { MirrorStore } from '../interfaces/store.ts'
import { type ApplyChanges, type ConsumeReport, consume, consumeDue, type Round } from './consume.ts'

/** What `consumeDue` takes. */
export interface ConsumeDueOptions<Transaction = never> {
  /** Names the consumer. Processes that use the same name share its cursor, and one of them consumes at a time. */
  readonly name: string
  /**
   * How many changes `apply` gets at once at most.
   *
   * @default 100
   */
  readonly batchSize?: number | undefined
  readonly apply: ApplyChanges<Transaction>
  /** Ends the round. `apply` gets it too. */
  readonly signal?: AbortSignal | undefined
}

/** What `consume` takes. */
export interface ConsumeOptions<Transaction = never> extends ConsumeDueOptions<Transaction> {
  /** Ends the loop after the `apply` under way. */
  readonly signal: AbortSignal
}

/** How far a consumer is. */
export interface ConsumerStatus {
  /** How many notes have changes that were not applied. Notes that wait or are parked are not among them. */
  readonly lag: number
  /** How many notes failed alone and are tried again. */
  readonly waiting: number
  /** Notes that failed alone eight times. `retryParked` tries them again, and so does their next change. */
  readonly parked: readonly ParkedNote[]
  /** Set while the consumer backs off because everything failed. */
  readonly backoff: ConsumerBackoff | null
}

/** A note that failed alone too often. */
export interface ParkedNote {
  readonly noteId: string
  readonly parkedAt: Date
  readonly error: ErrorFacts | null
}

/** A consumer that failed as a whole. */
export interface ConsumerBackoff {
  /** How many rounds in a row failed. */
  readonly failures: number
  /** When it tries again. */
  readonly until: Date
  readonly error: ErrorFacts | null
}

/** What can be done with the consumers of a mirror. */
export interface MirrorConsumers<Transaction = never> {
  /**
   * Passes every change to `apply` until the signal fires: first each note that is there, once, and then what changes. The store keeps how
   * far the consumer is; a new process continues there. Changes are applied exactly once if `apply` calls `commit`, else at least once.
   *
   * If `apply` rejects, its changes are sent again note by note. A note that fails alone is retried with growing pauses and then parked,
   * while others continue. If all fail, the consumer backs off.
   *
   * @throws OptionError; never what `apply` or the store throws: the hook `onProblem` gets it
   */
  consume(options: ConsumeOptions<Transaction>): Promise<void>
  /**
   * One round of `consume`, for alarms, cron jobs and functions: passes at most one batch to `apply`. `nextAt` is the time of the next
   * round.
   *
   * @throws what the store throws
   */
  consumeDue(options: ConsumeDueOptions<Transaction>): Promise<ConsumeReport>
  /** Says how far a consumer is, and which notes it parked. */
  consumerStatus(name: string): Promise<ConsumerStatus>
  /**
   * Makes the parked notes of a consumer due now.
   *
   * @returns how many there are
   */
  retryParked(name: string): Promise<number>
}

interface ConsumerSettings extends Pick<Round<unknown>, 'integration' | 'clock' | 'onChange'> {
  readonly hooks: MirrorHooks
}

/** Makes the functions that consume a mirror. Each opens the store first. */
export function createConsumers<Transaction>(
  open: () => Promise<MirrorStore<Transaction>>,
  { integration, clock, hooks, onChange }: ConsumerSettings,
): MirrorConsumers<Transaction> {
  async function roundOf({ name, batchSize = 100, apply, signal }: ConsumeDueOptions<Transaction>) {
    requireName(name)
    requireCount('batchSize', batchSize)
    requireFunction(apply)
    const store = await open()
    const until = signal ?? new AbortController().signal
    return { store, integration, clock, name, batchSize, apply, signal: until, onProblem: hooks.onProblem, onChange }
  }

  return {
    async consume(options) {
      refuseUnknownOptions('mirror.consume', options, OPTIONS)
      requireSignal('mirror.consume', options.signal)
      await consume(await roundOf(options))
    },
    async consumeDue(options) {
      refuseUnknownOptions('mirror.consumeDue', options, OPTIONS)
      return await consumeDue(await roundOf(options))
    },
    async consumerStatus(name) {
      const store = await open()
      const { state } = await store.readConsumer(integration, requireName(name))
      const { lag, waiting, parked } = await store.describeConsumer(integration, name)
      return {
        lag,
        waiting,
        parked: parked.map(({ noteId, parkedAt, error }) => ({ noteId, parkedAt: new Date(parkedAt ?? 0), error })),
        backoff:
          state.dueAt === null ? null : { failures: state.failures, until: new Date(state.dueAt), error: state.error },
      }
    },
    async retryParked(name) {
      return await (await open()).retryParked(integration, requireName(name), clock.now())
    },
  }
}

const OPTIONS: readonly (keyof ConsumeOptions)[] = ['name', 'batchSize', 'apply', 'signal']

function requireName(name: unknown): string {
  if (typeof name === 'string' && name !== '') return name
  throw new OptionError('name', "name is not a name. Pass the consumer's name, such as 'search'.")
}

function requireFunction(apply: unknown): void {
  if (typeof apply === 'function') return
  throw new OptionError('apply', 'apply is not a function. Pass a function that applies an array of changes.')
}
