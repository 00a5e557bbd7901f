import type { NoteRecord } from './note-record.ts'
import type { Place } from './place.ts'

/** Which part of the list of notes is asked for. */
interface NoteSlice {
  readonly places: readonly Place[]
  /** Sequence of the last note already seen, or -1 at the beginning. */
  readonly after: number
  readonly limit: number
  readonly admits: (note: NoteRecord) => boolean
}

/** Every note, found by its identifier or listed by place in order of creation, from anywhere without counting up to there. */
export class NoteIndex {
  readonly #notes: NoteRecord[] = []
  readonly #sequences = new Map<string, number>()
  /** The sequences of each place's notes, ascending. */
  readonly #places = new Map<Place, number[]>()

  /** The sequence that the next note gets. */
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

  /** Adds a note, or puts its new state in the place of the old one. */
  put(note: NoteRecord): void {
    const known = this.#notes[note.sequence]
    this.#notes[note.sequence] = note
    this.#sequences.set(note.note_id, note.sequence)
    if (known?.place === note.place) return
    if (known !== undefined) this.#take(known)
    const there = this.#at(note.place)
    there.splice(firstAfter(there, note.sequence), 0, note.sequence)
  }

  list({ places, after, limit, admits }: NoteSlice): {
    readonly notes: readonly NoteRecord[]
    readonly hasMore: boolean
  } {
    const found: NoteRecord[] = []
    for (const sequence of this.#ascending(places, after)) {
      const note = this.#notes[sequence]
      if (note !== undefined && admits(note)) found.push(note)
      if (found.length > limit) return { notes: found.slice(0, limit), hasMore: true }
    }
    return { notes: found, hasMore: false }
  }

  *#ascending(places: readonly Place[], after: number): Generator<number> {
    const queues = places.map((place) => this.#at(place))
    const positions = queues.map((queue) => firstAfter(queue, after))
    for (;;) {
      const heads = queues.map((queue, index) => queue[positions[index] ?? 0] ?? Number.POSITIVE_INFINITY)
      const least = Math.min(...heads)
      if (least === Number.POSITIVE_INFINITY) return
      const index = heads.indexOf(least)
      positions[index] = (positions[index] ?? 0) + 1
      yield least
    }
  }

  #take(note: NoteRecord): void {
    const there = this.#at(note.place)
    there.splice(firstAfter(there, note.sequence - 1), 1)
  }

  #at(place: Place): number[] {
    const there = this.#places.get(place) ?? []
    this.#places.set(place, there)
    return there
  }
}

/** Index of the first number above `bound` in an ascending list. */
function firstAfter(ascending: readonly number[], bound: number): number {
  let low = 0
  let high = ascending.length
  while (low < high) {
    const middle = (low + high) >> 1
    if ((ascending[middle] ?? 0) <= bound) low = middle + 1
    else high = middle
  }
  return low
}
