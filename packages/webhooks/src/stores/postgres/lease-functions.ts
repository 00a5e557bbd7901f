import { type AppliedRevision, type NoteChange, raiseRevision } from '../../interfaces/revision-gate.ts'
import type { Claim } from '../../interfaces/store.ts'
import { EVENT_CHANGED, LOCK_TIMEOUT } from './fencing.ts'

/**
 * A function that ends or renews a claim: it writes the note and then the event, so that no deadlock is possible, if both still have the fencing
 * token and a lease. A commit and a release end the lease, so a claim ends once.
 *
 * It returns `held`, or `lost` and nothing is written. The setting ends with the transaction, so that PgBouncer may give the connection to another
 * client.
 */
function leaseFunction(name: string, parameters: string, variables: string, setNote: string, setEvent: string): string {
  return `
CREATE OR REPLACE FUNCTION ${name}(
  for_integration text, for_event text, for_note text, held_token bigint${parameters}
) RETURNS text LANGUAGE plpgsql AS $function$
#variable_conflict use_variable
DECLARE
  moment timestamptz := clock_timestamp();${variables}
BEGIN
  PERFORM set_config('lock_timeout', '${LOCK_TIMEOUT}', true);
  IF for_note IS NOT NULL THEN
    UPDATE notewire_notes SET ${setNote}
      WHERE integration = for_integration AND note_id = for_note
        AND fencing_token = held_token AND lease_ends_at IS NOT NULL;
    IF NOT FOUND THEN
      RETURN 'lost';
    END IF;
  END IF;
  UPDATE notewire_events SET ${setEvent}
    WHERE integration = for_integration AND event_id = for_event
      AND fencing_token = held_token AND lease_ends_at IS NOT NULL;
  IF FOUND THEN
    RETURN 'held';
  ELSIF for_note IS NULL THEN
    RETURN 'lost';
  END IF;
  RAISE EXCEPTION 'another worker has taken the event' USING ERRCODE = '${EVENT_CHANGED}';
END
$function$;
`
}

/** Renews the lease of a claim. */
export const RENEW_FUNCTION = leaseFunction(
  'notewire_renew_event',
  ', lease_ms float8',
  `
  ends_at timestamptz := moment + lease_ms * interval '1 millisecond';`,
  'lease_ends_at = ends_at',
  'lease_ends_at = ends_at',
)

/** Marks the event of a claim as processed, records what was applied to its note, if that has changed, and ends the claim. */
export const COMMIT_FUNCTION = leaseFunction(
  'notewire_commit_event',
  ', keep_ms float8, new_applied json',
  `
  keep_until timestamptz := moment + keep_ms * interval '1 millisecond';`,
  `lease_ends_at = NULL,
      kept_until = CASE WHEN new_applied IS NULL THEN kept_until ELSE greatest(kept_until, keep_until) END,
      applied = coalesce(new_applied, applied)`,
  'lease_ends_at = NULL, kept_until = greatest(kept_until, keep_until), forgotten = false',
)

/** Ends a claim without a commit. */
export const RELEASE_FUNCTION = leaseFunction(
  'notewire_release_event',
  '',
  '',
  'lease_ends_at = NULL',
  'lease_ends_at = NULL',
)

// With types, because some drivers send every value as a text.
export const RENEW = 'SELECT notewire_renew_event($1, $2, $3, $4::bigint, $5::float8) AS result'
export const COMMIT = 'SELECT notewire_commit_event($1, $2, $3, $4::bigint, $5::float8, $6::json) AS result'
export const RELEASE = 'SELECT notewire_release_event($1, $2, $3, $4::bigint) AS result'

export interface LeaseRow {
  readonly result: 'held' | 'lost'
}

/** Three thousand years: callers may pass `Infinity`, and PostgreSQL supports no more than about 290,000 years. */
const LONGEST_KEPT_MS = 1e14

export function keptMs(keepMs: number): number {
  return Math.min(keepMs, LONGEST_KEPT_MS)
}

/** The first values of each statement. */
export function claimOf({ request: { integration, eventId, note }, fencingToken }: Claim): unknown[] {
  return [integration, eventId, note?.noteId ?? null, fencingToken]
}

/** What is recorded as applied to a note after a change, in JSON; `null` if that stays. */
export function appliedAfter(applied: AppliedRevision | undefined, change: NoteChange | undefined): string | null {
  return change === undefined ? null : JSON.stringify(raiseRevision(applied, change))
}
