import { OptionError, refuseUnknownOptions } from '@notewire/protocol'
import type { UrlPolicyName } from './addresses/url-policy.ts'
import type { ClockMode } from './clock/service-clock.ts'
import type { Disorder } from './delivery/disorder.ts'
import { checkFaultRule } from './faults/check-fault-rule.ts'
import type { FaultRule } from './faults/fault-rule.ts'
import type { ContractVariants } from './variants/contract-variants.ts'

/** What a service is made with. All of it is optional, and all of it is JSON: without any, every service is the same. */
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
  /** What the service does where the contract is silent. @default the default of every row of `open-points.md` */
  readonly contract?: ContractVariants | undefined
  /** What goes wrong from the start, one rule a fault. More can be injected at any time. @default nothing */
  readonly faults?: readonly FaultRule[] | undefined
  /** What goes wrong on the way to the receivers, by shares. @default nothing */
  readonly disorder?: Disorder | undefined
  /**
   * Which URLs endpoints may have. `'public-https'` is the contract's, for a service that strangers reach; `'local'` takes private
   * addresses and `http:`, too.
   *
   * @default 'local'
   */
  readonly urlPolicy?: UrlPolicyName | undefined
}

const OPTION_NAMES: readonly (keyof NotesServiceOptions)[] = [
  'seed',
  'notes',
  'clock',
  'contract',
  'faults',
  'disorder',
  'urlPolicy',
]

/**
 * Refuses options that cannot work.
 *
 * @throws {@link OptionError} naming the option
 */
export function checkServiceOptions(options: NotesServiceOptions): void {
  refuseUnknownOptions('createNotesService', options, OPTION_NAMES)
  const { seed = 0, notes = 0, clock = 'virtual', urlPolicy = 'local', faults = [] } = options
  if (!Number.isSafeInteger(seed)) throw new OptionError('seed', `the seed is a whole number, not ${seed}.`)
  if (!Number.isSafeInteger(notes) || notes < 0) {
    throw new OptionError('notes', `the number of notes is a whole number from 0, not ${notes}.`)
  }
  if (clock !== 'virtual' && clock !== 'real') {
    throw new OptionError('clock', `the clock is "virtual" or "real", not "${String(clock)}".`)
  }
  if (urlPolicy !== 'local' && urlPolicy !== 'public-https') {
    throw new OptionError('urlPolicy', `the URL policy is "local" or "public-https", not "${String(urlPolicy)}".`)
  }
  if (!Array.isArray(faults)) throw new OptionError('faults', 'faults is a list of rules.')
  for (const rule of faults) checkFaultRule(rule)
}
