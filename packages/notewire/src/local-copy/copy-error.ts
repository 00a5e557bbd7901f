import { NotewireError } from '@notewire/protocol'

/**
 * What is wrong with the local copy.
 *
 * - `copy_missing`: there is no such file
 * - `copy_empty`: it holds no copy yet
 * - `key_changed`: it was made with another API key
 * - `key_sees_others`: the key that is to take over sees none of its notes
 * - `database_malformed`: the file is no SQLite database, or is damaged
 * - `database_readonly`, `database_full`, `database_busy`, `database_failed`: it could not be written or read
 */
export type CopyErrorCode =
  | 'copy_missing'
  | 'copy_empty'
  | 'key_changed'
  | 'key_sees_others'
  | 'database_malformed'
  | 'database_readonly'
  | 'database_full'
  | 'database_busy'
  | 'database_failed'

/** The local copy cannot be used. The message names the file and the next step. */
export class CopyError extends NotewireError<CopyErrorCode> {}
