import { NotesClient } from '@notewire/client'
import { type Clock, OptionError } from '@notewire/protocol'
import { Engine } from '../engine/engine.ts'
import { callHook, type MirrorHooks } from '../interfaces/mirror-hooks.ts'
import type { MirrorStore } from '../interfaces/store.ts'
import { LeaseLostError } from './lease.ts'
import type { MirrorsHooks, MirrorsSettings } from './mirrors-options.ts'

const CONNECT_WITHIN_MS = 10_000

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
 * @throws what `connect` throws; OptionError for options that cannot work, and after 10 s
 */
export async function connect(
  integration: string,
  { connect, clock }: MirrorsSettings,
  signal: AbortSignal = new AbortController().signal,
): Promise<Connection> {
  const options = await within(CONNECT_WITHIN_MS, clock, signal, async () => await connect(integration))
  // Empty ones are refused. Undefined ones would be taken from the environment.
  const { baseUrl = '', apiKey = '' } = options as Partial<typeof options>
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

async function within<Result>(
  ms: number,
  clock: Clock,
  signal: AbortSignal,
  work: () => Promise<Result>,
): Promise<Result> {
  const over = new AbortController()
  const late = clock.sleep(ms, AbortSignal.any([signal, over.signal])).then(() => {
    throw new OptionError(
      'connect',
      `connect took longer than ${ms / 1000} s, so the integration is tried again later.`,
    )
  })
  late.catch(() => undefined)
  try {
    return await Promise.race([work(), late])
  } finally {
    over.abort()
  }
}
