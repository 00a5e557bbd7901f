import type { PostgresTables } from '@notewire/webhooks/storage'
import { COMMIT_FUNCTION } from './commit-function.ts'
import { INTEGRATION_FUNCTIONS, INTEGRATIONS_TABLE } from './integration-functions.ts'
import { LOAD_FUNCTION, SEQUENCE_FUNCTION } from './load-function.ts'
import { SEARCH_FUNCTIONS } from './search-functions.ts'
import { LIVE_NOTES_VIEW, TABLES } from './tables.ts'
import { TAKE_FUNCTION } from './take-function.ts'

/** The tables, the view and the functions of mirrors. */
export const MIRROR_TABLES: PostgresTables = {
  file: '@notewire/mirror/postgres.sql',
  functions: [
    'notewire_mirror_load_1',
    'notewire_mirror_commit_2',
    'notewire_mirror_take_1',
    'notewire_mirror_sequence_1',
    'notewire_mirror_plain_1',
    'notewire_mirror_words_1',
    'notewire_mirror_query_1',
    'notewire_integrations_now_1',
    'notewire_integrations_ahead_1',
    'notewire_integrations_take_2',
    'notewire_integrations_finish_1',
    'notewire_integrations_claim_1',
    'notewire_integrations_erase_1',
  ],
  lock: 7824530912,
  requirement: `
  IF current_setting('server_encoding') <> 'UTF8' THEN
    RAISE EXCEPTION 'the mirror needs a database with the encoding UTF8, and this database has the encoding %', current_setting('server_encoding')
      USING HINT = 'Use a database that was created with ENCODING ''UTF8''.';
  END IF;`,
  statements: [
    TABLES,
    LIVE_NOTES_VIEW,
    SEARCH_FUNCTIONS,
    SEQUENCE_FUNCTION,
    LOAD_FUNCTION,
    COMMIT_FUNCTION,
    TAKE_FUNCTION,
    INTEGRATIONS_TABLE,
    INTEGRATION_FUNCTIONS,
  ],
}
