import type { OpenEnum, Scope } from '@notewire/protocol'

/**
 * A person who owns notes. A key of one owner accesses nothing of another owner. Each act has the effects that the contract
 * specifies: revisions, events, deliveries.
 *
 * @example
 * ```ts
 * import { createNotesService } from '@notewire/mock-server'
 *
 * await using service = await createNotesService()
 * const note = service.owner.record({ title: 'Stand-up' }).end()
 * note.edit({ title: 'Stand-up, Monday' })
 * await service.settled()
 * ```
 */
export interface Owner {
  readonly owner_id: string
  /** The name that was given to `createOwner`, or `owner-1`, `owner-2` and so on. */
  readonly name: string
  /** The full key of an integration for the personal notes of this owner, with all scopes. */
  readonly apiKey: string
  /** Creates a channel. */
  createChannel(name: string): Channel
  /**
   * Creates a note and starts a recording session. The note is personal, unless `channel` is given.
   *
   * @throws `MockServerError` `channel_unknown` when the channel belongs to another owner
   */
  record(note?: NewNote): RecordingHandle
  /**
   * Creates an integration for the personal notes, or for channels. Keys are issued for it (contract §2; open point 30).
   *
   * @throws `MockServerError` `option_invalid` when `channels` is empty, `channel_unknown` when a channel belongs to another owner
   */
  createIntegration(integration?: NewIntegration): IntegrationHandle
  /** Returns the note with this identifier. @throws `MockServerError` `note_unknown` when this owner never had such a note */
  note(note_id: string): NoteHandle
  /** Every note that is not deleted, in order of creation; the seeded ones too. */
  notes(): readonly NoteHandle[]
}

/** A channel, which several people share (contract §1). */
export interface Channel {
  readonly channel_id: string
  readonly name: string
}

/** The fields of a new note. */
export interface NewNote {
  /** @default a plausible title */
  readonly title?: string | null | undefined
  /** @default null */
  readonly content?: string | null | undefined
  /** @default a personal note */
  readonly channel?: Channel | undefined
}

/** A note of the owner. Every act throws `MockServerError` `note_deleted` once the note is deleted. */
export interface NoteHandle {
  readonly note_id: string
  /** The current revision. */
  readonly revision: number
  /** Starts another recording session of this note. */
  record(): RecordingHandle
  /**
   * Changes the title or the content. If the note has ended, the service sends one `note.updated` 5 s after the last edit, and at
   * most 60 s after the first one (open point 21). An edit that changes nothing has no effect.
   */
  edit(changes: { readonly title?: string | null | undefined; readonly content?: string | null | undefined }): void
  /** Leaves a tombstone and sends `note.deleted` with reason `deleted`. */
  delete(): void
  /**
   * Moves the note to a channel, or back to the personal notes. Integrations that lose access are sent `note.deleted` with reason
   * `access_lost`. Integrations that gain access are sent nothing, and the revision stays (open points 20 and 28).
   */
  moveTo(place: Channel | 'personal'): void
}

/** A recording session that has started. */
export interface RecordingHandle {
  readonly recording_session_id: string
  readonly note: NoteHandle
  /**
   * Ends the session: the transcript is ready at once, `note.ended` is sent, and the summary follows 5 to 30 seconds later.
   *
   * @returns the note
   * @throws `MockServerError` `session_ended` when the session has ended, `note_deleted` when its note was deleted
   */
  end(outcome?: RecordingOutcome): NoteHandle
}

/** The content that a recording session produces. */
export interface RecordingOutcome {
  /** The spoken lines; an empty list for a silent recording. @default a plausible conversation */
  readonly transcript?: readonly { readonly speaker?: string | null | undefined; readonly text: string }[] | undefined
  /** The summary as Markdown, or `false` for no summary. @default a plausible summary */
  readonly summary?: string | false | undefined
}

/** The fields of a new integration. */
export interface NewIntegration {
  /** The channels that its keys can access. They then have no access to personal notes. @default the personal notes */
  readonly channels?: readonly Channel[] | undefined
}

/** An integration, for which keys are issued. Its endpoints are not visible to other integrations (open point 14). */
export interface IntegrationHandle {
  readonly integration_id: string
  /** Issues a key (contract §2). @throws `MockServerError` `option_invalid` when `scopes` is empty or contains an unknown scope */
  issueKey(options?: {
    /** @default all scopes */
    readonly scopes?: readonly OpenEnum<Scope>[] | undefined
  }): IssuedKey
}

/** An API key. Only the answer that issues a key contains the full key (contract §2). */
export interface IssuedKey {
  /** The identifier of the key in the request log. It is part of the key, unless `contract.keyForm` is `'without_key_id'`. */
  readonly key_id: string
  /** The full key: `ntw_live_{key_id}.{secret}`, or the form that `contract.keyPrefix` and `contract.keyForm` select. */
  readonly key: string
  readonly scopes: readonly OpenEnum<Scope>[]
  /** The API answers 401 to this key from now on. The endpoints of the integration stay active. */
  revoke(): void
}
