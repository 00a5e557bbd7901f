import type { Cancellable, Timeline } from '../clock/timeline.ts'
import type { Integration } from './integration.ts'

interface PendingUpdate {
  readonly firstAt: number
  /** The integrations that could access the note at the last edit and still can. */
  readonly audience: Set<Integration>
  announcement: Cancellable
}

interface PendingUpdatesParts {
  readonly timeline: Timeline
  /** The debounce of `note.updated`, in milliseconds (open point 21). */
  readonly waitMs: number
  readonly maxWaitMs: number
  readonly announce: (note_id: string, to: readonly Integration[]) => void
}

/** The edits for which no event was sent yet. Edits that are close together get one event (contract §6; open point 21). */
export class PendingUpdates {
  readonly #parts: PendingUpdatesParts
  readonly #pending = new Map<string, PendingUpdate>()

  constructor(parts: PendingUpdatesParts) {
    this.#parts = parts
  }

  /** Schedules the event of an edit: `waitMs` after it, and at most `maxWaitMs` after the first pending edit. */
  schedule(note_id: string, audience: readonly Integration[]): void {
    const { timeline, waitMs, maxWaitMs } = this.#parts
    const now = timeline.now()
    const before = this.#pending.get(note_id)
    before?.announcement.cancel()
    const firstAt = before?.firstAt ?? now
    const announcement = timeline.schedule(Math.min(waitMs, firstAt + maxWaitMs - now), () =>
      this.#announceNow(note_id),
    )
    this.#pending.set(note_id, { firstAt, audience: new Set(audience), announcement })
  }

  /** Removes integrations from those that get the event of a note. */
  removeFromAudience(note_id: string, integrations: readonly Integration[]): void {
    const pending = this.#pending.get(note_id)
    for (const integration of integrations) pending?.audience.delete(integration)
    if (pending?.audience.size === 0) this.cancel(note_id)
  }

  cancel(note_id: string): void {
    this.#pending.get(note_id)?.announcement.cancel()
    this.#pending.delete(note_id)
  }

  #announceNow(note_id: string): void {
    const { audience } = this.#pending.get(note_id) ?? {}
    this.#pending.delete(note_id)
    if (audience !== undefined) this.#parts.announce(note_id, [...audience])
  }
}
