import type { OpenEnum, Scope } from '@notewire/protocol'

/**
 * The person whose notes the service keeps. What a test does as this person has every consequence that the contract
 * gives it: revisions, events, deliveries.
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
  /** Makes a channel that notes can be in. */
  createChannel(name: string): Channel
  /**
   * Begins to record a new note: a personal one, unless `channel` is given.
   *
   * @throws `OwnerActError` when the channel is another service's
   */
  record(note?: NewNote): RecordingHandle
  /**
   * Makes an integration, for which keys can be issued: for the personal notes, or for channels (contract §2; open point 30).
   *
   * @throws `OptionError` when `channels` is empty
   * @throws `OwnerActError` when a channel is another service's
   */
  createIntegration(integration?: NewIntegration): IntegrationHandle
  /**
   * A note that the test knows by its identifier.
   *
   * @throws `OwnerActError` when this service never had such a note
   */
  note(note_id: string): NoteHandle
  /** Every note that is not deleted, in order of creation; the seeded ones too. */
  notes(): readonly NoteHandle[]
}

/** A place for notes that several people share (contract §1). */
export interface Channel {
  readonly channel_id: string
  readonly name: string
}

/** What a note is begun with. */
export interface NewNote {
  /** @default a plausible title */
  readonly title?: string | null | undefined
  /** @default null */
  readonly content?: string | null | undefined
  /** @default a personal note */
  readonly channel?: Channel | undefined
}

/** A note in the owner's hands. Every act throws `OwnerActError` once the note is deleted. */
export interface NoteHandle {
  readonly note_id: string
  /** The current revision. */
  readonly revision: number
  /** Begins another recording session of this note. */
  record(): RecordingHandle
  /**
   * Changes what the API shows. Once the note has ended, `note.updated` follows 5 s after the last edit, and 60 s after the first
   * one at the latest (open point 21). A change that changes nothing does nothing.
   */
  edit(changes: { readonly title?: string | null | undefined; readonly content?: string | null | undefined }): void
  /** Leaves a tombstone and sends `note.deleted` with reason `deleted`. */
  delete(): void
  /**
   * Moves the note to a channel, or back to the personal notes. Integrations that lose sight of it are sent `note.deleted`
   * with reason `access_lost`; those that gain it are sent nothing, and the revision stays (open points 20 and 28).
   */
  moveTo(place: Channel | 'personal'): void
}

/** A recording session under way. */
export interface RecordingHandle {
  readonly recording_session_id: string
  readonly note: NoteHandle
  /**
   * Ends the session: the transcript is ready at once, `note.ended` is sent, and the summary follows 5 to 30 seconds later.
   *
   * @returns the note
   * @throws `OwnerActError` when the session has ended, or its note was deleted
   */
  end(outcome?: RecordingOutcome): NoteHandle
}

/** What a recording session leaves behind. */
export interface RecordingOutcome {
  /** What was said; nothing, for a recording of silence. @default a plausible conversation */
  readonly transcript?: readonly { readonly speaker?: string | null | undefined; readonly text: string }[] | undefined
  /** The summary's Markdown, or `false` when none is to be generated. @default a plausible summary */
  readonly summary?: string | false | undefined
}

/** What an integration is for. */
export interface NewIntegration {
  /** The channels that its keys see. They then see nothing personal. @default the personal notes */
  readonly channels?: readonly Channel[] | undefined
}

/** Something that keys are issued for. Its endpoints are its own: other integrations do not see them (open point 14). */
export interface IntegrationHandle {
  readonly integration_id: string
  /**
   * Issues a key (contract §2).
   *
   * @throws `OptionError` when `scopes` is empty or names an unknown one
   */
  issueKey(options?: {
    /** What the key may do. @default all scopes */
    readonly scopes?: readonly OpenEnum<Scope>[] | undefined
  }): IssuedKey
}

/** An API key, in the one place that shows it whole (contract §2). */
export interface IssuedKey {
  readonly key_id: string
  /** The full key, `ntw_live_{key_id}.{secret}`. */
  readonly key: string
  readonly scopes: readonly OpenEnum<Scope>[]
  /** From now on the service answers 401 to this key. Endpoints belong to the integration, and go on being sent to. */
  revoke(): void
}
