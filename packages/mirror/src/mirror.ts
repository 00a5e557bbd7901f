import { createReceiver, type Receiver } from '@notewire/webhooks'
import { Engine } from './engine.ts'
import type { MirrorReceiverOptions } from './hints/mirror-receiver-options.ts'
import { type MirrorOptions, resolveMirrorOptions } from './mirror-options.ts'
import { createReader, type MirrorReader } from './mirror-reader.ts'
import { run } from './run.ts'
import type { SyncOptions, SyncReport } from './sync-report.ts'

/** A local copy of all notes that a key can see, with their transcripts and summaries, which converges to the service. */
export interface Mirror extends MirrorReader {
  /**
   * Does what is due, and resolves when it is done: the first listing of everything, or what has changed since the last; a full scan once a
   * day; and every note that events or listings marked to be read. It goes on where an earlier one was interrupted, at any statement.
   *
   * @throws NotesClientError when the service refuses the key or is down; nothing is lost or removed by that
   * @throws KeyChangedError when the notes were listed with another key
   */
  sync(options?: SyncOptions): Promise<SyncReport>
  /** Reads the notes that are due, and lists nothing: what events have marked is up to date when it resolves. */
  settle(options?: Pick<SyncOptions, 'signal'>): Promise<SyncReport>
  /**
   * Does what is due by now, and tells when to come again: one round of `run`, for alarms, crons and functions that do not stay. It
   * syncs when the next poll is due, and else reads the notes that are.
   */
  work(options?: Pick<SyncOptions, 'signal'>): Promise<SyncReport>
  /**
   * Keeps the mirror up to date until the signal fires: reads what events mark at once, polls every few minutes, scans once a day,
   * and pauses while the service is down or wants it.
   *
   * @throws what no patience can mend: a key that is refused, or was changed; the signal's reason never
   */
  run(options: { readonly signal: AbortSignal }): Promise<void>
  /**
   * Makes the receiver of the mirror's events, to be mounted by any adapter. It verifies, writes the event down as a hint, and
   * answers 204; `run`, or the next `sync` or `settle`, reads what it names. There is no need for a store of its own.
   */
  receiver(options: MirrorReceiverOptions): Receiver
  /**
   * Erases what a scan found missing and held back, because there was so much of it.
   *
   * @returns how many notes were removed
   * @throws MirrorError `scan_unknown` when it is not the last one that held anything back
   */
  acceptRemovals(scanId: string): Promise<number>
  /** Goes on with a new key in place of the one that the notes were listed with. It must see the same notes. */
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
export function createMirror(options: MirrorOptions): Mirror {
  const settings = resolveMirrorOptions(options)
  const { scope, clock } = settings
  const engine = new Engine(settings)

  const store = () => engine.store()

  return {
    ...createReader({ store, scope, clock }),
    sync: (syncOptions = {}) => engine.sync(syncOptions),
    settle: (settleOptions = {}) => engine.settle(settleOptions),
    work: (workOptions = {}) => engine.work(workOptions),
    run: ({ signal }) => run(engine, settings, signal),
    receiver: (receiverOptions) =>
      createReceiver({
        clock,
        ...receiverOptions,
        on: {},
        scope,
        queue: { enqueue: (_scope, event) => engine.hear(event) },
      }),
    acceptRemovals: (scanId) => engine.acceptRemovals(scanId),
    adoptKey: () => engine.adoptKey(),
  }
}
