/** The SQLSTATE if the event has changed after the note was written, which is then undone. */
export const EVENT_CHANGED = 'NW001'

/** How long a statement waits for a lock, and in a receiver's transaction each statement of the handler. */
export const LOCK_TIMEOUT = '2s'

/**
 * PL/pgSQL: the fencing token of a new claim, higher than those of the rows, so that all earlier claims are lost. It is at least the time in
 * microseconds: tokens grow even if the rows were pruned in between, or if a failover lost the last claims.
 */
export const NEXT_TOKEN =
  'greatest(event.fencing_token + 1, note.fencing_token + 1, (extract(epoch FROM moment) * 1000000)::bigint)'
