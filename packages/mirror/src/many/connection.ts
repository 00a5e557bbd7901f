import { NotesClient } from '@notewire/client'
import { OptionError } from '@notewire/protocol'
import { Engine } from '../engine/engine.ts'
import { callHook, type MirrorHooks } from '../interfaces/mirror-hooks.ts'
import type { MirrorStore } from '../interfaces/store.ts'
import { LeaseLostError } from './lease.ts'
import type { MirrorsHooks, MirrorsSettings, ServiceAccess } from './mirrors-options.ts'
import { withinLimit } from './time-limit.ts'

/** How many notes of one integration are read at once. */
const NOTES_AT_ONCE = 8

/** The salt of the digests of keys without an id, by which two integrations with the same key are noticed. */
const PRINT_SALT = 'notewire integrations'

/** An integration's way to its service. */
export interface Connection {
  readonly client: NotesClient
  readonly baseUrl: string
  /** Identifies the key and its service. */
  readonly keyPrint: string
}

/**
 * Asks the user's `connect` for the key of an integration.
 *
 * @throws what `connect` throws; OptionError for options that cannot work; MirrorError `callback_timed_out` after 10 s
 */
export async function connect(
  integration: string,
  { connect, clock }: MirrorsSettings,
  signal: AbortSignal = new AbortController().signal,
): Promise<Connection> {
  const options = await withinLimit('connect', clock, signal, async () => await connect(integration))
  // The client would take what is missing from the environment: all integrations would have the same key.
  const baseUrl = requireReturned('baseUrl', options, 'the address of the notes service')
  const apiKey = requireReturned('apiKey', options, 'the API key of the integration')
  const client = new NotesClient({ maxRetries: 0, ...options, baseUrl, apiKey })
  const key = await client.identifyKey(PRINT_SALT)
  return {
    client,
    baseUrl,
    keyPrint: `${baseUrl.replace(/\/+$/, '')} ${key.kind === 'key_id' ? key.keyId : `#${key.digest}`}`,
  }
}

/** The engine of one integration, for one slice of work. */
export function engineOf(
  { client }: Connection,
  integration: string,
  store: MirrorStore,
  { keep, clock, hooks, pollEveryMs, scanEveryMs }: Omit<MirrorsSettings, 'store' | 'connect'>,
): Engine {
  const settings = {
    ...{ client, store, integration, keep, clock, pollEveryMs, scanEveryMs },
    concurrency: NOTES_AT_ONCE,
    hooks: hooksOf(integration, hooks),
  }
  return new Engine(settings)
}

/** The hooks of one integration. A slice is wrapped as a whole, so its engine wraps nothing. */
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
