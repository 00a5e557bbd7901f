/** What a mirror shows, for SQL of the user's own: the view of the same name, with the same columns, that SQLite has. */
// Nothing is cast: no row that a service sends can make a query fail.
export const LIVE_NOTES_VIEW = `
CREATE OR REPLACE VIEW notewire_live_notes AS
  SELECT notes.integration, notes.note_id, notes.revision, notes.status,
    content.note->>'title' AS title,
    content.note->>'content' AS content,
    content.summary->>'markdown' AS summary,
    content.transcript->>'text' AS transcript,
    content.transcript->'segments' AS segments,
    content.note AS record,
    notes.transcript_status, notes.summary_status, notes.created_at, notes.updated_at,
    notes.settled_revision IS NOT DISTINCT FROM notes.revision AND notes.dirty IS NULL AS is_settled,
    content.search
  FROM notewire_mirror_notes AS notes
  LEFT JOIN notewire_mirror_content AS content ON content.integration = notes.integration AND content.note_id = notes.note_id
  WHERE notes.presence = 'live';
`
