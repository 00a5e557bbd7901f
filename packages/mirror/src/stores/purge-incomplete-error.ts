import { NotewireError } from '@notewire/protocol'

/**
 * Why a purge could not remove the bytes of erased content.
 *
 * - `not_permitted`: the connection's role is not permitted to vacuum the table (PostgreSQL).
 * - `in_transaction`: the connection has an open transaction, in which PostgreSQL cannot run `VACUUM`.
 * - `locked`: other connections kept the table locked for 10 s (PostgreSQL).
 * - `held_back`: an open transaction can still see erased content, so the database keeps it.
 */
export type PurgeObstacle = 'not_permitted' | 'in_transaction' | 'locked' | 'held_back'

/** A purge did not remove all bytes of erased content. No query finds them, but they remain in the files until a later purge succeeds. */
export class PurgeIncompleteError extends NotewireError<'purge_incomplete'> {
  readonly obstacle: PurgeObstacle

  constructor(obstacle: PurgeObstacle, cause?: unknown) {
    super('purge_incomplete', `bytes of erased content may still be in the files: ${EXPLANATIONS[obstacle]}`, { cause })
    this.obstacle = obstacle
  }
}

const EXPLANATIONS: Readonly<Record<PurgeObstacle, string>> = {
  not_permitted:
    'the role of this connection is not permitted to vacuum notewire_mirror_content. Call purge with a connection of the owner of the table, of the ' +
    'owner of the database, or, with PostgreSQL 17 or later, of a role that has MAINTAIN on the table.',
  in_transaction:
    'the connection has an open transaction, and VACUUM cannot run in a transaction. Commit the transaction first, or pass a pool to the store.',
  locked:
    'other connections kept notewire_mirror_content locked for 10 s. End their transactions (pg_stat_activity, pg_locks), and call purge again.',
  held_back: 'an open transaction can still read erased content. End that transaction, and call purge again.',
}
