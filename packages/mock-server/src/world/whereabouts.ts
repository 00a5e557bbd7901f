import type { NoteRecord } from './note-record.ts'
import type { Place } from './place.ts'

/** A filter of notes. */
export interface Wanted {
  /** Only notes updated then or later, in milliseconds since the Unix epoch. */
  readonly updatedFrom: number
  readonly includeDeleted: boolean
}

/** The latest update in a stretch: of all notes, and of the notes that are not deleted. */
interface Newest {
  readonly any: number
  readonly live: number
}

/** How many notes or shorter stretches a stretch contains. */
const WIDTH = 64
/** Stretches of 64, 4,096, 262,144 and 16,777,216 notes. */
const HEIGHT = 4
const NOTHING: Newest = { any: Number.NEGATIVE_INFINITY, live: Number.NEGATIVE_INFINITY }

/** Whether a note passes the filter. */
function wants({ updatedFrom, includeDeleted }: Wanted, note: NoteRecord): boolean {
  return note.updated_at >= updatedFrom && (includeDeleted || note.status !== 'deleted')
}

/**
 * The notes of one place in order of creation. It stores the latest update of every stretch of notes, and skips stretches without
 * a match: it finds a few changes among a million notes in a few hundred steps.
 */
export class Whereabouts {
  readonly #place: Place
  readonly #notes: readonly NoteRecord[]
  /** By height, then by the number of the stretch. */
  readonly #stretches = Array.from({ length: HEIGHT }, () => new Map<number, Newest>())

  /** @param notes  the notes of all places by sequence: the array of the index, which grows */
  constructor(place: Place, notes: readonly NoteRecord[]) {
    this.#place = place
    this.#notes = notes
  }

  /** Updates the stretches for a new or changed note. */
  replace(before: NoteRecord | undefined, now: NoteRecord): void {
    if (before === undefined || newestOf(before).live <= newestOf(now).live) this.#raise(now)
    else this.recount(now.sequence)
  }

  /** Recomputes the stretches of a note that left this place, or whose update is no longer the latest. */
  recount(sequence: number): void {
    for (const [height, stretches] of this.#stretches.entries()) {
      const stretch = stretchOf(sequence, height)
      const newest = this.#newestIn(height, stretch)
      if (isSame(newest, stretches.get(stretch) ?? NOTHING)) return
      if (newest === NOTHING) stretches.delete(stretch)
      else stretches.set(stretch, newest)
    }
  }

  /** The first matching note after a sequence. */
  next(after: number, wanted: Wanted): NoteRecord | undefined {
    for (let sequence = after + 1; sequence < this.#notes.length; ) {
      const skipped = this.#pastEmptyStretch(sequence, wanted)
      if (skipped !== undefined) {
        sequence = skipped
        continue
      }
      const note = this.#notes[sequence]
      if (note?.place === this.#place && wants(wanted, note)) return note
      sequence += 1
    }
    return undefined
  }

  /** The end of the longest stretch around a sequence without a match. */
  #pastEmptyStretch(sequence: number, { updatedFrom, includeDeleted }: Wanted): number | undefined {
    for (let height = HEIGHT - 1; height >= 0; height--) {
      const stretch = stretchOf(sequence, height)
      const { any, live } = this.#stretches[height]?.get(stretch) ?? NOTHING
      const newest = includeDeleted ? any : live
      if (newest < updatedFrom || newest === NOTHING.any) return (stretch + 1) * WIDTH ** (height + 1)
    }
    return undefined
  }

  #raise(note: NoteRecord): void {
    const newest = newestOf(note)
    for (const [height, stretches] of this.#stretches.entries()) {
      const stretch = stretchOf(note.sequence, height)
      const before = stretches.get(stretch) ?? NOTHING
      if (before.any < newest.any || before.live < newest.live) stretches.set(stretch, newer(before, newest))
    }
  }

  #newestIn(height: number, stretch: number): Newest {
    let newest = NOTHING
    for (let part = stretch * WIDTH; part < (stretch + 1) * WIDTH; part++) {
      const found = height === 0 ? this.#newestAt(part) : this.#stretches[height - 1]?.get(part)
      if (found !== undefined) newest = newer(newest, found)
    }
    return newest
  }

  #newestAt(sequence: number): Newest | undefined {
    const note = this.#notes[sequence]
    return note?.place === this.#place ? newestOf(note) : undefined
  }
}

function stretchOf(sequence: number, height: number): number {
  return Math.floor(sequence / WIDTH ** (height + 1))
}

function newestOf({ updated_at, status }: NoteRecord): Newest {
  return { any: updated_at, live: status === 'deleted' ? NOTHING.live : updated_at }
}

function isSame(one: Newest, other: Newest): boolean {
  return one.any === other.any && one.live === other.live
}

function newer(one: Newest, other: Newest): Newest {
  return { any: Math.max(one.any, other.any), live: Math.max(one.live, other.live) }
}
