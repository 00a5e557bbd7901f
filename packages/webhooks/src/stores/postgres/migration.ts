import type { PostgresTables } from '@notewire/storage'
import { CLAIM_FUNCTION } from './claim-function.ts'
import { HOLD_FUNCTION } from './hold-function.ts'
import { COMMIT_FUNCTION, RELEASE_FUNCTION, RENEW_FUNCTION } from './lease-functions.ts'
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
// `applied` is an `AppliedRevision`.
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
  integration   text COLLATE "C" NOT NULL,
  note_id       text COLLATE "C" NOT NULL,
  fencing_token bigint NOT NULL,
  lease_ends_at timestamptz,
  kept_until    timestamptz,
  applied       json,
  PRIMARY KEY (integration, note_id)
) WITH (fillfactor = 80);
`

const FUNCTIONS = [LOOK_FUNCTION, CLAIM_FUNCTION, RENEW_FUNCTION, COMMIT_FUNCTION, RELEASE_FUNCTION, HOLD_FUNCTION]

/** The tables and functions of a receiver. */
export const RECEIVER_TABLES: PostgresTables = {
  file: '@notewire/webhooks/postgres.sql',
  functions: [...FUNCTIONS.join().matchAll(/CREATE OR REPLACE FUNCTION (\w+)/g)].flatMap(([, name = []]) => name),
  lock: 7824530911,
  statements: [TABLES, ...FUNCTIONS],
}
