import { NotewireError } from '@notewire/protocol'

/** The owner cannot do this to a note, a session or a channel: it is gone, done, or was never there. */
export class OwnerActError extends NotewireError<
  'note_deleted' | 'note_unknown' | 'session_ended' | 'channel_unknown'
> {}
