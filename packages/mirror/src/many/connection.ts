import { NotesClient } from '@notewire/client'
import { OptionError } from '@notewire/protocol'
import { Engine } from '../engine/engine.ts'
import { KeySharedError } from '../interfaces/errors.ts'
import type { IntegrationRecord } from '../interfaces/integration-store.ts'
import { callHook, type MirrorHooks } from '../interfaces/mirror-hooks.ts'
import { Ledger, type LedgerFence } from '../ledger/ledger.ts'
import { loggedHooks } from '../reporting/logged-hooks.ts'
import type { MirrorsSettings, ServiceAccess } from './mirrors-options.ts'
import { withinLimit } from './time-limit.ts'

/** The maximum number of notes of one integration that are read concurrently. */
const NOTE_CONCURRENCY = 8

/** The salt of the digests of keys. It is the same for all integrations, so that a shared key is detected. */
const KEY_PRINT_SALT = 'notewire integrations'

export interface Connection {
  readonly client: NotesClient
  readonly baseUrl: string
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
  const service = baseUrl.replace(/(?<!\/)\/+$/, '')
  return {
    client,
    baseUrl: service,
    keyPrint: `${service} #${key.digest}`,
  }
}

/** Records which key an integration uses, so that no other can use it; `false` if the fencing token has expired, and nothing was written. */
export async function claimKey(
  record: IntegrationRecord,
  { keyPrint }: Connection,
  { integrations }: MirrorsSettings,
): Promise<boolean> {
  if (keyPrint === record.keyPrint) return true
  const outcome = await integrations.claimKey(record.integration, record, keyPrint)
  if (outcome === 'shared') throw new KeySharedError(record.integration)
  return outcome === 'claimed'
}

export function engineOf(
  { client }: Connection,
  integration: string,
  fence: LedgerFence,
  settings: Omit<MirrorsSettings, 'connect'>,
): Engine {
  const { store, keep, clock, pollEveryMs, scanEveryMs, changes, hints } = settings
  return new Engine({
    ...{ client, store, integration, fence, keep, clock, pollEveryMs, scanEveryMs, hints },
    concurrency: NOTE_CONCURRENCY,
    hooks: hooksOf(integration, settings),
    onAnnounced: () => changes.notify(integration),
  })
}

export function ledgerOf(
  integration: string,
  fence: LedgerFence,
  { store, changes }: Pick<MirrorsSettings, 'store' | 'changes'>,
): Ledger {
  return new Ledger({ store, integration, fence, onAnnounced: () => changes.notify(integration) })
}

/** Makes the hooks of one integration, without `aroundWork`: a slice is wrapped as a whole. */
export function hooksOf(integration: string, { hooks, log }: Pick<MirrorsSettings, 'hooks' | 'log'>): MirrorHooks {
  const own: MirrorHooks = {
    onProblem: (problem) => callHook(hooks.onProblem, { ...problem, integration }),
    onRemovalsHeld: (notice) => callHook(hooks.onRemovalsHeld, { ...notice, integration }),
    onContradiction: (notice) => callHook(hooks.onContradiction, { ...notice, integration }),
    onAudit: hooks.onAudit,
  }
  const logged = loggedHooks(own, integration, log)
  return {
    ...logged,
    // The worker that has the lease now does the work.
    onProblem: (problem) => {
      if (!(problem.error instanceof LeaseLostError)) callHook(logged.onProblem, problem)
    },
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

/** The fence of each commit of a worker. */
export function fenceOf({ generation, token }: IntegrationRecord): LedgerFence {
  return { generation, token, lost: () => new LeaseLostError() }
}

/** The worker's lease was lost: another worker has taken the integration, or it was removed. The store rejects the worker's commits. */
export class LeaseLostError extends Error {
  constructor() {
    super('another worker has taken the integration, or it was removed')
  }
}
