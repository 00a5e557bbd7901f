import { NotewireError } from '@notewire/protocol'

/**
 * The REST API returned 404 for a note that an event named, and nothing shows that the API key belongs to the events: code `key_unproven`.
 * Nothing is removed, because the note may exist and be visible to the right key only. Throw it on: the receiver answers 500, and the
 * service sends the event again.
 */
export class KeyUnprovenError extends NotewireError<'key_unproven'> {
  readonly noteId: string
  /** The integration of the event. */
  readonly integration: string

  constructor(noteId: string, integration: string) {
    super(
      'key_unproven',
      'the REST API returned 404 for a note that an event named, and it has not returned a note of any other event of this integration to ' +
        'this API key since the process started. The API key may belong to another integration, or the base URL to another service. Or ' +
        'the process has just started, or the account had only this note, and the note was deleted. Nothing was removed. Check that the ' +
        'API key and the base URL belong to the endpoint whose events arrive here. The receiver answers 500, and the service sends the ' +
        'event again. The option requireKeyProof: false of noteHandlers turns this check off.',
    )
    this.noteId = noteId
    this.integration = integration
  }
}
