import { OptionError, refuseUnknownOptions } from '@notewire/protocol'
import type { ClockMode } from './clock/service-clock.ts'
import type { Disorder } from './delivery/disorder.ts'

/** What a service is made with. All of it is optional: without any, every service is the same. */
export interface NotesServiceOptions {
  /** Decides every identifier, time and chance: the same seed and the same acts give the same world. @default 1 */
  readonly seed?: number | undefined
  /** How many notes are there from the start: personal ones of the past six weeks, ended and summarised. @default 0 */
  readonly notes?: number | undefined
  /**
   * Whose time the service follows: its own, which the test moves, or the machine's.
   *
   * @default 'virtual', until `listen()`: foreign receivers refuse shifted timestamps
   */
  readonly clock?: ClockMode | undefined
  /** What the service does where the contract lets it do one or the other. */
  readonly scenario?: Scenario | undefined
  /** What goes wrong on the way to the receivers. @default nothing */
  readonly disorder?: Disorder | undefined
}

/** What the service does where the contract lets it do one or the other. */
export interface Scenario {
  /** The first verification attempt is over before the creation of its endpoint is answered (open point 27). @default false */
  readonly verificationBeforeResponse?: boolean | undefined
}

/**
 * Refuses options that cannot work.
 *
 * @throws {@link OptionError} naming the option
 */
export function checkServiceOptions(options: NotesServiceOptions): void {
  refuseUnknownOptions('createNotesService', options, ['seed', 'notes', 'clock', 'scenario', 'disorder'])
  refuseUnknownOptions('scenario', options.scenario ?? {}, ['verificationBeforeResponse'])
  const { seed = 0, notes = 0, clock = 'virtual' } = options
  if (!Number.isSafeInteger(seed)) throw new OptionError('seed', `the seed is a whole number, not ${seed}.`)
  if (!Number.isSafeInteger(notes) || notes < 0) {
    throw new OptionError('notes', `the number of notes is a whole number from 0, not ${notes}.`)
  }
  if (clock !== 'virtual' && clock !== 'real') {
    throw new OptionError('clock', `the clock is "virtual" or "real", not "${String(clock)}".`)
  }
}
