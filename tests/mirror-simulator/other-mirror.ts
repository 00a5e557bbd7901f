import { NotesClient } from '@notewire/client'
import { createMirror, type Mirror } from '@notewire/mirror'
import { onClock } from '../../packages/mirror/fixtures/on-clock.ts'
import { SILENT } from '../../packages/mirror/fixtures/silent-logger.ts'
import type { HistoryContext } from './history-context.ts'

/**
 * A mirror of the notes that another key sees, in the same store. It has no faults. The two mirrors must not affect each other.
 */
export class OtherMirror {
  readonly #context: HistoryContext
  readonly #mirror: Mirror

  constructor(context: HistoryContext) {
    const { world, store, integration, scenario, schedule } = context
    const client = new NotesClient({
      baseUrl: world.service.baseUrl,
      apiKey: world.otherKey.key,
      notesField: scenario.contract.notesField,
      fetch: world.service.fetch,
      maxRetries: 0,
    })
    this.#context = context
    this.#mirror = createMirror({
      client,
      store: onClock(store, schedule.clock(0)),
      integration: `${integration}-elsewhere`,
      logger: SILENT,
    })
  }

  async sync(): Promise<void> {
    const { world, chronicle } = this.#context
    await world.catchUp()
    chronicle.tell('other', 'lists all notes of the other channel')
    chronicle.count('job: elsewhere')
    await this.#mirror.sync({ fullListing: 'now' })
  }

  async checkConvergence(): Promise<void> {
    const { world, checker } = this.#context
    await this.sync()
    const shown = new Map<string, number>()
    for await (const { note } of this.#mirror.list()) shown.set(note.note_id, note.revision)
    for (const { id, name, handle, isElsewhere, isDeleted } of world.notes) {
      const revision = isElsewhere && !isDeleted ? handle.revision : undefined
      if (shown.get(id) === revision) continue
      checker.violated(`The other mirror shows ${name} at revision ${shown.get(id)}, and the service at ${revision}.`)
    }
  }
}
