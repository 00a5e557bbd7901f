import type { NoteRecord, Place } from './note.ts'

interface NoteQuery {
  readonly places: readonly Place[]
  /** The sequence of the last listed note, or -1 at the beginning. */
  readonly after: number
  readonly limit: number
  /** Only notes updated then or later, in milliseconds since the Unix epoch. */
  readonly updatedFrom: number
  readonly includeDeleted: boolean
}

/** Every note of an owner, by its identifier and in order of creation. */
export class NoteIndex {
  readonly #notes: NoteRecord[] = []
  readonly #sequences = new Map<string, number>()

  get nextSequence(): number {
    return this.#notes.length
  }

  find(note_id: string): NoteRecord | undefined {
    const sequence = this.#sequences.get(note_id)
    return sequence === undefined ? undefined : this.#notes[sequence]
  }

  all(): readonly NoteRecord[] {
    return this.#notes
  }

  newest(limit: number): readonly NoteRecord[] {
    return this.#notes.slice(Math.max(0, this.#notes.length - limit)).reverse()
  }

  put(note: NoteRecord): void {
    this.#notes[note.sequence] = note
    this.#sequences.set(note.note_id, note.sequence)
  }

  list({ places, after, limit, updatedFrom, includeDeleted }: NoteQuery): {
    readonly notes: readonly NoteRecord[]
    readonly hasMore: boolean
  } {
    const found: NoteRecord[] = []
    for (let sequence = after + 1; sequence < this.#notes.length; sequence++) {
      const note = this.#notes[sequence]
      if (note === undefined || note.updated_at < updatedFrom || !places.includes(note.place)) continue
      if (note.status === 'deleted' && !includeDeleted) continue
      if (found.length === limit) return { notes: found, hasMore: true }
      found.push(note)
    }
    return { notes: found, hasMore: false }
  }
}
