import type { NoteRecord } from './note-record.ts'
import type { Place } from './place.ts'
import { type Wanted, Whereabouts } from './whereabouts.ts'

/** A part of the list of notes. */
interface NoteSlice extends Wanted {
  readonly places: readonly Place[]
  /** The sequence of the last listed note, or -1 at the beginning. */
  readonly after: number
  readonly limit: number
}

/** Every note: finds one by its identifier, and lists those of a place in order of creation without reading all the others. */
export class NoteIndex {
  readonly #notes: NoteRecord[] = []
  readonly #sequences = new Map<string, number>()
  readonly #places = new Map<Place, Whereabouts>()

  /** The sequence of the next note. */
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

  /** Adds a note, or replaces its old state. */
  put(note: NoteRecord): void {
    const known = this.#notes[note.sequence]
    this.#notes[note.sequence] = note
    if (known === undefined) this.#sequences.set(note.note_id, note.sequence)
    else if (known.place !== note.place) this.#at(known.place).recount(note.sequence)
    this.#at(note.place).replace(known?.place === note.place ? known : undefined, note)
  }

  list({ places, after, limit, ...wanted }: NoteSlice): {
    readonly notes: readonly NoteRecord[]
    readonly hasMore: boolean
  } {
    const found: NoteRecord[] = []
    for (const note of this.#ascending(places, after, wanted)) {
      if (found.length === limit) return { notes: found, hasMore: true }
      found.push(note)
    }
    return { notes: found, hasMore: false }
  }

  *#ascending(places: readonly Place[], after: number, wanted: Wanted): Generator<NoteRecord> {
    const there = places.map((place) => this.#at(place))
    const heads = there.map((notes) => notes.next(after, wanted))
    for (;;) {
      const sequence = Math.min(...heads.map((head) => head?.sequence ?? Number.POSITIVE_INFINITY))
      const index = heads.findIndex((head) => head?.sequence === sequence)
      const head = heads[index]
      if (head === undefined) return
      yield head
      heads[index] = there[index]?.next(sequence, wanted)
    }
  }

  #at(place: Place): Whereabouts {
    const there = this.#places.get(place) ?? new Whereabouts(place, this.#notes)
    this.#places.set(place, there)
    return there
  }
}
