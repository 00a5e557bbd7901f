import type { SeededRandom } from '../seed/seeded-random.ts'
import type { Integration } from '../world/integration.ts'
import { invalidCursor } from './problem.ts'

/** Writes and reads the cursors of the list of notes: opaque, and sealed so that none can be made up (open point 6). */
export class Cursors {
  readonly #random: SeededRandom

  constructor(random: SeededRandom) {
    this.#random = random
  }

  /** The cursor that goes on after a note. */
  after(sequence: number, integration: Integration): string {
    const position = sequence.toString(36)
    return `${position}.${this.#random.fork(`${integration.integration_id}/${position}`).text(12)}`
  }

  /**
   * The sequence after which a cursor goes on.
   *
   * @throws a 400 `invalid_cursor` for one that this service did not give to this integration
   */
  read(cursor: string, integration: Integration): number {
    const [position = ''] = cursor.split('.')
    const sequence = Number.parseInt(position, 36)
    if (sequence >= 0 && cursor === this.after(sequence, integration)) return sequence
    throw invalidCursor()
  }
}
