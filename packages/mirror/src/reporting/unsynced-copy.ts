import type { IntegrationRecord } from '../integrations/integration-store.ts'
import type { MirrorStore } from '../stores/mirror-store.ts'
import type { MirrorLog } from './mirror-log.ts'

interface UnsyncedParts {
  readonly store: Pick<MirrorStore, 'readProgress'>
  readonly integrations: { get(integration: string): Promise<IntegrationRecord | undefined> }
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
    const { store, integrations, integration, log } = this.#parts
    try {
      const record = await integrations.get(integration)
      const { progress } = await store.readProgress(integration)
      // A process that has worked on the copy, or could not, has stored that.
      if (progress.key !== null || record === undefined || record.token > 0 || record.problem !== undefined) return
      log.report({ occurrence: 'never-synced', code: 'never_synced', integration })
    } catch {
      // The event is stored.
    }
  }
}
