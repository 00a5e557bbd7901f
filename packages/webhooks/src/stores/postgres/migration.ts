import type { PostgresTables } from '../../storage/postgres-migration.ts'
import { CLAIM_FUNCTION } from './claim-function.ts'
import { COMMIT_FUNCTION } from './commit-function.ts'
import { HOLD_FUNCTION } from './hold-function.ts'
import { LEASE_FUNCTION } from './lease-function.ts'
import { LOOK_FUNCTION } from './look-function.ts'

/**
 * The two tables that `migrate` creates.
 *
 * Versions of the store share them during a rolling upgrade. A later version may only add columns that the functions of older versions
 * can leave out.
 */
// Ids are compared byte by byte, which is faster than by the rules of a language and does not depend on their version. Updates
// change no indexed column, and pages keep free space, so that updates need not change the indexes (heap-only tuples).
//
// `deletion_occurred_at` is in milliseconds since the Unix epoch, or null if it is unknown. It and `deleted_at_any_revision` count while the
// note is `deleted`. `deleted_at_any_revision`: only a later time ends the deletion, because it had no revision.
const TABLES = `
CREATE TABLE IF NOT EXISTS notewire_events (
  integration   text COLLATE "C" NOT NULL,
  event_id      text COLLATE "C" NOT NULL,
  fencing_token bigint NOT NULL,
  lease_ends_at timestamptz,
  kept_until    timestamptz,
  forgotten     boolean NOT NULL DEFAULT false,
  PRIMARY KEY (integration, event_id)
) WITH (fillfactor = 90);

CREATE TABLE IF NOT EXISTS notewire_notes (
  integration             text COLLATE "C" NOT NULL,
  note_id                 text COLLATE "C" NOT NULL,
  fencing_token           bigint NOT NULL,
  lease_ends_at           timestamptz,
  kept_until              timestamptz,
  revision                bigint,
  deleted                 boolean NOT NULL DEFAULT false,
  deleted_at_any_revision boolean NOT NULL DEFAULT false,
  deletion_occurred_at    bigint,
  seen                    text[],
  PRIMARY KEY (integration, note_id)
) WITH (fillfactor = 80);
`

/** The tables and functions of a receiver. */
export const RECEIVER_TABLES: PostgresTables = {
  file: '@notewire/webhooks/postgres.sql',
  functions: ['notewire_claim_2', 'notewire_commit_2', 'notewire_lease_1', 'notewire_look_1', 'notewire_hold_1'],
  lock: 7824530911,
  statements: [TABLES, CLAIM_FUNCTION, COMMIT_FUNCTION, LEASE_FUNCTION, LOOK_FUNCTION, HOLD_FUNCTION],
}
