import { keyIdOf } from '@notewire/protocol'
import { DriftWatch } from './drift/drift-watch.ts'
import { Notes } from './notes.ts'
import { type NotesClientOptions, resolveOptions } from './notes-client-options.ts'
import { createTransport } from './transport/transport.ts'
import { WebhookEndpoints } from './webhook-endpoints.ts'

/**
 * The REST API of a notes service (contract §4).
 *
 * It follows no redirect, sends the API key to `baseUrl` alone, and shows it nowhere: not in errors, and not when the
 * client itself is inspected or serialised.
 *
 * @example
 * ```ts
 * import { NotesClient } from '@notewire/client'
 *
 * const client = new NotesClient({
 *   baseUrl: 'https://notes.example',
 *   apiKey: process.env['NOTES_API_KEY'] ?? '',
 * })
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

  /** @throws `OptionError` naming the option that cannot work, and the fix */
  constructor(options: NotesClientOptions) {
    const settings = resolveOptions(options)
    const transport = createTransport(settings)
    const drift = new DriftWatch(settings.hooks.onDrift)
    this.notes = new Notes(transport, settings.notesField, drift)
    this.webhookEndpoints = new WebhookEndpoints(transport, drift, settings.clock)
    this.keyId = keyIdOf(settings.apiKey)
  }
}
