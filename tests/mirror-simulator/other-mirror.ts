import { NotesClient } from '@notewire/client'
import { createMirror, type Mirror } from '@notewire/mirror'
import type { Stage } from './stage.ts'

/**
 * A mirror of what the key does not see, kept in the same store by another key. Nothing goes wrong with it, and neither of the two
 * may ever touch the other.
 */
export class OtherMirror {
  readonly #stage: Stage
  readonly #mirror: Mirror

  constructor(stage: Stage) {
    const { world, store, integration, circumstances, schedule } = stage
    const client = new NotesClient({
      baseUrl: world.service.baseUrl,
      apiKey: world.strangersKey.key,
      notesField: circumstances.contract.notesField,
      fetch: world.service.fetch,
      maxRetries: 0,
    })
    this.#stage = stage
    this.#mirror = createMirror({ client, store, integration: `${integration}-elsewhere`, clock: schedule.clock(0) })
  }

  async sync(): Promise<void> {
    const { world, chronicle } = this.#stage
    await world.catchUp()
    chronicle.tell('other', 'scans what is elsewhere')
    chronicle.count('job: elsewhere')
    await this.#mirror.sync({ scan: 'now' })
  }

  async conclude(): Promise<void> {
    const { world, judge } = this.#stage
    await this.sync()
    const shown = new Map<string, number>()
    for await (const { note } of this.#mirror.list()) shown.set(note.note_id, note.revision)
    for (const { id, name, handle, isElsewhere, isDeleted } of world.notes) {
      const revision = isElsewhere && !isDeleted ? handle.revision : undefined
      if (shown.get(id) === revision) continue
      judge.violated(`Elsewhere ${name} is shown at revision ${shown.get(id)}, and is at ${revision}.`)
    }
  }
}
