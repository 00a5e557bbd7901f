import type { NotesClientOptions } from '@notewire/client'
import { type NoResponse, OptionError } from '@notewire/protocol'
import type { ReceiverOptions, SecretLookup } from '@notewire/webhooks'
import type { MirrorOptions } from '../options.ts'
import type { MirrorStore } from '../stores/mirror-store.ts'

/** Options of `createMirrors`: those of `createMirror`, with `connect` in place of one client. */
export interface MirrorsOptions<Transaction = never>
  extends Omit<MirrorOptions<Transaction>, 'client' | 'integration' | 'concurrency' | 'store' | 'pollEveryMs'> {
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
}

/** The client options of one integration. */
export interface ServiceAccess extends NotesClientOptions {
  readonly baseUrl: string
  readonly apiKey: string
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

/** @throws OptionError when the value is not an HTTP or HTTPS URL */
export function requireUrl(option: string, value: unknown): void {
  if (typeof value === 'string' && /^https?:/i.test(value) && URL.canParse(value)) return
  throw new OptionError(
    option,
    `${option} is not a URL. Pass the address of your receiver, such as https://app.example/webhooks/notes/acme.`,
  )
}
