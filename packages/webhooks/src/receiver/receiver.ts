import type { IncomingAttempt } from '../delivering/attempt.ts'
import { attemptOf, responseOf } from '../delivering/web-attempt.ts'
import type { ReceiverStore } from '../interfaces/store.ts'
import type {
  AnyOptions,
  AnyStore,
  EventSinkOptions,
  OneIntegration,
  OptionsOfOne,
} from '../options/receiver-options.ts'
import { resolveReceiverOptions } from '../options/resolve-options.ts'
import { secretOfOne } from '../secrets/secret-source.ts'
import { connectReceiver } from './connect-receiver.ts'
import type { Receiver } from './receiver-interface.ts'

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
 *   on: {
 *     'note.ended': async ({ data }) => console.log('fetch the transcript of', data.note_id),
 *     'note.deleted': async ({ data }) => console.log('remove', data.note_id),
 *   },
 * })
 *
 * export const POST = receiver.fetch
 * ```
 */
// One signature: TypeScript would report a mistake as "No overload matches this call". If neither type fits, it explains the one that is
// written last, or from version 7 on the one whose name is last in the alphabet: the receiver with handlers.
export function createReceiver<Store extends AnyStore = ReceiverStore, Prepared = undefined>(
  options: EventSinkOptions | OptionsOfOne<Store, Prepared>,
): Receiver
export function createReceiver<Transaction>(options: AnyOptions<Transaction> & OneIntegration): Receiver {
  const { secret, integration: own, path, ...settings } = resolveReceiverOptions(options)
  const { respond, process, cannotProcess, forget, closing } = connectReceiver(settings, secretOfOne(secret), path)
  const respondTo = (attempt: IncomingAttempt) => respond(attempt, own)

  return {
    integration: own,
    respond: respondTo,
    fetch: async (request) => responseOf(await respondTo(attemptOf(request))),
    process: async (event, { integration } = { integration: own }) =>
      integration === own ? await process(event, own) : cannotProcess(event, ofAnother(own), own),
    forget: (eventId) => forget(eventId, own),
    ...closing,
  }
}

function ofAnother(own: string): string {
  return (
    `it belongs to another integration than "${own}", the integration of this receiver. Use one queue for each receiver, or ` +
    'createReceivers.'
  )
}
