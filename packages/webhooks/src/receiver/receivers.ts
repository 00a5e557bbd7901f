import { isIntegrationId } from '@notewire/protocol'
import type { IncomingAttempt } from '../delivering/attempt.ts'
import { attemptOf, responseOf } from '../delivering/web-attempt.ts'
import type { ReceiverStore } from '../interfaces/store.ts'
import type {
  AnyOptions,
  AnyStore,
  EventSinkOptionsOfMany,
  ManyIntegrations,
  OptionsOfMany,
} from '../options/receiver-options.ts'
import { resolveReceiversOptions } from '../options/resolve-options.ts'
import { IntegrationSecrets } from '../secrets/integration-secrets.ts'
import { connectReceiver } from './connect-receiver.ts'
import type { Receivers } from './receiver-interface.ts'

/**
 * Creates the receivers of many integrations in one object: of a product whose customers each connect an account. Each integration has an
 * endpoint with a secret of its own, its own deduplication and its own revision gate. The options are those of {@link createReceiver},
 * with `secretOf` in place of `secret`, `integration` and `path`.
 *
 * @throws OptionError when an option is invalid; the message names the option and the fix
 * @example
 * ```ts
 * import { createReceivers } from '@notewire/webhooks'
 * import { expressHandler } from '@notewire/webhooks/express'
 * import express from 'express'
 *
 * const secrets = new Map([['acme', process.env['ACME_SIGNING_SECRET']]])
 *
 * const receivers = createReceivers({
 *   secretOf: (integration) => secrets.get(integration),
 *   on: { 'note.ended': async ({ data }, { integration }) => console.log(integration, 'has a new transcript of', data.note_id) },
 * })
 *
 * express().post('/webhooks/notes/:integration', expressHandler(receivers)).listen(3000)
 * ```
 */
// One signature, as in `createReceiver`.
export function createReceivers<Store extends AnyStore = ReceiverStore, Prepared = undefined>(
  options: EventSinkOptionsOfMany | OptionsOfMany<Store, Prepared>,
): Receivers
export function createReceivers<Transaction>(options: AnyOptions<Transaction> & ManyIntegrations): Receivers {
  const { secretOf, ...settings } = resolveReceiversOptions(options)
  const secrets = new IntegrationSecrets(secretOf, settings.clock)
  const { respond, process, cannotProcess, forget, closing } = connectReceiver(settings, secrets, undefined)

  return {
    for: (integration) => {
      const respondTo = (attempt: IncomingAttempt) => respond(attempt, integration)
      return { respond: respondTo, fetch: async (request) => responseOf(await respondTo(attemptOf(request))) }
    },
    respond: (attempt) => respond(attempt, attempt.integration),
    process: async (event, about) =>
      isIntegrationId(about?.integration)
        ? await process(event, about.integration)
        : cannotProcess(event, NO_INTEGRATION, undefined),
    forget: async (eventId, about) =>
      isIntegrationId(about?.integration) ? await forget(eventId, about.integration) : 'unknown',
    forgetSecret: (integration) => secrets.forget(integration),
    ...closing,
  }
}

const NO_INTEGRATION =
  'the integration is missing or malformed. Pass { integration } with the id that the handler or queue got.'
