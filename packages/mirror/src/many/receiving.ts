import { refuseUnknownOptions, type WebhookEvent } from '@notewire/protocol'
import { createReceivers, type Receivers } from '@notewire/webhooks'
import { requireFunction } from '../context/mirror-options.ts'
import { storeHint } from '../engine/store-hint.ts'
import { IntegrationRemovedError } from '../interfaces/errors.ts'
import { Ledger } from '../ledger/ledger.ts'
import { type MirrorsReceiversOptions, type MirrorsSettings, RECEIVER_OPTIONS } from './mirrors-options.ts'
import { fencedStore } from './store-wrappers.ts'

/**
 * Makes the receivers of the events of all integrations.
 *
 * @param open  creates the tables of the store if they are missing
 * @param onHint  called when an event has made an integration due
 */
export function receiverOf(
  options: MirrorsReceiversOptions,
  { store, clock }: MirrorsSettings,
  open: () => Promise<unknown>,
  onHint: () => void,
): Receivers {
  refuseUnknownOptions('mirrors.receivers', options, RECEIVER_OPTIONS)
  const { secretOf } = options
  requireFunction('secretOf', secretOf, 'Pass a function that returns the signing secret of an integration.')

  async function generationOf(integration: string): Promise<string | undefined> {
    await open()
    const record = await store.integrations.get(integration)
    return record?.state === 'removing' ? undefined : record?.generation
  }

  async function receiveEvent(event: WebhookEvent, integration: string): Promise<void> {
    const generation = await generationOf(integration)
    // The integration was removed after the lookup of its secret. Later deliveries are answered with 404.
    if (generation === undefined) return
    const removed = new IntegrationRemovedError(integration)
    const fenced = fencedStore(store, { generation }, () => removed)
    const ledger = new Ledger({ store: fenced, integration, clock })
    const isDue = await storeHint(event, ledger, clock).catch((error) => {
      if (error !== removed) throw error
    })
    if (isDue === true) onHint()
  }

  return createReceivers({
    clock,
    ...options,
    secretOf: async (integration) =>
      (await generationOf(integration)) === undefined ? undefined : await secretOf(integration),
    sink: (event, { integration }) => receiveEvent(event, integration),
  })
}
