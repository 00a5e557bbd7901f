import { RANKS } from '../../integrations/integration-store.ts'
import { NOTE_PARTS, type NotePart } from '../../notes/note-parts.ts'
import { BY_INDEX } from './by-index.ts'

const PLACES = `version, digests, position, visible_since, first_visible, vanished_since, ${NOTE_PARTS.map((part) => `${part}_at`).join(', ')}`
const POSITION = 'coalesce(position_before + written.place, known.position, 0)'
const REPLACED = [...PLACES.split(', '), 'due_at', 'state']

const FENCED = `integrations.integration = for_integration AND integrations.generation = fence_generation
        AND integrations.token = coalesce(fence_token, integrations.token)`

/**
 * Writes notes, content and progress, or nothing.
 *
 * Existing rows of notes are locked in the order of their ids, and their versions are compared. Content, which takes longest, is written next.
 * Then the mirror's row is locked, and last the row of `notewire_integrations`. A transaction that adds or announces a note holds the lock of the
 * mirror's row until its end. Therefore a new note cannot be inserted by two transactions, and a position does not become visible before all lower
 * positions. All transactions take locks in this order, so there is no deadlock.
 *
 * The result is JSON: the outcome, whether a run of the feed has begun, and the latest position if the commit announces a note.
 *
 * Acknowledged events and positions survive a crash, even if the database commits asynchronously. Other lost writes are listed or read again.
 */
