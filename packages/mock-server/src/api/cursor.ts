import { type Duration, durationMs } from '../clock/duration.ts'
import type { Timeline } from '../clock/timeline.ts'
import type { SeededRandom } from '../seed/seeded-random.ts'
import type { Integration } from '../world/integration.ts'
import { invalidCursor } from './problem.ts'

/** A position in a listing. */
export interface Position {
  /** The sequence of the last listed note, or -1 at the beginning. */
  readonly after: number
  /** How many empty pages were answered at this position. */
  readonly emptyPages: number
}

interface CursorsParts {
  readonly random: SeededRandom
  readonly timeline: Timeline
  readonly lifetime: Duration | 'unlimited'
}

const FORM = /^(?<next>[0-9a-z]+)-(?<emptyPages>[0-9a-z]+)-(?<issuedAt>[0-9a-z]+)\./

/** Writes and reads the cursors of the list of notes: opaque, with a seal against made-up cursors (open point 6). */
export class Cursors {
  readonly #parts: CursorsParts

  constructor(parts: CursorsParts) {
    this.#parts = parts
  }

  /** The cursor of a position. */
  write(position: Position, integration: Integration): string {
    return this.#sealed(position, this.#parts.timeline.now(), integration)
  }

  /**
   * The position of a cursor.
   *
   * @throws a 400 `invalid_cursor` if this service did not issue it to this integration, or it has expired
   */
  read(cursor: string, integration: Integration): Position {
    const { next = '', emptyPages = '', issuedAt = '' } = FORM.exec(cursor)?.groups ?? {}
    const position = { after: Number.parseInt(next, 36) - 1, emptyPages: Number.parseInt(emptyPages, 36) }
    const issued = Number.parseInt(issuedAt, 36)
    const isOurs = next !== '' && cursor === this.#sealed(position, issued, integration)
    const { timeline, lifetime } = this.#parts
    if (isOurs && (lifetime === 'unlimited' || timeline.now() - issued <= durationMs(lifetime))) return position
    throw invalidCursor()
  }

  #sealed({ after, emptyPages }: Position, issuedAt: number, { integration_id }: Integration): string {
    const open = [after + 1, emptyPages, issuedAt].map((part) => part.toString(36)).join('-')
    return `${open}.${this.#parts.random.fork(`${integration_id}/${open}`).text(12)}`
  }
}
