import type { Channel, NotesService } from '@notewire/mock-server'
import type { Random } from '../simulation/random.ts'

/** An owner who records, edits, moves and deletes notes, and remembers which notes are deleted permanently. */
export class BusyOwner {
  readonly #service: NotesService
  readonly #random: Random
  readonly #channel: Channel
  readonly deleted = new Set<string>()

  constructor(service: NotesService, random: Random) {
    this.#service = service
    this.#random = random
    this.#channel = service.owner.createChannel('elsewhere')
  }

  act(): void {
    const { owner } = this.#service
    const notes = owner.notes()
    const note = notes[this.#random.integer(0, notes.length - 1)]
    if (note === undefined) return
    switch (this.#random.integer(0, 7)) {
      case 0:
        owner.record().end()
        return
      case 1:
        this.deleted.add(note.note_id)
        note.delete()
        return
      case 2:
      case 3:
        note.moveTo(this.#channel)
        return
      case 4:
      case 5:
        note.moveTo('personal')
        return
      default:
        note.edit({ title: `Edited ${this.#random.integer(0, 999_999)}` })
    }
  }
}
