import type { AppliedRevision, NoteChange } from '../../interfaces/revision-gate.ts'

/**
 * The line that the key of a note stores for a change: its kind and, if it has one, its recording session. For a deletion, only the kind.
 */
export function seenLine({ kind, recordingSessionId }: NoteChange): string {
  if (kind === 'note.deleted' || recordingSessionId === undefined) return kind
  return `${kind} ${JSON.stringify(recordingSessionId)}`
}

/** Reads what was applied to a note from the value of its key (see `scripts.ts`). */
export function appliedIn(value: string): AppliedRevision | undefined {
  const [, revision, kept, ...lines] = value.trimEnd().split('\n')
  if (kept === undefined) return undefined
  const deletion = lines.find(isDeletion)
  return {
    revision: revision ? Number(revision) : undefined,
    deleted: deletion !== undefined,
    ...(deletion && deletionIn(deletion)),
    seen: lines.map(seenKeyIn),
  }
}

function isDeletion(line: string): boolean {
  return line === DELETION || line.startsWith(`${DELETION} `)
}

function deletionIn(line: string): Pick<AppliedRevision, 'deletedAtAnyRevision' | 'deletedAt'> {
  const at = / at (\S+)$/.exec(line)?.[1]
  return {
    deletedAtAnyRevision: line.includes(' without revision') || undefined,
    deletedAt: at === undefined ? undefined : Number(at),
  }
}

function seenKeyIn(line: string): string {
  if (isDeletion(line)) return DELETION
  const [kind = '', ...recordingSessionId] = line.split(' ')
  return recordingSessionId.length === 0 ? kind : `${kind} ${JSON.parse(recordingSessionId.join(' '))}`
}

const DELETION = 'note.deleted'
