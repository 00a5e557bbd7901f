import type { NotesClientOptions } from '@notewire/client'
import { type Clock, type Logger, type NoResponse, OptionError, refuseUnknownOptions } from '@notewire/protocol'
import type { ReceiverOptions, SecretLookup } from '@notewire/webhooks'
import { LocalListeners } from '../concurrency/local-listeners.ts'
import {
  type Complete,
  DEFAULT_SCHEDULE,
  type MirrorOptions,
  mirrorLog,
  PARTS,
  refuseClock,
  requireCount,
  requireFunction,
  requireParts,
  requireStore,
} from '../context/mirror-options.ts'
import type { ParkedBecause } from '../interfaces/integration-store.ts'
import type { ContradictionNotice, MirrorHooks, ProblemNotice, RemovalsHeldNotice } from '../interfaces/mirror-hooks.ts'
import type { KeptParts } from '../interfaces/note-write.ts'
import type { MirrorStore } from '../interfaces/store.ts'
import type { MirrorLog } from '../reporting/mirror-log.ts'
import { Integrations } from './integrations.ts'

/** Options of `createMirrors`. */
export interface MirrorsOptions<Transaction = never>
  extends Pick<MirrorOptions, 'keep' | 'scanEveryMs' | 'logErrorMessages'> {
  /** The store of all copies: `postgresMirror(pool)`, or `sqliteMirror('notes.db')` for the processes of one machine. */
  readonly store: MirrorStore<Transaction>
  /**
   * Returns the options of the `NotesClient` of an integration. It is called in every slice of work, so that a new key is used immediately.
   * `baseUrl` and `apiKey` are not read from the environment, because all integrations would have the same key. `maxRetries` is 0 by default,
   * because a failed slice is repeated later.
   *
   * If it rejects, or takes longer than 10 s, only this integration is delayed.
   */
  readonly connect: (integration: string) => ServiceAccess | Promise<ServiceAccess>
  /**
   * The shortest time between two polls of an integration, in milliseconds. The time grows to an hour while events arrive and polls find only
   * announced changes.
   *
   * @default 300_000 (5 min)
   */
  readonly pollEveryMs?: number | undefined
  readonly hooks?: MirrorsHooks | undefined
  /**
   * Gets a line when a problem begins, changes or ends. What concerns many integrations is one line with their number. No line contains a key or
   * note content. A call that rejects logs nothing.
   *
   * @default console
   */
  readonly logger?: Logger | undefined
}

/** The client options of one integration. */
export interface ServiceAccess extends NotesClientOptions {
  readonly baseUrl: string
  readonly apiKey: string
}

