import type { WebhookEvent } from '@notewire/protocol'
import type { Decision } from './decision.ts'
import type { HeardEvent, NoteState } from './note-state.ts'
import { hasWork } from './schedule.ts'

/** What an event says of a note: that there is something to look at. */
export interface Hint {
  readonly noteId: string
  readonly kind: string
  readonly revision: number | null
  readonly transcriptStatus: string | null
  readonly summaryStatus: string | null
}

/** When a hint came: by the mirror's own sequence, and in milliseconds since the Unix epoch. */
export interface HintTime {
  readonly sequence: number
  readonly at: number
}

/** Reads the hint in an event; `undefined` when it names no note. */
export function hintIn({ event_type: kind, data }: WebhookEvent): Hint | undefined {
  const { note_id, revision, transcript_status, summary_status } = data as Readonly<Record<string, unknown>>
  if (typeof note_id !== 'string' || note_id === '') return undefined
  return {
    noteId: note_id,
    kind,
    // An event of a kind that nobody knows may call anything a revision.
    revision: Number.isSafeInteger(revision) ? (revision as number) : null,
    transcriptStatus: typeof transcript_status === 'string' ? transcript_status : null,
    summaryStatus: typeof summary_status === 'string' ? summary_status : null,
  }
}

/**
 * Applies a hint. It settles nothing, for it may be old: it marks the note to be read. `note.deleted`, whatever its reason,
 * hides the copy at once. An update that is no news of a live note, on which there is no work, asks for no read.
 */
export function applyHint(state: NoteState, hint: Hint, { sequence, at }: HintTime): Decision {
  const heard = heardEvent(state, hint, { sequence, at })
  const dirty = Math.max(state.dirty ?? 0, sequence)
  const marked: NoteState = { ...state, heard, dirty, dueAt: at, attempts: 0 }
  if (hint.kind === 'note.deleted') {
    return {
      state: {
        ...marked,
        presence: state.presence === 'gone' ? 'gone' : 'hidden',
        hiddenBy: Math.max(state.hiddenBy ?? 0, sequence),
        hiddenAt: state.presence === 'gone' ? null : (state.hiddenAt ?? at),
      },
      announce: state.presence === 'live' ? 'vanished' : undefined,
    }
  }
  if (state.presence === 'live' && !hasWork(state) && isNoNews(state, hint)) return { state: { ...state, heard } }
  return { state: { ...marked, hintedRevision: highest(state.hintedRevision, hint.revision) } }
}

/** Of two events that are written down at once, the one that came later counts, whichever is written last. */
function heardEvent(state: NoteState, { kind, revision }: Hint, { sequence, at }: HintTime): HeardEvent {
  return { kind, revision, sequence: Math.max(state.heard?.sequence ?? 0, sequence), at }
}

function isNoNews(state: NoteState, { revision, transcriptStatus, summaryStatus }: Hint): boolean {
  return (
    revision !== null &&
    revision <= (state.revision ?? -1) &&
    (transcriptStatus === null || transcriptStatus === state.transcriptStatus) &&
    (summaryStatus === null || summaryStatus === state.summaryStatus)
  )
}

function highest(one: number | null, other: number | null): number | null {
  return one === null || other === null ? (one ?? other) : Math.max(one, other)
}
