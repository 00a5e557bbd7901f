import type { Note } from '@notewire/protocol'

/**
 * A complete note as the API returns it. You pass only the fields that matter to the test (open point 3).
 *
 * @example
 * ```ts
 * import { aNote } from '@notewire/mock-server'
 *
 * const page = { notes: [aNote({ note_id: 'note_1', title: 'Stand-up' })], next_cursor: null, has_more: false }
 * console.log(page.notes[0]?.title)
 * ```
 */
export function aNote(fields: Partial<Note> = {}): Note {
  return {
    note_id: 'note_by_hand',
    revision: 3,
    title: 'Stand-up',
    content: null,
    status: 'ended',
    transcript_status: 'ready',
    summary_status: 'ready',
    created_at: '2026-01-01T09:00:00.000Z',
    updated_at: '2026-01-01T09:15:20.000Z',
    ended_at: '2026-01-01T09:15:00.000Z',
    deleted_at: null,
    owner: { type: 'personal' },
    ...fields,
  }
}
