import * as z from 'zod/mini'
import type { ClockMode } from '../clock/service-clock.ts'
import { type Disorder, disorderSchema } from '../delivery/attempt-faults.ts'
import type { UrlPolicyName } from '../delivery/url-policy.ts'
import { count, fields, name } from '../errors/checked.ts'
import { type FaultRule, faultRuleSchema } from '../faults/fault-rule.ts'
import { type ContractVariants, contractSchema } from '../variants/contract-variants.ts'

/** The options of a service. All of them are optional and are JSON. Without options, every service is the same, except for its keys and secrets. */
export interface NotesServiceOptions {
  /**
   * Determines every identifier, text and random choice: the same seed and the same acts produce the same service. Keys and signing secrets are
   * random in each service.
   *
   * @default 1
   */
  readonly seed?: number | undefined
  /**
   * Determines the identifiers of what is created after the start: notes, events, deliveries. A receiver that keeps its store skips the
   * events of a service with the same identifiers as duplicates. The programs therefore use a random number at each start.
   *
   * @default `seed`
   */
  readonly identifierSeed?: number | undefined
  /** How many notes each owner has at the start: personal notes of the past six weeks, ended and summarised. @default 0 */
  readonly notes?: number | undefined
  /** How many owners there are, or the name of each. They share one base URL; their notes and keys are separate. @default 1 */
  readonly owners?: number | readonly string[] | undefined
  /**
   * The clock of the service: `'virtual'` advances only when the test advances it, `'real'` is the machine's clock.
   *
   * @default 'virtual', and 'real' after `listen()`, because receivers in other processes reject shifted timestamps
   */
  readonly clock?: ClockMode | undefined
  /** The behaviour at the points that the contract leaves open. @default the defaults of `open-points.md` */
  readonly contract?: ContractVariants | undefined
  /** The fault rules at the start. You can inject more at any time. @default none */
  readonly faults?: readonly FaultRule[] | undefined
  /** Random delivery faults. @default none */
  readonly disorder?: Disorder | undefined
  /**
   * The URLs that endpoints may have. `'public-https'` accepts what the contract allows. `'local'` also accepts private addresses and
   * `http:`. Host names are not resolved, so neither protects a network from people whom you do not trust.
   *
   * @default 'local'
   */
  readonly urlPolicy?: UrlPolicyName | undefined
  /**
   * How many requests, attempts and deliveries the logs of the service keep, each with its body. Older ones are dropped, and
   * `service.dropped` counts them.
   *
   * @default 1000
   */
  readonly keepLast?: number | undefined
}

/** The schema of {@link NotesServiceOptions}. */
export const serviceOptionsSchema = fields({
  seed: z
    ._default(z.int(), 1)
    .check(z.describe('Determines every identifier, text and random choice, but no key and no secret.')),
  identifierSeed: z
    .optional(z.int())
    .check(z.describe('Determines the identifiers of what is created after the start. Default: `seed`.')),
  notes: z._default(z.int().check(z.minimum(0)), 0).check(z.describe('How many notes each owner has at the start.')),
  owners: z
    ._default(
      z.union([count, z.array(name).check(z.minLength(1))], 'a whole number from 1, or a list of at least one name'),
      1,
    )
    .check(z.describe('How many owners there are, or the name of each. Each has notes and keys of their own.')),
  clock: z
    .optional(z.enum(['virtual', 'real']))
    .check(z.describe("The clock of the service: its own, which the console advances, or the machine's.")),
  contract: z
    .prefault(contractSchema, {})
    .check(z.describe('The behaviour at the points that the contract leaves open.')),
  faults: z._default(z.array(faultRuleSchema), []).check(z.describe('The fault rules at the start.')),
  disorder: z.prefault(disorderSchema, {}).check(z.describe('Random delivery faults, each as a share from 0 to 1.')),
  urlPolicy: z
    ._default(z.enum(['local', 'public-https']), 'local')
    .check(z.describe('The URLs that endpoints may have.')),
  keepLast: z._default(count, 1000).check(z.describe('How many entries each log keeps.')),
})
