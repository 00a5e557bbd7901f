import type { NoteEventKind } from '@notewire/protocol'

/**
 * Which events the revision gate applies.
 *
 * - `strict`: the rule of the contract (§6, delivery semantics 2): an equal or lower revision is always ignored
 * - `deletions-at-equal`: an equal or lower revision is ignored, with two exceptions at an equal revision (open point 32).
 *   `note.deleted` always passes: a loss of access may leave the revision unchanged, and otherwise you would keep a note that you
 *   can no longer access (§6, delivery semantics 3). After a deletion, another event passes if it occurred later than the
 *   deletion: access may be regained at the same revision.
 * - `per-kind`: as `deletions-at-equal`; in addition, a kind (of a recording session) that was not yet applied at this
 *   revision passes while the note does not count as deleted
 * - `off`: everything passes
 */
export type GateMode = 'strict' | 'deletions-at-equal' | 'per-kind' | 'off'

/** The change of a note that an event announces. */
export interface NoteChange {
  readonly kind: NoteEventKind
  readonly revision: number
  readonly recordingSessionId?: string | undefined
  /** When the event occurred, in milliseconds since the Unix epoch. `undefined` if its `occurred_at` is missing or invalid. */
  readonly occurredAt?: number | undefined
}

/** What a store keeps of the events that were applied to a note. */
export interface AppliedRevision {
  /** The highest revision applied. */
  readonly revision: number
  /** Whether the note counts as deleted at this revision. */
  readonly deleted: boolean
  /**
   * When the deletion occurred, in milliseconds since the Unix epoch: the latest time, if several deletions were applied at this
   * revision. `undefined` if the time is unknown; then only a higher revision ends the deletion.
   */
  readonly deletedAt?: number | undefined
  /** The kinds applied at this revision since its latest deletion, each with its recording session, if it has one. */
  readonly seen: readonly string[]
}

/**
 * Decides whether an event is applied or ignored, by the revision of its note (contract §6, open point 32).
 *
 * @param applied  what was applied before, or `undefined` for an unknown note
 * @returns `'apply'`, or `'stale'` if the event must be acknowledged and ignored
 */
export function passRevisionGate(
  mode: GateMode,
  change: NoteChange,
  applied: AppliedRevision | undefined,
): 'apply' | 'stale' {
  if (mode === 'off' || applied === undefined || change.revision > applied.revision) return 'apply'
  if (change.revision < applied.revision || mode === 'strict') return 'stale'
  if (change.kind === 'note.deleted') return 'apply'
  if (applied.deleted) return isLaterThanDeletion(change, applied) ? 'apply' : 'stale'
  return mode === 'per-kind' && !applied.seen.includes(seenKey(change)) ? 'apply' : 'stale'
}

/** Returns the applied revision after a change. It never decreases. */
export function raiseRevision(applied: AppliedRevision | undefined, change: NoteChange): AppliedRevision {
  const { kind, revision, occurredAt } = change
  if (applied !== undefined && revision < applied.revision) return applied
  const atEqual = applied?.revision === revision ? applied : undefined
  if (kind === 'note.deleted') {
    const deletedAt = atEqual?.deleted ? laterOf(atEqual.deletedAt, occurredAt) : occurredAt
    return { revision, deleted: true, deletedAt, seen: [seenKey(change)] }
  }
  const key = seenKey(change)
  const before = atEqual?.seen ?? []
  const seen = before.includes(key) ? before : [...before, key]
  if (atEqual?.deleted && !isLaterThanDeletion(change, atEqual)) return { ...atEqual, seen }
  return { revision, deleted: false, seen }
}

function isLaterThanDeletion({ occurredAt }: NoteChange, { deletedAt }: AppliedRevision): boolean {
  return occurredAt !== undefined && deletedAt !== undefined && occurredAt > deletedAt
}

/** The later time, or `undefined` if one is unknown: a deletion at an unknown time may be the latest. */
function laterOf(one: number | undefined, other: number | undefined): number | undefined {
  return one === undefined || other === undefined ? undefined : Math.max(one, other)
}

function seenKey({ kind, recordingSessionId }: NoteChange): string {
  return recordingSessionId === undefined ? kind : `${kind} ${recordingSessionId}`
}
