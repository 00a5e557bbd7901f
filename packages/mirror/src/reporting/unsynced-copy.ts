import type { MirrorStore } from '../interfaces/store.ts'
import type { MirrorLog } from './mirror-log.ts'

interface UnsyncedParts {
  readonly open: () => Promise<Pick<MirrorStore, 'readProgress'>>
  readonly integration: string
  readonly log: MirrorLog
}

/**
 * Notices that events are stored in a copy that no process has ever synced. If a process does sync, it probably uses another store, such as the
 * same relative path in another working directory. Both processes would otherwise work without an error.
 */
export class UnsyncedCopy {
  readonly #parts: UnsyncedParts
  #isDecided = false

  constructor(parts: UnsyncedParts) {
    this.#parts = parts
  }

  /** Called when this process syncs the copy itself. */
  syncsHere(): void {
    this.#isDecided = true
  }

  /** Called after an event was stored. Looks once, and logs what it finds. Never rejects. */
  async afterEvent(): Promise<void> {
    if (this.#isDecided) return
    this.#isDecided = true
    const { open, integration, log } = this.#parts
    try {
      const { progress } = await (await open()).readProgress(integration)
      const { key, lister, problem } = progress
      // A process that could not sync has stored why.
      if (key !== null || lister !== null || problem !== undefined) return
      log.report({ occurrence: 'never-synced', code: 'never_synced', integration })
    } catch {
      // The event is stored.
    }
  }
}
