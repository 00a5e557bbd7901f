import { NotesClient } from '@notewire/client'
import { OptionError } from '@notewire/protocol'
import { KeySharedError, LeaseLostError } from '../errors.ts'
import type { EngineSettings } from '../fetching/sync.ts'
import { type CopyHooks, copyHooks } from '../hooks.ts'
import type { IntegrationRecord } from '../integrations/integration-store.ts'
import { Ledger, type LedgerFence } from '../ledger/ledger.ts'
import { loggedHooks } from '../reporting/logged-hooks.ts'
import { Engine } from './engine.ts'
import type { MirrorsOptions, ServiceAccess } from './mirrors-options.ts'
import { withinLimit } from './time-limit.ts'
import type { Connection, WorkSettings } from './work-settings.ts'

/** The salt of the digests of keys. It is the same for all integrations, so that a shared key is detected. */
const KEY_PRINT_SALT = 'notewire integrations'

/**
 * Makes the connection of an integration from what the user's `connect` returns.
 *
 * @throws what `connect` throws; OptionError for invalid options; MirrorError `callback_timed_out` after 10 s
 */
export function connectEach(access: MirrorsOptions['connect']): WorkSettings['connect'] {
  return async (integration, { clock, signal }) => {
    const options = await withinLimit('connect', clock, signal, async () => await access(integration))
    // The client would take missing options from the environment, so that all integrations would use the same key.
    const baseUrl = requireReturned('baseUrl', options, 'the address of the notes service')
    const apiKey = requireReturned('apiKey', options, 'the API key of the integration')
    const client = new NotesClient({ maxRetries: 0, ...options, baseUrl, apiKey })
    const key = await client.identifyKey(KEY_PRINT_SALT)
    const service = baseUrl.replace(/(?<!\/)\/+$/, '')
    return { client, baseUrl: service, keyPrint: `${service} #${key.digest}` }
  }
}

/** Makes the connection of `createMirror`, which always uses the same client. */
export function connectWith(client: NotesClient): WorkSettings['connect'] {
  return async () => ({ client, baseUrl: client.baseUrl, keyPrint: null })
}

/** Records which key an integration uses, so that no other can use it; `false` if the fencing token has expired, and nothing was written. */
export async function claimKey(
  record: IntegrationRecord,
  { keyPrint }: Connection,
  { integrations }: Pick<WorkSettings, 'integrations'>,
): Promise<boolean> {
  if (keyPrint === null || keyPrint === record.keyPrint) return true
  const outcome = await integrations.claimKey(record.integration, record, keyPrint)
  if (outcome === 'shared') throw new KeySharedError(record.integration)
  return outcome === 'claimed'
}

/** The times of a schedule, if they are not those of the settings. */
type Times = Partial<Pick<EngineSettings, 'pollEveryMs' | 'fullListingEveryMs'>>

export function engineOf(
  { client }: Connection,
  integration: string,
  fence: LedgerFence,
  settings: WorkSettings,
  times: Times = {},
): Engine {
  const { store, keep, clock, pollEveryMs, fullListingEveryMs, changes, hints, policy } = settings
  return new Engine({
    ...{ client, store, integration, fence, keep, clock, pollEveryMs, fullListingEveryMs, hints, ...times },
    concurrency: policy.noteConcurrency,
    hooks: hooksOf(integration, settings),
    onAnnounced: () => changes.notify(integration),
  })
}

export function ledgerOf(
  integration: string,
  fence: LedgerFence,
  { store, changes }: Pick<WorkSettings, 'store' | 'changes'>,
): Ledger {
  return new Ledger({ store, integration, fence, onAnnounced: () => changes.notify(integration) })
}

/** Makes the hooks of one integration. */
export function hooksOf(integration: string, { hooks, log }: Pick<WorkSettings, 'hooks' | 'log'>): CopyHooks {
  return loggedHooks(copyHooks(hooks, integration), integration, log)
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
