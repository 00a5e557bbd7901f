import { refuseUnknownOptions, type WebhookEvent } from '@notewire/protocol'
import { createReceivers, type Receivers } from '@notewire/webhooks'
import { RECEIVER_OPTIONS, requireFunction } from '../context/mirror-options.ts'
import { IntegrationRemovedError } from '../interfaces/errors.ts'
import { storeHint } from '../ledger/store-hint.ts'
import { ledgerOf } from './connection.ts'
import type { MirrorsReceiversOptions, MirrorsSettings } from './mirrors-options.ts'

/** Makes the receivers of the events of all integrations, which store each event as a hint. */
export function receiverOf(
  options: MirrorsReceiversOptions,
  settings: MirrorsSettings,
  open: () => Promise<unknown>,
): Receivers {
  refuseUnknownOptions('mirrors.receivers', options, { secretOf: true, ...RECEIVER_OPTIONS })
  const { integrations, clock, hints } = settings
  const { secretOf } = options
  requireFunction('secretOf', secretOf, 'Pass a function that returns the signing secret of an integration.')

  async function generationOf(integration: string): Promise<string | undefined> {
    await open()
    const record = await integrations.get(integration)
    return record?.state === 'removing' ? undefined : record?.generation
  }

  async function receiveEvent(event: WebhookEvent, integration: string): Promise<void> {
    const generation = await generationOf(integration)
    // The integration was removed after the lookup of its secret. Later deliveries are answered with 404.
    if (generation === undefined) return
    const removed = new IntegrationRemovedError(integration)
    const ledger = ledgerOf(integration, { generation, lost: () => removed }, settings)
    const isDue = await storeHint(event, ledger, clock).catch((error) => {
      if (error !== removed) throw error
    })
    if (isDue === true) hints.notify(integration)
  }

  return createReceivers({
    clock,
    ...options,
    secretOf: async (integration) =>
      (await generationOf(integration)) === undefined ? undefined : await secretOf(integration),
    sink: (event, { integration }) => receiveEvent(event, integration),
  })
}
