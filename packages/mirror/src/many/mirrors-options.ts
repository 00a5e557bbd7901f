import type { NotesClientOptions } from '@notewire/client'
import { type Clock, OptionError, refuseUnknownOptions, systemClock } from '@notewire/protocol'
import type { ReceiverOptions, SecretLookup } from '@notewire/webhooks'
import type { MirrorOptions } from '../context/mirror-options.ts'
import { requireCount, requireParts, requireStore } from '../context/mirror-options.ts'
import type { ParkedBecause } from '../interfaces/integration-store.ts'
import type { ContradictionNotice, MirrorHooks, ProblemNotice, RemovalsHeldNotice } from '../interfaces/mirror-hooks.ts'
import type { MirrorStore } from '../interfaces/store.ts'
import type { KeptParts } from '../rules/keep.ts'

/** What `createMirrors` takes. */
export interface MirrorsOptions<Transaction = never> extends Pick<MirrorOptions, 'keep' | 'scanEveryMs'> {
  /** Where the copies are kept: `postgresMirror(pool)` for any number of processes, `sqliteMirror('notes.db')` for one. */
  readonly store: MirrorStore<Transaction>
  /**
   * Returns how to reach the service with the API key of an integration: options of `NotesClient`. It is called at every slice of work, so
   * that a new key is used at once. `baseUrl` and `apiKey` never come from the environment: all integrations would have the same key.
   * `maxRetries` is 0 unless you set it, because a failed slice is repeated later.
   *
   * If it rejects, or takes longer than 10 s, this integration alone is delayed.
   */
  readonly connect: (integration: string) => ServiceAccess | Promise<ServiceAccess>
  /**
   * The shortest time between two polls of an integration, in milliseconds. While events arrive and polls find nothing that they did not
   * announce, it grows to an hour.
   *
   * @default 300_000 (5 min)
   */
  readonly pollEveryMs?: number | undefined
  readonly hooks?: MirrorsHooks | undefined
  /** @default systemClock */
  readonly clock?: Clock | undefined
}

/** How to reach the service with the API key of an integration. */
export interface ServiceAccess extends NotesClientOptions {
  readonly baseUrl: string
  readonly apiKey: string
}

/** Functions that are called to report what happens. Their errors are ignored. */
export interface MirrorsHooks {
  /** An error after which the integration is tried again later. It never holds a key or note content. */
  readonly onProblem?: ((problem: ProblemNotice & OfIntegration) => void) | undefined
  /** A scan found so many notes missing that it removes none of them before `mirrors.of(id).acceptRemovals`. */
  readonly onRemovalsHeld?: ((notice: RemovalsHeldNotice & OfIntegration) => void) | undefined
  /** An integration was parked: it sends no request before `mirrors.resume(id)` or `mirrors.add(id)`. Called once. */
  readonly onParked?: ((notice: ParkedNotice) => void) | undefined
  /** A read showed a note at a lower revision than before, or again after its deletion was announced. */
  readonly onContradiction?: ((notice: ContradictionNotice & OfIntegration) => void) | undefined
  /** `add`, `remove`, `resume`, `adoptKey` or `acceptRemovals` has taken effect. The call waits for this hook. */
  readonly onAudit?: MirrorHooks['onAudit']
  /** Wraps a slice of work on one integration. */
  readonly aroundWork?: MirrorHooks['aroundWork']
}

interface OfIntegration {
  /** `undefined` for an error of the store. */
  readonly integration: string | undefined
}

/** Why an integration sends no request. */
export interface ParkedNotice {
  readonly integration: string
  readonly because: ParkedBecause
}

/** What `mirrors.add` takes. */
export interface AddOptions {
  /** The public URL of the receiver for this integration. Without it, the mirror polls. */
  readonly endpoint?: string | undefined
  /**
   * Stores the endpoint's signing secret where the receiver finds it. Required with `endpoint`. It may be called again with another secret. `add`
   * rejects if it rejects or takes longer than 10 s.
   */
  readonly saveSecret?: ((secret: string) => unknown) | undefined
}

/** What `mirrors.work` takes. */
export interface WorkOptions {
  /** How long to work at most, in milliseconds. Requests under way are not cut off. */
  readonly budgetMs: number
  readonly signal?: AbortSignal | undefined
  /** Works on this integration only. */
  readonly integration?: string | undefined
}

/** What is left after `mirrors.work`. */
export interface WorkReport {
  /** When there is work again, in milliseconds since the Unix epoch; `null` when there never is. */
  readonly nextAt: number | null
  /** How many integrations are due now. */
  readonly remaining: number
}

/** What `mirrors.receiver` takes. */
export interface MirrorsReceiverOptions
  extends Pick<ReceiverOptions, 'toleranceSeconds' | 'maxBodyBytes' | 'hooks' | 'logger' | 'clock'> {
  /** Returns the signing secret that `saveSecret` stored. */
  readonly secret: SecretLookup
}

/** The options, checked and complete. */
export interface MirrorsSettings extends Required<Omit<MirrorsOptions, 'keep'>> {
  readonly keep: KeptParts
  readonly pollEveryMs: number
  readonly scanEveryMs: number
  readonly hooks: MirrorsHooks
  readonly clock: Clock
}

const OPTIONS: readonly (keyof MirrorsOptions)[] = [
  'store',
  'connect',
  'keep',
  'pollEveryMs',
  'scanEveryMs',
  'hooks',
  'clock',
]
const HOOKS: readonly (keyof MirrorsHooks)[] = [
  'onProblem',
  'onRemovalsHeld',
  'onParked',
  'onContradiction',
  'onAudit',
  'aroundWork',
]

export const RECEIVER_OPTIONS: readonly (keyof MirrorsReceiverOptions)[] = [
  'secret',
  'toleranceSeconds',
  'maxBodyBytes',
  'hooks',
  'logger',
  'clock',
]

/** @throws OptionError naming the first option that cannot work, and the fix */
export function resolveMirrorsOptions(options: MirrorsOptions): MirrorsSettings {
  refuseUnknownOptions('createMirrors', options, OPTIONS)
  const hooks = options.hooks ?? {}
  refuseUnknownOptions('hooks', hooks, HOOKS)
  return {
    store: requireStore(options.store),
    connect: requireFunction('connect', options.connect, 'Pass a function that returns { baseUrl, apiKey }.'),
    keep: requireParts(options.keep ?? ['note', 'transcript', 'summary']),
    pollEveryMs: requireCount('pollEveryMs', options.pollEveryMs ?? 300_000),
    scanEveryMs: requireCount('scanEveryMs', options.scanEveryMs ?? 86_400_000),
    hooks,
    clock: options.clock ?? systemClock,
  }
}

/** @throws OptionError when the value is no function */
export function requireFunction<Value>(option: string, value: Value, fix: string): Value {
  if (typeof value === 'function') return value
  throw new OptionError(option, `${option} is not a function. ${fix}`)
}

/** @throws OptionError when the value is no URL that a service can deliver to */
export function requireUrl(option: string, value: unknown): void {
  if (typeof value === 'string' && /^https?:/i.test(value) && URL.canParse(value)) return
  throw new OptionError(
    option,
    `${option} is not a URL. Pass the address of your receiver, such as https://app.example/webhooks/notes/acme.`,
  )
}
