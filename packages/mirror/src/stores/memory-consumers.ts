import {
  type ConsumableNote,
  type ConsumableNotes,
  type ConsumableRequest,
  type ConsumerCommit,
  type ConsumerCommitResult,
  type ConsumerDescription,
  type ConsumerNote,
  type ConsumerRecord,
  type ConsumerState,
  NEW_CONSUMER,
} from '../interfaces/consumer-store.ts'

/** The notes of an integration, of any presence. */
export type NotesInMemory = ReadonlyMap<string, Omit<ConsumableNote, 'kept'>>

/** One consumer of an integration in memory. */
export class ConsumerInMemory {
  readonly #rows: NotesInMemory
  readonly #kept = new Map<string, ConsumerNote>()
  #state: ConsumerState = NEW_CONSUMER
  #version = 0
  #token = 0

  constructor(rows: NotesInMemory) {
    this.#rows = rows
  }

  read(): ConsumerRecord {
    const dueTimes = [...this.#kept.values()].flatMap(({ dueAt }) => dueAt ?? [])
    return {
      state: this.#state,
      version: this.#version,
      token: this.#token,
      hasChanges: this.#changes(this.#state.cursor).length > 0,
      nextDueAt: dueTimes.length === 0 ? null : Math.min(...dueTimes),
    }
  }

  commit({ expectedVersion, token, state, notes, forgetsApplied }: ConsumerCommit): ConsumerCommitResult {
    if (expectedVersion !== this.#version) return 'lost'
    this.#version += 1
    this.#token = token
    this.#state = state
    for (const [noteId, { dueAt, parkedAt }] of this.#kept) {
      if (forgetsApplied && dueAt === null && parkedAt === null) this.#kept.delete(noteId)
    }
    for (const [noteId, note] of notes) {
      if (note === null) this.#kept.delete(noteId)
      else this.#kept.set(noteId, note)
    }
    return 'committed'
  }

  renew(token: number, leaseUntil: number): 'renewed' | 'lost' {
    if (token !== this.#token || this.#state.leaseUntil === null) return 'lost'
    this.#state = { ...this.#state, leaseUntil }
    return 'renewed'
  }

  list({ after, now, dueBy = now, limit }: ConsumableRequest): ConsumableNotes {
    const due = [...this.#kept]
      .filter(([, { dueAt }]) => dueAt !== null && dueAt <= dueBy)
      .sort(([oneId, one], [otherId, other]) => (one.dueAt ?? 0) - (other.dueAt ?? 0) || (oneId < otherId ? -1 : 1))
      .flatMap(([noteId]) => this.#rows.get(noteId) ?? [])
      .filter(({ position }) => position <= after)
    const withKept = (row: Omit<ConsumableNote, 'kept'>) => ({ ...row, kept: this.#kept.get(row.state.noteId) ?? null })
    return {
      changes: this.#changes(after).slice(0, limit).map(withKept),
      due: due.slice(0, limit).map(withKept),
    }
  }

  describe(): ConsumerDescription {
    const kept = [...this.#kept].map(([noteId, note]) => ({ noteId, ...note }))
    return {
      lag: this.#changes(this.#state.cursor).length,
      waiting: kept.filter(({ dueAt }) => dueAt !== null).length,
      parked: kept.filter(({ parkedAt }) => parkedAt !== null).sort((a, b) => (a.noteId < b.noteId ? -1 : 1)),
    }
  }

  retryParked(dueAt: number): number {
    const { parked } = this.describe()
    for (const { noteId, ...note } of parked) this.#kept.set(noteId, { ...note, attempts: 0, dueAt, parkedAt: null })
    return parked.length
  }

  #changes(after: number) {
    return [...this.#rows.values()].filter(({ position }) => position > after).sort((a, b) => a.position - b.position)
  }
}
