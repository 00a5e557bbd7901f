import type { Receiver, ReceiverOptions } from '@notewire/webhooks'
import type { MirrorConsumers } from '../consuming/consumer.ts'
import type { SyncOptions, SyncReport } from '../fetching/sync.ts'
import type { MirrorReader } from '../reader/mirror-reader.ts'

/** Options of `mirror.receiver`: the options of a receiver except those that the mirror sets itself. */
export type MirrorReceiverOptions = Pick<
  ReceiverOptions,
  'secret' | 'path' | 'toleranceSeconds' | 'maxBodyBytes' | 'hooks' | 'logger' | 'logErrorMessages' | 'clock'
>

/** A local copy of all notes that a key can see, with transcripts and summaries. It converges to the service. */
export interface Mirror<Transaction = never> extends MirrorReader, MirrorConsumers<Transaction> {
  /**
   * Lists all notes the first time, and later the changes since the last listing. Lists all notes again once a day. Reads every note that an event or a
   * listing has made due. Continues where an earlier call was interrupted.
   *
   * If `run` or another call of this process is listing, the call takes over at its next page. If another process is listing, it asks that process for
   * a poll, or for a full listing with `fullListing: 'now'`, and waits for 30 s.
   *
   * @throws NotesClientError when the service refuses the key or is down; nothing is lost or removed
   * @throws KeyChangedError when the notes were listed with another key, or with a key that is not recorded
   * @throws MirrorInUseError when another process is still listing after 30 s
   */
  sync(options?: SyncOptions): Promise<SyncReport>
  /** Reads the notes that are due, and lists nothing: notes for which an event arrived are up to date when it resolves. */
  settle(options?: Pick<SyncOptions, 'signal'>): Promise<SyncReport>
  /**
   * Does what `run` would do now, for alarms, cron jobs and functions: syncs if the next poll is due, and otherwise reads the notes that are
   * due. `nextAt` is the time of the next call. After a failure, it waits as `run` does: a call that comes earlier sends no request, unless the service
   * has refused the key.
   */
  work(options?: Pick<SyncOptions, 'signal'>): Promise<SyncReport>
  /**
   * Keeps the mirror up to date until the signal fires: reads the notes of events immediately, polls every few minutes, lists all notes once a
   * day, and pauses while the service is down, limits the rate or refuses the key: it tries a refused key again, once an hour at most after
   * some minutes. It logs when a problem begins, changes and ends. If the store fails, also at the start, it tries again. Any number of processes may run
   * concurrently: one of them lists, and the others read the notes of events.
   *
   * @throws KeyChangedError; OptionError; NotesClientError `redirect_refused`, unless the integration is one of `createMirrors`, which parks it; never
   * the signal's reason
   */
  run(options: { readonly signal: AbortSignal }): Promise<void>
  /**
   * Makes the receiver of the mirror's events, for any adapter. It verifies each delivery, stores the event as a hint, and answers 204.
   * `run`, or the next `sync` or `settle`, reads the note. The receiver needs no store of its own.
   */
  receiver(options: MirrorReceiverOptions): Receiver
  /**
   * Erases the notes whose removal a full listing holds back because it missed too many notes.
   *
   * @returns how many notes were removed
   * @throws MirrorError `full_listing_unknown` when the full listing holds nothing back
   */
  acceptRemovals(fullListingId: string): Promise<number>
  /**
   * Reads a note and accepts what the service returns, even a revision lower than that of an announced deletion: for a service that was
   * restored from a backup (`status().contradictions` counts such notes). The next `settle`, `sync` or `run` reads the content.
   *
   * @returns whether the mirror shows the note
   * @throws NotesClientError when the note cannot be read
   * @throws KeyChangedError when the notes were listed with another key
   */
  acceptReads(noteId: string): Promise<boolean>
  /**
   * Replaces the key that the notes were listed with by the client's key, which must be able to access the same notes. A full listing in
   * progress starts again. A listing under way in another process stops.
   */
  adoptKey(): Promise<void>
}
