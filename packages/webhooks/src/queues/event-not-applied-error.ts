import { NotewireError } from '@notewire/protocol'

/**
 * Why an attempt at a queued event failed, as the engine keeps it: it says what kind of error the handler threw, and holds
 * neither that error nor its message, which may quote a note or a key. The receiver's log and hooks have them.
 */
export class EventNotAppliedError extends NotewireError<'event_not_applied'> {
  constructor(why: string) {
    super(
      'event_not_applied',
      `${why} The queue retries the event until its attempts are used up; then the event is a dead letter, which you can replay.`,
    )
  }
}