/** Functions that report what the mirrors do. Their errors are ignored. */
export interface MirrorsHooks {
  /** An error after which the integration is retried later. It never contains a key or note content. */
  readonly onProblem?: ((problem: ProblemNotice & OfIntegration) => void) | undefined
  /** A scan missed so many notes that it removes none of them before `mirrors.of(id).acceptRemovals`. */
  readonly onRemovalsHeld?: ((notice: RemovalsHeldNotice & OfIntegration) => void) | undefined
  /**
   * An integration was parked. If the service refused its key, one request tries the key again after an hour, then daily. Otherwise it sends no
   * request before `mirrors.resume(id)` or `mirrors.add(id)`. Called once.
   */
  readonly onParked?: ((notice: { readonly integration: string; readonly because: ParkedBecause }) => void) | undefined
  /** The service has accepted the key of a parked integration again: it is active. Not called after `mirrors.resume(id)` and `mirrors.add(id)`. */
  readonly onResumed?: ((notice: { readonly integration: string }) => void) | undefined
  /**
   * A service refuses the requests of many integrations, so this process pauses all integrations of its `baseUrl` for up to a minute. Meanwhile, one
   * integration every ten seconds tries whether the service answers, which ends the pause. `error` is the latest.
   */
  readonly onServicePaused?: ((notice: PausedService & { readonly error: unknown }) => void) | undefined
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

/** A service to which this process sends no requests, except for probes. */
export interface PausedService {
  readonly baseUrl: string
  /** The end of the pause, at the latest. */
  readonly until: Date
}

/** Options of `mirrors.add`. */
export interface AddOptions {
  /** The public URL of the receiver for this integration. Without it, the mirror polls. */
  readonly endpoint?: string | undefined
  /**
   * Stores the endpoint's signing secret for the receiver. Required with `endpoint`. It may be called again with another secret. `add` rejects if
   * it rejects, returns a `Response` (check the response of your vault, and throw if it is an error), or takes longer than 10 s. A call that is late must not overwrite a newer secret: compare `generation`.
   */
  readonly saveSecret?: SaveSecret | undefined
}

/** Stores a signing secret for the receiver. */
export type SaveSecret = (secret: string, save: SecretToSave) => NoResponse

/** Second parameter of `saveSecret`. */
export interface SecretToSave {
  /** Is greater for each later secret of the integration, also after `remove` and another `add`. Milliseconds since the Unix epoch fit. */
  readonly generation: number
  /** Fires when `add` no longer waits for the call. A write that has not begun yet must then not begin. */
  readonly signal: AbortSignal
}

/** Options of `mirrors.work`. */
export interface WorkOptions {
  /** The time after which no new work is started, in milliseconds. Requests under way are completed. */
  readonly budgetMs: number
  readonly signal?: AbortSignal | undefined
  /** Work on this integration only. */
  readonly integration?: string | undefined
}

/** The work that is left after `mirrors.work`. */
export interface WorkReport {
  /** When the next work is due, in milliseconds since the Unix epoch; `null` if no work is scheduled. */
  readonly nextAt: number | null
  /** How many integrations are due now. */
  readonly remaining: number
}

/** Options of `mirrors.receivers`. */
export interface MirrorsReceiversOptions
  extends Pick<
    ReceiverOptions,
    'toleranceSeconds' | 'maxBodyBytes' | 'hooks' | 'logger' | 'logErrorMessages' | 'clock'
  > {
  /** Returns the signing secret that `saveSecret` stored. */
  readonly secretOf: SecretLookup
}

/** The options, validated and with defaults. */
export interface MirrorsSettings extends Complete<Omit<MirrorsOptions, 'keep' | 'logger' | 'logErrorMessages'>> {
  readonly log: MirrorLog
  /** That of the store, or of a slice. */
  readonly clock: Clock
  readonly keep: KeptParts
  /** Changes the integrations of the store. */
  readonly integrations: Integrations
  /** Notified when this process has committed changes. */
  readonly changes: LocalListeners
  /** Notified when this process has stored a hint that makes a note due. */
  readonly hints: LocalListeners
}

/** How long the log collects what happens to several integrations for one line, in milliseconds. */
const COLLECT_MS = 5_000

const OPTIONS: Readonly<Record<keyof MirrorsOptions, true>> = {
  store: true,
  connect: true,
  keep: true,
  pollEveryMs: true,
  scanEveryMs: true,
  hooks: true,
  logger: true,
  logErrorMessages: true,
}
const HOOKS: Readonly<Record<keyof MirrorsHooks, true>> = {
  onProblem: true,
  onRemovalsHeld: true,
  onParked: true,
  onResumed: true,
  onServicePaused: true,
  onContradiction: true,
  onAudit: true,
  aroundWork: true,
}

/** @throws OptionError with the first invalid option, and the fix */
export function resolveMirrorsOptions(options: MirrorsOptions): MirrorsSettings {
  refuseClock(options)
  refuseUnknownOptions('createMirrors', options, OPTIONS)
  const hooks = options.hooks ?? {}
  refuseUnknownOptions('hooks', hooks, HOOKS)
  const store = requireStore(options.store)
  const { clock } = store
  return {
    store,
    integrations: new Integrations(store.integrations),
    changes: new LocalListeners(),
    hints: new LocalListeners(),
    connect: requireFunction('connect', options.connect, 'Pass a function that returns { baseUrl, apiKey }.'),
    keep: requireParts(options.keep ?? PARTS),
    pollEveryMs: requireCount('pollEveryMs', options.pollEveryMs ?? DEFAULT_SCHEDULE.pollEveryMs),
    scanEveryMs: requireCount('scanEveryMs', options.scanEveryMs ?? DEFAULT_SCHEDULE.scanEveryMs),
    hooks,
    log: mirrorLog(options, clock, COLLECT_MS),
    clock,
  }
}

/** @throws OptionError when the value is not an HTTP or HTTPS URL */
export function requireUrl(option: string, value: unknown): void {
  if (typeof value === 'string' && /^https?:/i.test(value) && URL.canParse(value)) return
  throw new OptionError(
    option,
    `${option} is not a URL. Pass the address of your receiver, such as https://app.example/webhooks/notes/acme.`,
  )
}
