import { refuseNoSignal, refuseSurplusOptions, refuseUnknownOptions, type WebhookEvent } from '@notewire/protocol'
import { createReceiver, type Receiver, type ReceiverOptions } from '@notewire/webhooks'
import { createConsumers, type MirrorConsumers } from './consuming/consumer.ts'
import {
  type MirrorOptions,
  RECEIVER_OPTIONS,
  requireNoteId,
  requireSignal,
  requireWord,
  resolveMirrorOptions,
} from './context/mirror-options.ts'
import type { SyncOptions, SyncReport } from './context/sync.ts'
import { Engine } from './engine/engine.ts'
import { Reporter } from './engine/reporter.ts'
import { createReader, type MirrorReader } from './reader/mirror-reader.ts'
import { UnsyncedCopy } from './reporting/unsynced-copy.ts'
import { run } from './run.ts'

/** Options of `mirror.receiver`: the options of a receiver except those that the mirror sets itself. */
export type MirrorReceiverOptions = Pick<
  ReceiverOptions,
  'secret' | 'path' | 'toleranceSeconds' | 'maxBodyBytes' | 'hooks' | 'logger' | 'logErrorMessages' | 'clock'
>

/** A local copy of all notes that a key can see, with transcripts and summaries. It converges to the service. */
export interface Mirror<Transaction = never> extends MirrorReader, MirrorConsumers<Transaction> {
  /**
   * Lists all notes the first time, and later the changes since the last listing. Scans once a day. Reads every note that an event or a
   * listing has made due. Continues where an earlier call was interrupted.
   *
   * @throws NotesClientError when the service refuses the key or is down; nothing is lost or removed
   * @throws KeyChangedError when the notes were listed with another key, or with a key that is not recorded
   */
  sync(options?: SyncOptions): Promise<SyncReport>
  /** Reads the notes that are due, and lists nothing: notes for which an event arrived are up to date when it resolves. */
  settle(options?: Pick<SyncOptions, 'signal'>): Promise<SyncReport>
  /**
   * Does one round of `run`, for alarms, cron jobs and functions: syncs if the next poll is due, and otherwise reads the notes that are
   * due. `nextAt` is the time of the next round.
   */
  work(options?: Pick<SyncOptions, 'signal'>): Promise<SyncReport>
  /**
   * Keeps the mirror up to date until the signal fires: reads the notes of events immediately, polls every few minutes, scans once a
   * day, and pauses while the service is down, limits the rate or refuses the key: it tries a refused key again, once an hour at most after
   * some minutes. It logs when a problem begins, changes and ends.
   *
   * @throws KeyChangedError; OptionError; NotesClientError `redirect_refused`; never the signal's reason
   */
  run(options: { readonly signal: AbortSignal }): Promise<void>
  /**
   * Makes the receiver of the mirror's events, for any adapter. It verifies each delivery, stores the event as a hint, and answers 204.
   * `run`, or the next `sync` or `settle`, reads the note. The receiver needs no store of its own.
   */
  receiver(options: MirrorReceiverOptions): Receiver
  /**
   * Erases the notes whose removal a scan holds back because it missed too many notes.
   *
   * @returns how many notes were removed
   * @throws MirrorError `scan_unknown` when the scan holds nothing back
   */
  acceptRemovals(scanId: string): Promise<number>
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
   * Replaces the key that the notes were listed with by the client's key, which must be able to access the same notes. A scan in
   * progress starts again.
   */
  adoptKey(): Promise<void>
}

/**
 * Makes a mirror. The first use creates the tables of its store.
 *
 * @throws OptionError with the invalid option, and the fix
 * @example
 * ```ts
 * import { NotesClient } from '@notewire/client'
 * import { createMirror } from '@notewire/mirror'
 * import { sqliteMirror } from '@notewire/mirror/sqlite'
 *
 * const client = new NotesClient({ baseUrl: 'https://notes.example', apiKey: process.env['NOTES_API_KEY'] ?? '' })
 * const mirror = createMirror({ client, store: sqliteMirror('notes.db') })
 *
 * await mirror.sync()
 * for await (const { note, summary } of mirror.list()) console.log(note.title, summary?.markdown)
 * ```
 */
export function createMirror<Transaction = never>(options: MirrorOptions<Transaction>): Mirror<Transaction> {
  const settings = resolveMirrorOptions(options)
  const { integration, clock, log, userHooks: hooks } = settings
  const engine = new Engine(settings)
  const reporter = new Reporter(settings, log, engine.store)
  // `options.store` has the type of its transactions, which the engine's store lacks.
  const open = async () => {
    await engine.store()
    return options.store
  }
  const unsynced = new UnsyncedCopy({ open, integration, log })

  const reader = createReader(open, integration, clock)
  return {
    ...reader,
    ...createConsumers(open, { integration, clock, log, hooks }),
    async status(...surplus) {
      refuseSurplusOptions('mirror.status', surplus)
      const status = await reader.status()
      // A full disk may still be read.
      return { ...status, problem: reporter.unstored ?? status.problem }
    },
    async sync(syncOptions = {}) {
      refuseUnknownOptions('mirror.sync', syncOptions, { signal: true, scan: true })
      refuseNoSignal(syncOptions.signal)
      requireWord('scan', syncOptions.scan, ['when-due', 'now', 'never'])
      unsynced.syncsHere()
      return await reporter.call(() => engine.sync(syncOptions), syncOptions.signal)
    },
    async settle(settleOptions = {}) {
      refuseUnknownOptions('mirror.settle', settleOptions, { signal: true })
      refuseNoSignal(settleOptions.signal)
      unsynced.syncsHere()
      return await reporter.call(() => engine.settle(settleOptions), settleOptions.signal)
    },
    async work(workOptions = {}) {
      refuseUnknownOptions('mirror.work', workOptions, { signal: true })
      refuseNoSignal(workOptions.signal)
      unsynced.syncsHere()
      return await reporter.call(() => engine.work(workOptions), workOptions.signal)
    },
    async run(runOptions) {
      refuseUnknownOptions('mirror.run', runOptions, { signal: true })
      const signal = requireSignal('mirror.run', runOptions.signal)
      unsynced.syncsHere()
      return await run(engine, settings, reporter, signal)
    },
    receiver(receiverOptions) {
      refuseUnknownOptions('mirror.receiver', receiverOptions, { secret: true, path: true, ...RECEIVER_OPTIONS })
      const sink = async (event: WebhookEvent) => {
        await engine.receive(event)
        await unsynced.afterEvent()
      }
      return createReceiver({ clock, ...receiverOptions, integration, sink })
    },
    async acceptRemovals(scanId, ...surplus) {
      refuseSurplusOptions('mirror.acceptRemovals', surplus)
      return await engine.acceptRemovals(scanId)
    },
    async acceptReads(noteId, ...surplus) {
      refuseSurplusOptions('mirror.acceptReads', surplus)
      requireNoteId('mirror.acceptReads', noteId)
      return await engine.acceptReads(noteId)
    },
    async adoptKey(...surplus) {
      refuseSurplusOptions('mirror.adoptKey', surplus)
      await engine.adoptKey()
    },
  }
}
