import { refuseUnknownOptions, type WebhookEvent } from '@notewire/protocol'
import { createReceivers, type Receivers } from '@notewire/webhooks'
import { IntegrationRemovedError } from '../errors.ts'
import { storeHint } from '../ledger/store-hint.ts'
import { RECEIVER_OPTIONS, requireFunction } from '../options.ts'
import { ledgerOf } from './connection.ts'
import type { MirrorsReceiversOptions } from './mirrors-options.ts'
import type { WorkSettings } from './work-settings.ts'

/** Makes the receivers of the events of all integrations, which store each event as a hint. */
export function receiverOf(
  options: MirrorsReceiversOptions,
  settings: WorkSettings,
  open: () => Promise<unknown>,
): Receivers {
  refuseUnknownOptions('mirrors.receivers', options, { secretOf: true, ...RECEIVER_OPTIONS })
  const { integrations, clock } = settings
  const { secretOf } = options
  requireFunction('secretOf', secretOf, 'Pass a function that returns the signing secret of an integration.')

  async function generationOf(integration: string): Promise<string | undefined> {
    await open()
    const record = await integrations.get(integration)
    return record?.state === 'removing' ? undefined : record?.generation
  }

  return createReceivers({
    clock,
    ...options,
    secretOf: async (integration) =>
      (await generationOf(integration)) === undefined ? undefined : await secretOf(integration),
    sink: (event, { integration }) => receiveEvent(event, integration, settings, () => generationOf(integration)),
  })
}

/**
 * Stores the hint of an event. Resolves when the event may be acknowledged: also if the integration was removed after the lookup of its secret. Later
 * deliveries are then answered with 404.
 *
 * @param generationOf  returns the id of the copy; `undefined` if there is none. Called again if the copy has gone.
 */
export async function receiveEvent(
  event: WebhookEvent,
  integration: string,
  settings: WorkSettings,
  generationOf: () => Promise<string | undefined>,
): Promise<void> {
  for (let known: string | undefined; ; ) {
    const generation = await generationOf()
    if (generation === undefined) return
    const removed = new IntegrationRemovedError(integration)
    // The service delivers the event again.
    if (generation === known) throw removed
    known = generation
    const ledger = ledgerOf(integration, { generation, lost: () => removed }, settings)
    const isDue = await storeHint(event, ledger, settings.clock).catch((error) => {
      if (error !== removed) throw error
    })
    if (isDue === true) settings.hints.notify(integration)
    if (isDue !== undefined) return
  }
}