// A conflict that is found after the first write raises an exception inside the function. It rolls the writes back, and the caller gets no error.
export const COMMIT_FUNCTION = `
CREATE OR REPLACE FUNCTION notewire_mirror_commit_notes(
  for_integration text, expected_versions text, note_writes text, announcements bigint, content_writes text,
  next_progress text, heard_ms float8,
  fence_generation text, fence_token bigint, hint_due_ms float8,
  current_run text, known_position bigint, next_run text
) RETURNS text LANGUAGE plpgsql
SET lock_timeout = '10s' ${BY_INDEX}
AS $function$
#variable_conflict use_variable
DECLARE
  writes jsonb := note_writes::jsonb;
  versions jsonb := expected_versions::jsonb;
  contents jsonb := content_writes::jsonb;
  note_ids text[] := ARRAY(SELECT note_id COLLATE "C" FROM jsonb_each(versions) AS expected (note_id, version) ORDER BY 1);
  new_ids text[] := ARRAY(SELECT note_id FROM jsonb_each(versions) AS expected (note_id, version) WHERE version = '0');
  position_before bigint;
  has_begun boolean := false;
BEGIN
  IF (announcements > 0 OR heard_ms IS NOT NULL) AND current_setting('synchronous_commit') = 'off' THEN
    PERFORM set_config('synchronous_commit', 'local', true);
  END IF;

  IF NOT EXISTS (SELECT FROM notewire_mirrors AS mirrors WHERE mirrors.integration = for_integration) THEN
    INSERT INTO notewire_mirrors (integration) VALUES (for_integration) ON CONFLICT DO NOTHING;
  END IF;

  PERFORM FROM unnest(note_ids) AS wanted (note_id) CROSS JOIN LATERAL (
    SELECT FROM notewire_mirror_notes AS notes
      WHERE notes.integration = for_integration AND notes.note_id = wanted.note_id
      FOR NO KEY UPDATE
  ) AS locked;
  IF EXISTS (
    SELECT FROM jsonb_each_text(versions) AS expected (note_id, version)
      LEFT JOIN notewire_mirror_notes AS notes ON notes.integration = for_integration AND notes.note_id = expected.note_id
      WHERE coalesce(notes.version, 0) <> expected.version::bigint
  ) THEN
    RETURN '{"outcome": "conflict"}';
  END IF;

  IF contents <> '[]' THEN
    DELETE FROM notewire_mirror_content AS content
      WHERE content.integration = for_integration AND content.note_id IN (
        SELECT written->>'note_id' FROM jsonb_array_elements(contents) AS written WHERE written ? 'erase');
    INSERT INTO notewire_mirror_content AS content (integration, note_id, note, transcript, summary, search)
      SELECT for_integration, note_id, note, transcript, summary,
        notewire_mirror_words(note->>'title', summary->>'markdown', note->>'content', transcript->>'text')
        FROM (
          SELECT written->>'note_id' AS note_id,
            CASE WHEN written ? 'note' THEN nullif(written->'note', 'null') ELSE known.note END AS note,
            CASE WHEN written ? 'transcript' THEN nullif(written->'transcript', 'null') ELSE known.transcript END AS transcript,
            CASE WHEN written ? 'summary' THEN nullif(written->'summary', 'null') ELSE known.summary END AS summary
            FROM jsonb_array_elements(contents) AS written
            LEFT JOIN notewire_mirror_content AS known
              ON known.integration = for_integration AND known.note_id = written->>'note_id'
            WHERE NOT written ? 'erase'
            ORDER BY 1
        ) AS parts
      ON CONFLICT (integration, note_id) DO UPDATE SET
        note = excluded.note, transcript = excluded.transcript, summary = excluded.summary, search = excluded.search;
  END IF;

  IF announcements > 0 OR next_progress IS NOT NULL OR heard_ms IS NOT NULL OR cardinality(new_ids) > 0 THEN
    UPDATE notewire_mirrors AS mirrors SET
      position = mirrors.position + announcements,
      progress = coalesce(next_progress::jsonb, mirrors.progress),
      heard_at = greatest(mirrors.heard_at, to_timestamp(heard_ms / 1000))
      WHERE mirrors.integration = for_integration
      RETURNING mirrors.position - announcements INTO position_before;
    IF EXISTS (SELECT FROM notewire_mirror_notes AS notes WHERE notes.integration = for_integration AND notes.note_id = ANY (new_ids)) THEN
      RAISE EXCEPTION SQLSTATE 'NW001';
    END IF;
  END IF;

  IF announcements > 0 THEN
    has_begun := notewire_mirror_begin_run(for_integration, position_before, current_run, known_position, next_run);
  END IF;

  INSERT INTO notewire_mirror_notes AS notes (integration, note_id, ${PLACES}, due_at, state)
    SELECT for_integration, written.note_id, coalesce(known.version, 0) + 1, written.digests,
      ${POSITION},
      CASE WHEN written.appeared THEN position_before + written.place ELSE coalesce(known.visible_since, 0) END,
      coalesce(known.first_visible, CASE WHEN written.appeared THEN position_before + written.place END),
      CASE WHEN written.vanishes THEN ${POSITION} ELSE coalesce(known.vanished_since, 0) END,
      ${NOTE_PARTS.map(changedAt).join(', ')},
      to_timestamp(written.due_at / 1000),
      written.state
      FROM jsonb_to_recordset(writes) AS written (
        note_id text, place bigint, appeared boolean, vanishes boolean, changed jsonb, digests jsonb, due_at float8, state jsonb)
      LEFT JOIN notewire_mirror_notes AS known ON known.integration = for_integration AND known.note_id = written.note_id
    ON CONFLICT (integration, note_id) DO UPDATE SET
      ${REPLACED.map((name) => `${name} = excluded.${name}`).join(', ')};

  IF hint_due_ms IS NOT NULL THEN
    UPDATE notewire_integrations AS integrations
      SET record = integrations.record || jsonb_build_object(
        'hints', integrations.hints + 1, 'rank', ${RANKS.hint}, 'dueAt', least(integrations.due_at, hint_due_ms))
      WHERE ${FENCED};
  ELSIF fence_generation IS NOT NULL THEN
    PERFORM FROM notewire_integrations AS integrations WHERE ${FENCED} FOR SHARE;
  END IF;
  IF fence_generation IS NOT NULL AND NOT FOUND THEN
    RAISE EXCEPTION SQLSTATE 'NW002';
  END IF;
  RETURN json_build_object('outcome', 'committed', 'hasBegunRun', has_begun, 'position', position_before + announcements);
EXCEPTION
  WHEN SQLSTATE 'NW001' THEN RETURN '{"outcome": "conflict"}';
  WHEN SQLSTATE 'NW002' THEN RETURN '{"outcome": "fenced"}';
END
$function$;
`

function changedAt(part: NotePart): string {
  return `CASE WHEN written.changed ? '${part}' THEN ${POSITION} ELSE coalesce(known.${part}_at, 0) END`
}
