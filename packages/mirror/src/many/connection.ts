import { NotesClient } from '@notewire/client'
import { OptionError } from '@notewire/protocol'
import { Engine } from '../engine/engine.ts'
import { KeySharedError } from '../interfaces/errors.ts'
import type { IntegrationRecord } from '../interfaces/integration-store.ts'
import { callHook, type MirrorHooks } from '../interfaces/mirror-hooks.ts'
import type { MirrorStore } from '../interfaces/store.ts'
import { LeaseLostError } from './lease.ts'
import type { MirrorsHooks, MirrorsSettings, ServiceAccess } from './mirrors-options.ts'
import { withinLimit } from './time-limit.ts'

/** The maximum number of notes of one integration that are read concurrently. */
const NOTE_CONCURRENCY = 8

/** The salt of the digests of keys without an id. It is the same for all integrations, so that a shared key is detected. */
const KEY_PRINT_SALT = 'notewire integrations'

/** The client of an integration. */
export interface Connection {
  readonly client: NotesClient
  readonly baseUrl: string
  /** Identifies the key and its service. */
  readonly keyPrint: string
}

/**
 * Calls the user's `connect` for an integration, and makes its client.
 *
 * @throws what `connect` throws; OptionError for invalid options; MirrorError `callback_timed_out` after 10 s
 */
export async function connect(
  integration: string,
  { connect, clock }: MirrorsSettings,
  signal: AbortSignal = new AbortController().signal,
): Promise<Connection> {
  const options = await withinLimit('connect', clock, signal, async () => await connect(integration))
  // The client would take missing options from the environment, so that all integrations would use the same key.
  const baseUrl = requireReturned('baseUrl', options, 'the address of the notes service')
  const apiKey = requireReturned('apiKey', options, 'the API key of the integration')
  const client = new NotesClient({ maxRetries: 0, ...options, baseUrl, apiKey })
  const key = await client.identifyKey(KEY_PRINT_SALT)
  const service = baseUrl.replace(/\/+$/, '')
  return {
    client,
    baseUrl: service,
    keyPrint: `${service} ${key.kind === 'key_id' ? key.keyId : `#${key.digest}`}`,
  }
}

/**
 * Records which key an integration uses, so that no other integration can use it.
 *
 * @returns `false` if the fencing token of the record has expired, and nothing was written
 * @throws KeySharedError
 */
export async function claimKey(
  record: IntegrationRecord,
  { keyPrint }: Connection,
  { store }: MirrorsSettings,
): Promise<boolean> {
  if (keyPrint === record.keyPrint) return true
  const outcome = await store.integrations.claimKey(record.integration, record, keyPrint)
  if (outcome === 'shared') throw new KeySharedError(record.integration)
  return outcome === 'claimed'
}

/** Makes the engine of one integration, for one slice of work. */
export function engineOf(
  { client }: Connection,
  integration: string,
  store: MirrorStore,
  { keep, clock, hooks, pollEveryMs, scanEveryMs }: Omit<MirrorsSettings, 'store' | 'connect'>,
): Engine {
  return new Engine({
    ...{ client, store, integration, keep, clock, pollEveryMs, scanEveryMs },
    concurrency: NOTE_CONCURRENCY,
    hooks: hooksOf(integration, hooks),
  })
}

/** Makes the hooks of one integration, without `aroundWork`: a slice is wrapped as a whole. */
export function hooksOf(integration: string, hooks: MirrorsHooks): MirrorHooks {
  return {
    onProblem: (problem) => {
      if (!(problem.error instanceof LeaseLostError)) callHook(hooks.onProblem, { ...problem, integration })
    },
    onRemovalsHeld: (notice) => callHook(hooks.onRemovalsHeld, { ...notice, integration }),
    onContradiction: (notice) => callHook(hooks.onContradiction, { ...notice, integration }),
    onAudit: hooks.onAudit,
  }
}

function requireReturned(
  option: 'baseUrl' | 'apiKey',
  options: Partial<ServiceAccess> | undefined,
  what: string,
): string {
  const value = options?.[option]
  if (value) return value
  throw new OptionError(option, `connect returned no ${option}. Return ${what}: { baseUrl, apiKey }.`)
}
