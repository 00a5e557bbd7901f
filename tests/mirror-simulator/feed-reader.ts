import type { Mirror, MirrorChange, MirroredNote } from '@notewire/mirror'
import type { Owner } from '../simulation/schedule.ts'
import type { Stage } from './stage.ts'

/** A process in which somebody reads. */
interface Reading {
  readonly mirror: Mirror
  readonly life: Pick<Owner, 'dead'>
}

/** Somebody who keeps an index of their own by the mirror's feed, and goes on from wherever they stopped. */
export class FeedReader {
  readonly name: string
  readonly copy = new Map<string, MirroredNote>()
  readonly #stage: Stage
  #position: string | undefined
  #reading: Reading | undefined

  constructor(name: string, stage: Stage) {
    this.name = name
    this.#stage = stage
  }

  /** Reads what has changed, and may stop in the middle: one loop at a time, as a reader has one position. */
  async read(reading: Reading, patience = this.#stage.random.pick([1, 3, 1_000, 1_000])): Promise<void> {
    if (this.#reading !== undefined && !this.#reading.life.dead) return
    this.#reading = reading
    try {
      await this.#loop(reading.mirror, patience)
    } finally {
      this.#reading = undefined
    }
  }

  /** Waits for what is to come, until the signal fires. */
  async follow(reading: Reading, signal: AbortSignal): Promise<void> {
    if (this.#reading !== undefined && !this.#reading.life.dead) return
    this.#reading = reading
    try {
      await this.#loop(reading.mirror, Number.POSITIVE_INFINITY, signal)
    } finally {
      this.#reading = undefined
    }
  }

  async #loop(mirror: Mirror, patience: number, signal?: AbortSignal): Promise<void> {
    let count = 0
    const follow = signal !== undefined
    for await (const change of mirror.changes({ after: this.#position, follow, signal })) {
      this.#hear(change)
      const isShown = change.kind !== 'hidden' && change.kind !== 'removed'
      const note = isShown ? await mirror.get(change.noteId) : undefined
      if (note === undefined) this.copy.delete(change.noteId)
      else this.copy.set(change.noteId, note)
      this.#position = change.position
      count += 1
      if (count >= patience) return
    }
  }

  #hear({ kind, noteId, position }: MirrorChange): void {
    const { judge, world, chronicle, inWords } = this.#stage
    if (inWords) chronicle.tell(this.name, `is told ${kind} of ${world.find(noteId)?.name}, at ${position}`)
    chronicle.count(`change: ${kind}`)
    if (this.#position === undefined || numberIn(position) > numberIn(this.#position)) return
    judge.violated(`${this.name} is told of position ${position} after ${this.#position}.`)
  }
}

/** A position is the name of the copy, and a number in it. */
function numberIn(position: string): number {
  return Number(position.split(':').at(-1))
}
