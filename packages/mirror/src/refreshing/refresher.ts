import type { NotesClient, NoteWithContent } from '@notewire/client'
import { isTombstone, type Note } from '@notewire/protocol'
import type { Ledger } from '../ledger.ts'
import {
  applyContent,
  applyLateContent,
  judgeContent,
  markMoved,
  postponeContent,
  withContent,
  withoutMoved,
} from '../rules/content-rule.ts'
import { saysAbsent } from '../rules/content-status.ts'
import type { Decision } from '../rules/decision.ts'
import type { KeptParts } from '../rules/keep.ts'
import type { NoteState } from '../rules/note-state.ts'
import { applyRead, type Reading } from '../rules/read-rule.ts'
import type { DueNote, VersionedState } from '../stores/store.ts'
import type { ReadNote } from './note-reader.ts'

/** What a note is refreshed with. */
export interface RefreshTools {
  readonly client: NotesClient
  readonly ledger: Ledger
  readonly readNote: ReadNote
  readonly signal: AbortSignal | undefined
  /** The note as it was taken, while nothing is known to have changed it. */
  readonly known?: VersionedState | undefined
}

/**
 * Brings one note up to date: reads it if it is dirty, and its transcript and summary if they are due.
 *
 * @param start  the sequence number before anything was read
 */
export async function refresh(due: DueNote, start: number, tools: RefreshTools): Promise<void> {
  const { noteId } = due.state
  if (due.state.dirty === null) return await refreshContent(due.note, due.state, start, { ...tools, known: due })
  const [note, early] = await Promise.all([tools.readNote(noteId), readAnnounced(due.state, tools)])
  const { keep } = tools.ledger
  const state = await applyAnswer(noteId, note, start, tools, (decision, now) =>
    note !== undefined &&
    early !== undefined &&
    decision.state.evidence?.start === start &&
    isContentOf(note, early, keep)
      ? withContent(decision, { ...early, note }, keep, now)
      : decision,
  )
  if (note === undefined || isTombstone(note) || state === undefined) return
  const isDue = state.presence === 'live' && state.settledRevision === null && state.revision === note.revision
  if (isDue) await refreshContent(note, state, start, tools)
}

/** What an event announced is read beside its note, and not after it: it is used where it belongs to what the note then says. */
async function readAnnounced({ noteId, hintedRevision, revision }: NoteState, tools: RefreshTools) {
  if (hintedRevision === null || hintedRevision <= (revision ?? -1)) return undefined
  return await readKeptContent({ note_id: noteId, revision: hintedRevision }, tools).catch(() => undefined)
}

async function refreshContent(
  note: Note | null,
  { evidence }: NoteState,
  start: number,
  tools: RefreshTools,
): Promise<void> {
  const { ledger } = tools
  // The copy keeps statuses of every note that is live: without a record there is nothing to read for.
  if (note === null) return
  const content = await readKeptContent(note, tools)
  switch (judgeContent(content, ledger.keep)) {
    case 'settled':
      return await settle(content, evidence?.end, tools)
    case 'unconfirmed': {
      const again = await tools.readNote(note.note_id)
      if (again !== undefined && isSameRecord(note, again)) return await settle(content, evidence?.end, tools)
      // It changed meanwhile: what is due now is due at once, to whoever comes next.
      await applyAnswer(note.note_id, again, start, tools, dueAtOnce)
      return
    }
    case 'moved':
      await revise(note.note_id, tools, (state, sequence) => {
        const now = ledger.clock.now()
        return markMoved(state, sequence, now) ?? applyContent(state, withoutMoved(content), ledger.keep, now)
      })
      return
    case 'lagging':
      await revise(note.note_id, tools, (state) => {
        const now = ledger.clock.now()
        return postponeContent(state, now) ?? applyContent(state, content, ledger.keep, now)
      })
  }
}

async function readKeptContent(note: Note, { client, ledger, signal }: RefreshTools): Promise<NoteWithContent> {
  // What is not kept is not asked for: the key may not even be allowed to.
  const asked = {
    ...note,
    ...(ledger.keep.has('transcript') ? {} : { transcript_status: 'empty' }),
    ...(ledger.keep.has('summary') ? {} : { summary_status: 'missing' }),
  }
  return { ...(await client.notes.content(asked, { signal })), note }
}

async function settle(content: NoteWithContent, asOf: number | undefined, tools: RefreshTools): Promise<void> {
  const { ledger, known } = tools
  const decide = (state: NoteState) => applyLateContent(state, content, asOf, ledger.keep, ledger.clock.now())
  if (known !== undefined && (await ledger.writeFrom(known, decide))) return
  await revise(content.note.note_id, tools, decide)
}

async function applyAnswer(
  noteId: string,
  note: Note | undefined,
  start: number,
  tools: RefreshTools,
  amend: (decision: Decision, now: number) => Decision = (decision) => decision,
): Promise<NoteState | undefined> {
  const { keep, clock } = tools.ledger
  return await revise(noteId, tools, (state, end) => {
    const reading: Reading = { start, end, source: 'read', at: clock.now() }
    return amend(applyRead(state, note, reading, { keep }), reading.at)
  })
}

function dueAtOnce(decision: Decision, now: number): Decision {
  return { ...decision, state: { ...decision.state, dueAt: decision.state.dueAt === null ? null : now } }
}

async function revise(
  noteId: string,
  { ledger }: RefreshTools,
  decide: (state: NoteState, sequence: number) => Decision | undefined,
): Promise<NoteState | undefined> {
  const revision = await ledger.revise([noteId], decide)
  return revision === 'fenced' ? undefined : revision.notes.get(noteId)?.state
}

/** Whether content that was read beside a note is what would be read for it now. */
function isContentOf(note: Note, { transcript, summary }: NoteWithContent, keep: KeptParts): boolean {
  const isUnexpected =
    (transcript.status === 'ready' && saysAbsent(note.transcript_status)) ||
    (summary.status === 'ready' && saysAbsent(note.summary_status))
  return !isUnexpected && judgeContent({ note, transcript, summary }, keep) === 'settled'
}

function isSameRecord(one: Note, other: Note): boolean {
  return (
    !isTombstone(other) &&
    one.revision === other.revision &&
    (one.transcript_status ?? null) === (other.transcript_status ?? null) &&
    (one.summary_status ?? null) === (other.summary_status ?? null)
  )
}
