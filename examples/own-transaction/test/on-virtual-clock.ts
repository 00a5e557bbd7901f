import type { MirrorStore } from '@notewire/mirror'
import { postgresMirror } from '@notewire/mirror/postgres'
import type { Pool } from 'pg'

/** The mirror's store, with a schedule that follows the virtual clock of the mock service, and not the clock of the server. */
export function onVirtualClock(pool: Pool) {
  const store = postgresMirror(pool)
  const migrate: MirrorStore['migrate'] = async () => {
    await store.migrate()
    await pool.query(`CREATE OR REPLACE FUNCTION notewire_integrations_now(caller_ms float8) RETURNS timestamptz LANGUAGE sql
      AS 'SELECT to_timestamp(caller_ms / 1000)'`)
  }
  return { ...store, migrate }
}
