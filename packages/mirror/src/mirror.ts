import { refuseUnknownOptions } from '@notewire/protocol'
import { createReceiver, type Receiver, type ReceiverOptions } from '@notewire/webhooks'
import { createConsumers, type MirrorConsumers } from './consuming/consumer.ts'
import { type MirrorOptions, requireSignal, resolveMirrorOptions } from './context/mirror-options.ts'
import type { SyncOptions, SyncReport } from './context/sync-options.ts'
import { Engine } from './engine/engine.ts'
import { createReader, type MirrorReader } from './reader/mirror-reader.ts'
import { run } from './run.ts'

/** What `mirror.receiver` takes: the options of a receiver without those that the mirror sets itself. */
export type MirrorReceiverOptions = Pick<
  ReceiverOptions,
  'secret' | 'path' | 'toleranceSeconds' | 'maxBodyBytes' | 'hooks' | 'logger' | 'clock'
>

/** A local copy of all notes that a key can see, with their transcripts and summaries, which converges to the service. */
export interface Mirror<Transaction = never> extends MirrorReader, MirrorConsumers<Transaction> {
  /**
   * Lists all notes the first time, and then what changed since the last listing; scans once a day; and reads every note that events
   * or listings marked. It continues where an earlier call was interrupted.
   *
   * @throws NotesClientError when the service refuses the key or is down; nothing is lost or removed
   * @throws KeyChangedError when the notes were listed with another key, or with a key that is not recorded
   * @throws MirrorError `key_unidentified` when the client does not identify its key
   */
  sync(options?: SyncOptions): Promise<SyncReport>
  /** Reads the notes that are due, and lists nothing: notes that events marked are up to date when it resolves. */
  settle(options?: Pick<SyncOptions, 'signal'>): Promise<SyncReport>
  /**
   * One round of `run`, for alarms, cron jobs and functions: syncs if the next poll is due, and otherwise reads the notes that are due.
   * `nextAt` is the time of the next round.
   */
  work(options?: Pick<SyncOptions, 'signal'>): Promise<SyncReport>
  /**
   * Keeps the mirror up to date until the signal fires: reads the notes of events immediately, polls every few minutes, scans once a
   * day, and pauses while the service is down or limits the rate.
   *
   * @throws NotesClientError when the service refuses the key; KeyChangedError; never the signal's reason
   */
  run(options: { readonly signal: AbortSignal }): Promise<void>
  /**
   * Makes the receiver of the mirror's events, to be mounted by any adapter. It verifies each delivery, writes the event down as a
   * hint, and answers 204; `run`, or the next `sync` or `settle`, reads the note. It needs no store of its own.
   */
  receiver(options: MirrorReceiverOptions): Receiver
  /**
   * Erases the notes that a scan found missing and held back because they were so many.
   *
   * @returns how many notes were removed
   * @throws MirrorError `scan_unknown` when the scan holds nothing back
   */
  acceptRemovals(scanId: string): Promise<number>
  /**
   * Reads a note and believes what the service shows, also a revision below that of an announced deletion: for a service that was
   * restored from a backup, whose notes `status().contradictions` counts. The content is read with the next `settle`, `sync` or `run`.
   *
   * @returns whether the note is there
   * @throws NotesClientError when it cannot be read
   * @throws KeyChangedError when the notes were listed with another key
   */
  acceptReads(noteId: string): Promise<boolean>
  /**
   * Replaces the key that the notes were listed with by the client's. It must see the same notes. A scan under way begins anew.
   *
   * @throws MirrorError `key_unidentified` when the client does not identify its key
   */
  adoptKey(): Promise<void>
}

/**
 * Makes a mirror. The tables of its store are made when it is first used.
 *
 * @throws OptionError naming the option that cannot work, and the fix
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
  const { integration, clock } = settings
  const engine = new Engine(settings)
  // With the type of its transactions, which the engine does not need.
  const open = async () => {
    await engine.store()
    return options.store
  }

  return {
    ...createReader(open, integration, clock),
    ...createConsumers(open, settings),
    async sync(syncOptions = {}) {
      refuseUnknownOptions('mirror.sync', syncOptions, ['signal', 'scan'])
      return await engine.sync(syncOptions)
    },
    async settle(settleOptions = {}) {
      refuseUnknownOptions('mirror.settle', settleOptions, ['signal'])
      return await engine.settle(settleOptions)
    },
    async work(workOptions = {}) {
      refuseUnknownOptions('mirror.work', workOptions, ['signal'])
      return await engine.work(workOptions)
    },
    async run(runOptions) {
      refuseUnknownOptions('mirror.run', runOptions, ['signal'])
      return await run(engine, settings, requireSignal('mirror.run', runOptions.signal))
    },
    receiver(receiverOptions) {
      refuseUnknownOptions('mirror.receiver', receiverOptions, RECEIVER_OPTIONS)
      return createReceiver({ clock, ...receiverOptions, integration, sink: (event) => engine.hear(event) })
    },
    acceptRemovals: (scanId) => engine.acceptRemovals(scanId),
    acceptReads: (noteId) => engine.acceptReads(noteId),
    adoptKey: () => engine.adoptKey(),
  }
}

const RECEIVER_OPTIONS: readonly (keyof MirrorReceiverOptions)[] = [
  'secret',
  'path',
  'toleranceSeconds',
  'maxBodyBytes',
  'hooks',
  'logger',
  'clock',
]
