import { type Mirror, type MirrorChange, MirrorError, type MirroredNote } from '@notewire/mirror'
import type { Owner } from '../simulation/schedule.ts'
import type { HistoryContext } from './history-context.ts'

interface Reading {
  readonly mirror: Mirror
  readonly process: Pick<Owner, 'dead'>
}

/** A user of the mirror's feed who keeps an index, and continues at its stored position. */
export class FeedReader {
  readonly name: string
  readonly copy = new Map<string, MirroredNote>()
  readonly #context: HistoryContext
  #position: string | undefined
  #reading: Reading | undefined

  constructor(name: string, context: HistoryContext) {
    this.name = name
    this.#context = context
  }

  /**
   * Reads changes, unless another loop is running: a reader has one position.
   *
   * @param maxChanges  the loop stops after this many changes
   * @param signal  if given, the loop waits for more changes until it fires
   */
  async read(
    reading: Reading,
    maxChanges = this.#context.random.pick([1, 3, 1_000, 1_000]),
    signal?: AbortSignal,
  ): Promise<void> {
    if (this.#reading !== undefined && !this.#reading.process.dead) return
    this.#reading = reading
    try {
      await this.#loop(reading.mirror, maxChanges, signal)
    } finally {
      this.#reading = undefined
    }
  }

  /** Reads all changes. If the position is rejected as lost, it empties the index and starts at the beginning, as the error says. */
  async readAfterRestoration(reading: Reading): Promise<void> {
    try {
      await this.read(reading, Number.POSITIVE_INFINITY)
    } catch (error) {
      if (!(error instanceof MirrorError && error.code === 'position_lost')) throw error
      this.#context.chronicle.count('a position is lost')
      this.#position = undefined
      this.copy.clear()
      await this.read(reading, Number.POSITIVE_INFINITY)
    }
  }

  async #loop(mirror: Mirror, maxChanges: number, signal?: AbortSignal): Promise<void> {
    let count = 0
    const follow = signal !== undefined
    for await (const change of mirror.changes({ after: this.#position, follow, signal })) {
      this.#check(change)
      const isShown = change.kind !== 'hidden' && change.kind !== 'removed'
      const note = isShown ? await mirror.get(change.noteId) : undefined
      if (note === undefined) this.copy.delete(change.noteId)
      else this.copy.set(change.noteId, note)
      this.#position = change.position
      count += 1
      if (count >= maxChanges) return
    }
  }

  #check({ kind, noteId, position }: MirrorChange): void {
    const { checker, world, chronicle, inWords } = this.#context
    if (inWords) chronicle.tell(this.name, `gets ${kind} of ${world.find(noteId)?.name}, at ${position}`)
    chronicle.count(`change: ${kind}`)
    if (this.#position === undefined || numberIn(position) > numberIn(this.#position)) return
    checker.violated(`${this.name} gets position ${position} after ${this.#position}.`)
  }
}

/** The number in a position, which follows the id of the copy. */
function numberIn(position: string): number {
  return Number(position.split(':').at(-1))
}
