import { keyIdOf } from '@notewire/protocol'
import { createDriftWatch } from './drift/drift-watch.ts'
import { identifyKey, type KeyIdentity } from './key-identity.ts'
import { rememberAccess } from './note-handlers/access-identity.ts'
import { Notes } from './notes.ts'
import { type NotesClientOptions, resolveOptions } from './options/notes-client-options.ts'
import { createTransport } from './transport/transport.ts'
import { WebhookEndpoints } from './webhook-endpoints.ts'

/**
 * The REST API of a notes service (contract §4).
 *
 * Without `baseUrl` and `apiKey` it reads `NOTES_BASE_URL` and `NOTES_API_KEY` from the environment. It does not read a
 * variable whose option is given.
 *
 * It follows no redirect, sends the API key to `baseUrl` only, and never shows the key: neither in errors, nor when the
 * client itself is inspected or serialised.
 *
 * @example
 * ```ts
 * import { NotesClient } from '@notewire/client'
 *
 * const client = new NotesClient()
 *
 * for await (const note of client.notes.list()) {
 *   const summary = await client.notes.summary(note.note_id)
 *   console.log(note.title, summary.markdown)
 * }
 * ```
 */
export class NotesClient {
  /** Notes, their transcripts and summaries. */
  readonly notes: Notes
  /** Webhook endpoints: where the service announces changes. */
  readonly webhookEndpoints: WebhookEndpoints
  /** The part of the API key that may be shown, for logs; `undefined` for a key of another form (contract §2). */
  readonly keyId: string | undefined
  /** The address of the service, without the path of the API. It contains no credentials. */
  readonly baseUrl: string
  /**
   * Identifies the API key without showing it, also a key without an id. Store the identity to notice later that another key is used.
   * A field, so that `{ ...client }` keeps it.
   *
   * @param salt  a random text, not empty; digests of different salts cannot be matched
   * @throws `OptionError` when the salt is empty
   */
  readonly identifyKey: (salt: string) => Promise<KeyIdentity>
  /**
   * Returns the service's time at its latest answer, by its header `Date`; `undefined` before the first answer, and where an answer has no
   * such header. A field, so that `{ ...client }` keeps it.
   */
  readonly serviceTime: () => Date | undefined

  /**
   * Makes a client of a notes service. With the environment variables `NOTES_BASE_URL` and `NOTES_API_KEY`, it needs no options. With
   * `NOTES_LOG=debug`, it writes a line for each request to the standard error.
   *
   * @throws `OptionError` with the name of the invalid option, and the next step
   * @example
   * ```ts
   * import { NotesClient } from '@notewire/client'
   *
   * const client = new NotesClient({ baseUrl: 'https://notes.example', apiKey: 'ntw_live_k7.s3cret' })
   * for await (const note of client.notes.list()) console.log(note.title)
   * ```
   */
  constructor(options: NotesClientOptions = {}) {
    const settings = resolveOptions(options)
    const transport = createTransport(settings)
    const drift = createDriftWatch(settings.hooks.onDrift)
    this.notes = new Notes(transport, settings.notesField, drift)
    this.webhookEndpoints = new WebhookEndpoints(transport, drift)
    this.keyId = keyIdOf(settings.apiKey)
    this.baseUrl = settings.baseUrl
    this.identifyKey = (salt) => identifyKey(settings.apiKey, salt)
    this.serviceTime = () => {
      const time = Date.parse(transport.date ?? '')
      return Number.isNaN(time) ? undefined : new Date(time)
    }
    rememberAccess([this.notes, this.serviceTime], settings.baseUrl, settings.apiKey)
  }
}
