import { NotewireError } from '@notewire/protocol'

/** Every `code` of a `MirrorError`. */
export type MirrorErrorCode = 'key_changed' | 'mirror_busy' | 'scan_unknown' | 'position_malformed' | 'position_foreign'

/** What a mirror refuses to do, or could not. Neither the message nor any field holds a key or what a note says. */
export class MirrorError extends NotewireError<MirrorErrorCode> {}

/** The key is not the one that the notes were listed with, so that what it does not see proves nothing. */
export class KeyChangedError extends MirrorError {
  /** The id of the key that the notes were listed with. */
  readonly keyId: string

  constructor(scope: string, keyId: string, given: string | undefined) {
    super(
      'key_changed',
      `the mirror "${scope}" was made with the API key ${keyId}, and the client has ${given ?? 'one without an id'}. ` +
        'If the new key replaces the old one and sees the same notes, call mirror.adoptKey() once; if it sees others, give its mirror a scope of its own.',
    )
    this.keyId = keyId
  }
}

/** Others changed the same notes each time that this process tried to. */
export class MirrorBusyError extends MirrorError {
  constructor() {
    super(
      'mirror_busy',
      'other processes changed the same notes at every try. Nothing is lost: it is tried again with the next sync. If it goes on, run fewer processes on this mirror.',
    )
  }
}
