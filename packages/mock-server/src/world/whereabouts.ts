import type { NoteRecord } from './note-record.ts'
import type { Place } from './place.ts'

/** Which notes are asked for. */
export interface Wanted {
  /** Only what was updated then or later, in milliseconds since the Unix epoch. */
  readonly updatedFrom: number
  readonly includeDeleted: boolean
}

/** When the newest note of a stretch was updated: of all of them, and of those that are not deleted. */
interface Newest {
  readonly any: number
  readonly live: number
}

/** How many notes, or shorter stretches, a stretch holds. */
const WIDTH = 64
/** Stretches of 64, 4,096, 262,144 and 16,777,216 notes. */
const HEIGHT = 4
const NOTHING: Newest = { any: Number.NEGATIVE_INFINITY, live: Number.NEGATIVE_INFINITY }

/** Tells whether a note is asked for. */
function wants({ updatedFrom, includeDeleted }: Wanted, note: NoteRecord): boolean {
  return note.updated_at >= updatedFrom && (includeDeleted || note.status !== 'deleted')
}

/**
 * The notes of one place in order of creation. It knows of every stretch how new its newest note is, and skips those that hold
 * nothing wanted: a few changes among a million notes are found by a few hundred looks.
 */
export class Whereabouts {
  readonly #place: Place
  readonly #notes: readonly NoteRecord[]
  /** By height, then by the number of the stretch. Places that hold few notes have few stretches. */
  readonly #stretches = Array.from({ length: HEIGHT }, () => new Map<number, Newest>())

  /** @param notes  all notes by sequence, of this place and others: the index's own, which keeps growing */
  constructor(place: Place, notes: readonly NoteRecord[]) {
    this.#place = place
    this.#notes = notes
  }

  /** Takes notice of a note that came, or that is in another state than it was `before`. */
  replace(before: NoteRecord | undefined, now: NoteRecord): void {
    if (before === undefined || newestOf(before).live <= newestOf(now).live) this.#raise(now)
    else this.recount(now.sequence)
  }

  /** Takes notice of a note that went, or that is not as new as it was. */
  recount(sequence: number): void {
    for (const [height, stretches] of this.#stretches.entries()) {
      const stretch = stretchOf(sequence, height)
      const newest = this.#newestIn(height, stretch)
      if (isSame(newest, stretches.get(stretch) ?? NOTHING)) return
      if (newest === NOTHING) stretches.delete(stretch)
      else stretches.set(stretch, newest)
    }
  }

  /** The first wanted note behind a sequence. */
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

  /** Where the longest stretch around a sequence that holds nothing wanted ends. */
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
