import { isIntegrationId, refuseSurplusOptions } from '@notewire/protocol'
import type { IncomingAttempt } from '../delivering/attempt.ts'
import { attemptOf, responseOf } from '../delivering/web-attempt.ts'
import type { ReceiverStore } from '../interfaces/store.ts'
import type {
  AnyOptions,
  AnyStore,
  EventSinkOptions,
  EventSinkOptionsOfMany,
  ManyIntegrations,
  OneIntegration,
  ReceiverOptions,
  ReceiversOptions,
} from '../options/receiver-options.ts'
import { resolveReceiverOptions, resolveReceiversOptions } from '../options/resolve-options.ts'
import { IntegrationSecrets } from '../secrets/integration-secrets.ts'
import { secretOfOne } from '../secrets/secret-source.ts'
import { connectReceiver } from './connect-receiver.ts'
import type { Receiver, Receivers } from './receiver-interface.ts'

/**
 * Creates a receiver. It verifies every delivery (contract §5), skips duplicates and stale revisions (§6), calls the handler of the event's
 * kind, and answers in time (§8). With the option `sink`, it passes every verified event to one function instead, including duplicates and
 * stale events.
 *
 * For many integrations, each with an endpoint and a secret of its own, use {@link createReceivers}.
 *
 * @throws SecretError when `secret` is malformed or missing. If a function returns such a secret, the receiver answers 503 instead
 * @throws OptionError when another option is invalid; the message names the option and the fix
 * @example
 * ```ts
 * import { createReceiver } from '@notewire/webhooks'
 *
 * export const receiver = createReceiver({
 *   secret: () => process.env['NOTES_SIGNING_SECRET'],
 *   on: { 'note.ended': async ({ data }) => console.log('fetch the transcript of', data.note_id) },
 * })
 * export const POST = receiver.fetch
 * ```
 */
// One signature: TypeScript would report a mistake as "No overload matches this call". If neither type fits, it explains the one that is
// written last, or from version 7 on the one whose name is last in the alphabet: the receiver with handlers.
export function createReceiver<Store extends AnyStore = ReceiverStore, Prepared = undefined>(
  options: EventSinkOptions | ReceiverOptions<Store, Prepared>,
): Receiver
export function createReceiver<Transaction>(options: AnyOptions<Transaction> & OneIntegration): Receiver {
  const { secret, integration: own, path, ...settings } = resolveReceiverOptions(options)
  const { respond, process, cannotProcess, forget, closing } = connectReceiver(settings, secretOfOne(secret), path)
  const respondTo = (attempt: IncomingAttempt) => respond(attempt, own)

  return {
    integration: own,
    respond: respondTo,
    fetch: async (request) => responseOf(await respondTo(attemptOf(request))),
    process: async (event, about = { integration: own }) => {
      const integration = about?.integration
      if (integration === own) return await process(event, own)
      return cannotProcess(event, isIntegrationId(integration) ? ofAnother(own) : NO_INTEGRATION, own)
    },
    forget: async (eventId, ...surplus) => {
      refuseSurplusOptions('forget', surplus)
      return await forget(eventId, own)
    },
    ...closing,
  }
}

function ofAnother(own: string): string {
  return (
    `it belongs to another integration than "${own}", the integration of this receiver. Use one queue for each receiver, or ` +
    'createReceivers.'
  )
}

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
 * const receivers = createReceivers({
 *   secretOf: (integration) => secrets.get(integration),
 *   on: { 'note.ended': async ({ data }, { integration }) => console.log(integration, 'has a new transcript of', data.note_id) },
 * })
 * express().post('/webhooks/notes/:integration', expressHandler(receivers)).listen(3000)
 * ```
 */
// One signature, as in `createReceiver`.
export function createReceivers<Store extends AnyStore = ReceiverStore, Prepared = undefined>(
  options: EventSinkOptionsOfMany | ReceiversOptions<Store, Prepared>,
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
