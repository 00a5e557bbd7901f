import type { NoteEventKind } from '@notewire/protocol'

/**
 * How revisions decide whether an event is news for its note.
 *
 * - `strict`: the contract's sentence (§6, delivery semantics 2): an equal or lower revision is ignored
 * - `deletions-at-equal`: as `strict`, but `note.deleted` passes at an equal revision, since losing access need not
 *   raise it and a copy that must go must not survive (§6, delivery semantics 3)
 * - `per-kind`: as `deletions-at-equal`, and a kind (of a recording session) not yet seen at this revision passes too
 * - `off`: everything passes
 *
 * After a deletion only a higher revision passes, whatever the mode but `off`.
 */
export type GateMode = 'strict' | 'deletions-at-equal' | 'per-kind' | 'off'

/** What an event about a note says has happened to it. */
export interface NoteChange {
  readonly kind: NoteEventKind
  readonly revision: number
  readonly recordingSessionId?: string | undefined
}

/** What has been applied to a note so far, as stores keep it. */
export interface AppliedRevision {
  /** The highest revision applied. */
  readonly revision: number
  /** Whether a deletion was applied at this revision. */
  readonly deleted: boolean
  /** What was applied at this revision: a kind, with its recording session where there is one. */
  readonly seen: readonly string[]
}

/**
 * Decides whether an event's revision is news for its note (contract §6).
 *
 * @param applied  what was applied last, or `undefined` for a note never seen
 * @returns `'apply'`, or `'stale'` when the event must be acknowledged and ignored
 */
export function passRevisionGate(
  mode: GateMode,
  change: NoteChange,
  applied: AppliedRevision | undefined,
): 'apply' | 'stale' {
  if (mode === 'off' || applied === undefined || change.revision > applied.revision) return 'apply'
  if (change.revision < applied.revision || applied.deleted || mode === 'strict') return 'stale'
  if (change.kind === 'note.deleted') return 'apply'
  return mode === 'per-kind' && !applied.seen.includes(seenKey(change)) ? 'apply' : 'stale'
}

/** What stands applied once a change is: revisions never go down. */
export function raiseRevision(applied: AppliedRevision | undefined, change: NoteChange): AppliedRevision {
  const deleted = change.kind === 'note.deleted'
  if (applied === undefined || change.revision > applied.revision) {
    return { revision: change.revision, deleted, seen: [seenKey(change)] }
  }
  if (change.revision < applied.revision) return applied
  return {
    revision: applied.revision,
    deleted: deleted || applied.deleted,
    seen: [...new Set([...applied.seen, seenKey(change)])],
  }
}

function seenKey({ kind, recordingSessionId }: NoteChange): string {
  return recordingSessionId === undefined ? kind : `${kind} ${recordingSessionId}`
}
