import type { Note, Summary, Transcript } from '@notewire/protocol'
import { type Evidence, type NoteState, unknownNote } from '../../interfaces/note-state.ts'
import { type CompletionCertificate, certify, type ScanProgress } from '../../interfaces/progress.ts'

/** A state with the given fields; the others are those of an unknown note. */
export function aState(noteId: string, traits: Partial<NoteState> = {}): NoteState {
  return { ...unknownNote(noteId), ...traits }
}

/** A note that is shown and settled. */
export function aLiveState(noteId: string, traits: Partial<NoteState> = {}): NoteState {
  return aState(noteId, { presence: 'live', evidence: evidenceFrom(1), revision: 1, settledRevision: 1, ...traits })
}

/** Evidence of a scan's page whose request started at a sequence number. */
export function evidenceFrom(start: number): Evidence {
  return { says: 'present', start, end: start + 1, source: 'scan', at: 1_760_000_000_000 }
}

/** The certificate of a scan that began at a sequence number. */
export function aCertificate(startedAt: number): CompletionCertificate {
  const scan: ScanProgress = {
    scanId: 'scan_1',
    startedAt,
    beganAt: 1_760_000_000_000,
    phase: 'confirming',
    cursor: null,
    seen: 0,
    kept: 0,
    missing: 0,
    holdsBack: false,
    confirmation: null,
  }
  const certificate = certify(scan)
  if (certificate === undefined) throw new Error('a scan that is confirming has reached its last page')
  return certificate
}

export function aNote(noteId: string, traits: Partial<Note> = {}): Note {
  return { note_id: noteId, revision: 1, title: 'Stand-up', content: 'What we said', status: 'ended', ...traits }
}

export function aTranscript(noteId: string, text = 'Good morning everybody'): Transcript {
  return {
    note_id: noteId,
    revision: 1,
    text,
    segments: [
      { speaker: 'Ada', start_ms: 0, end_ms: 900, text: 'Good morning' },
      { speaker: null, start_ms: 900, end_ms: 1_800, text: 'everybody' },
    ],
  }
}

export function aSummary(noteId: string, markdown: string | null = '## Greetings'): Summary {
  return { note_id: noteId, revision: 1, status: 'ready', markdown }
}
